/** What operations are given by features further out, as ports: the login provider, the threads of graphs, the previews of approvals. */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import type { Person } from '../../db/identity/logins.ts';
import type { Preview } from '../../domain/approvals/rules.ts';

/** The external OpenID provider (identity/loginProvider.ts). */
export interface UpstreamLogin {
  /** The authorization URL, with PKCE. */
  begin(request: { requestId: string; verifier: string; nonce: string }): Promise<string>;
  /** Redeems the code; throws when the response does not match the request, or the e-mail address is not verified. */
  finish(query: string, request: { verifier: string; nonce: string; requestId: string }): Promise<Person & { authenticatedAt: number }>;
}
export interface LoginProvider {
  discover(): Promise<UpstreamLogin>;
}

/** How a job ended: with its result, or by the bound that ended its thread. */
export type Ended = { readonly result: unknown } | { readonly died: 'TIME' | 'SIZE' };
export interface Job {
  readonly onProgress?: (progress: unknown) => void;
  /** Of processor time, after which the thread is ended. */
  readonly cpuMs?: number;
}
export interface ThreadWork extends Job {
  readonly storeId: string;
  /** Aborted when its client has hung up, with which it ends. */
  readonly gone: AbortSignal;
  /** Reads what is computed: called when its turn has come, and ended before the computing begins. Data that can be cloned. */
  readonly read: () => Promise<unknown>;
}
/** Where sellers' graphs are computed (flows/threadPool.ts). */
export interface Threads {
  /** TOO_MANY_REQUESTS after five seconds of waiting; TEMPORARILY_UNAVAILABLE, which nobody reads, where the client is gone. */
  run(work: ThreadWork): Promise<Ended>;
}

/** A try of an execution. */
export interface Try {
  /** Of the execution, the same for every try. */
  readonly requestId: string;
  /** Business milliseconds. */
  readonly at: number;
  readonly realNow: number;
}
/** Who is about to approve. */
export interface Approver {
  readonly userId: string;
  readonly scopes: readonly string[];
}
/**
 * What a request would do now, where that is not what it shows; null: it is, or it would be refused, which is for its execution to answer.
 * Nothing remains of it.
 */
export type PreviewNow = (approval: ApprovalRequest, approver: Approver, times: Try) => Promise<Preview | null>;
