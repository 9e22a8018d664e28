/** Requests as they arrive, before anything of them is validated. */

/** A file of this machine, which is there until its request is answered (`discard`). */
export interface UploadedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: Buffer;
}
/** A body: JSON or the text fields of a form (undefined where none was sent), and the form's file. */
export interface Content {
  readonly sent: unknown;
  readonly file: UploadedFile | null;
}
/** A request before anything is validated, wherever it comes from. */
export interface Incoming {
  /** Without query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly querystring: string;
  /** By lower-case name; undefined when it was not sent. */
  readonly header: (name: string) => string | undefined;
  readonly content: () => Promise<Content>;
  /** Aborted when nobody waits for the answer any more; never, where somebody always does. */
  readonly gone: () => AbortSignal;
}

/** Null for what no id looks like: nothing else that a path says is recorded. */
export const idOf = (sent: string | undefined): string | null => (sent !== undefined && /^[\w-]{1,64}$/.test(sent) ? sent : null);
