/** An approved request: whose, which, and the business time at which its try was planned. */
export interface Execution {
  readonly storeId: string;
  readonly approvalId: string;
  readonly at: number;
  /** How far the store's clock was ahead then, in milliseconds. */
  readonly clock?: number;
}
/** The answer of an execution. APPROVAL_STALE: nothing was done, and the request shows what would be done now. */
export interface Executed {
  readonly status: number;
  readonly code: string;
  /** Of the approval that it is the answer to: what comes later than the next one counts no more. */
  readonly round: number;
}
/**
 * Carries out what was approved, as the API carries out requests (api/approvals/execute.ts). Both functions return the one answer that the
 * execution has, and null where it is not known.
 */
export interface Executor {
  /** Once, however often it is called. */
  readonly execute: (execution: Execution) => Promise<Executed | null>;
  /** Looks up the answer that an earlier call has stored; carries out nothing. */
  readonly find: (execution: Execution) => Promise<Executed | null>;
}
