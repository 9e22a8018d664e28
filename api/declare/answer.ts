/** Answers of operations, before they are an envelope. */

/** A status with the code of `meta` (OK if none is given), a body (of a success its data, of a refusal its error), and headers. */
export interface Answer {
  readonly status: number;
  readonly code?: 'DRY_RUN' | 'APPROVAL_REQUIRED' | 'APPROVAL_ALREADY_DECIDED';
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a handler sets of its response. */
export interface Outgoing {
  status: number;
  readonly headers: Record<string, string>;
}
