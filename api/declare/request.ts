/** Requests of operations, when they have passed every check. */
import type { OperationKey } from '../../db/runs/operations.ts';
import type { Preview } from '../../domain/approvals/rules.ts';
import type { Caller } from './caller.ts';
import type { ApiDeps } from './deps.ts';
import { type Endpoint, isPersonal, isWrite } from './endpoint.ts';
import type { Incoming, UploadedFile } from './incoming.ts';

export interface RequestInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: UploadedFile | null;
}
/** Of a request that has passed authentication. */
export interface RequestContext {
  readonly incoming: Incoming;
  readonly endpoint: Endpoint;
  readonly deps: ApiDeps;
  readonly caller: Caller;
}
/** A request that has passed every check. */
export interface Request extends RequestContext {
  readonly input: RequestInput;
  readonly operation: OperationKey;
  /** The Idempotency-Key as it was sent; null: none. */
  readonly sentKey: string | null;
  /** The client sent an Idempotency-Key to an operation that takes one. */
  readonly keyed: boolean;
  /** `x-svc-dry-run: 1`, on a change of the management API. */
  readonly isDryRun: boolean;
  /** It carries out what was approved. */
  readonly execution?: Execution;
}
/** `notAfter`: real time, after which it commits nothing. */
interface Execution {
  readonly notAfter: number;
  readonly approvalId: string;
  /** The preview that was approved: it does that, or nothing. */
  readonly approved: Preview;
}

export const DRY_RUN = 'x-svc-dry-run';
export const hasDryRun = (endpoint: Endpoint): boolean => isWrite(endpoint) || isPersonal(endpoint);
export const isDryRun = (endpoint: Endpoint, { header }: Incoming): boolean => hasDryRun(endpoint) && header(DRY_RUN) === '1';
