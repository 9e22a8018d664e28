/** The audit log's record of a management request (G42 … G45). */
import { hash } from 'node:crypto';
import { recordRequest } from '../../db/audit/commands.ts';
import { currentRequester, workFor } from '../../db/kernel/requester.ts';
import { currentTrace } from '../../db/kernel/tracing.ts';
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import type { Outcome } from '../../domain/audit/rules.ts';
import type { Target } from '../../domain/audit/targets.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import { type Endpoint, isManaged } from '../declare/endpoint.ts';
import { asFault, refusal } from '../web/envelope.ts';
import { idOf, type Incoming } from '../declare/incoming.ts';
import { type Difference, NO_DIFFERENCE, plannedTarget } from '../preview/compare.ts';
import { isBulk } from '../declare/subject.ts';

/** A request that has passed authentication. */
export interface Audited {
  readonly endpoint: Endpoint;
  readonly deps: ApiDeps;
  readonly caller: Caller;
  readonly incoming: Incoming;
}
interface Ended {
  readonly outcome: Outcome;
  readonly statusCode: number;
  readonly errorCode?: string | null;
  readonly difference?: Difference;
  readonly isReplayed?: boolean;
  readonly approvalId?: string;
}

/** `00-{32 hexadecimal digits}-…` */
const TRACE = /^[0-9a-f]{2}-([0-9a-f]{32})-/;
/**
 * Of the trace that the client sent (`traceparent`), else of one's own; where nothing is traced, one that is derived from the request's id.
 */
export const traceIdOf = (sent: string | undefined, requestId: string): string =>
  TRACE.exec(sent ?? '')?.[1] ?? TRACE.exec(currentTrace() ?? '')?.[1] ?? hash('sha256', requestId).slice(0, 32);

/** What the request is about, as far as its path says it; a creation and a bulk have no id. */
export function targetOf(endpoint: Endpoint, { storeId }: Pick<Caller, 'storeId'>, params: Incoming['params']): Target | null {
  const { target } = endpoint;
  if (!target) return null;
  if (isBulk(target)) return { type: target.each.type, id: null };
  return { type: target.type, id: target.idField === null ? storeId : idOf(params[target.idField]) };
}

/** Records how a request ended, in the transaction of its change where there is one. One that is recorded already is left alone. */
export async function recordIn(tx: Tx, { endpoint, caller, incoming }: Audited, ended: Ended): Promise<void> {
  const { origin, actor } = caller;
  if (!isManaged(endpoint) || !origin || !actor) return;
  const difference = ended.difference ?? NO_DIFFERENCE;
  const target = ended.outcome === 'SUCCEEDED' ? difference.target : plannedTarget(difference);
  const { changes } = difference;
  const withChanges = ended.outcome !== 'FAILED' && ended.outcome !== 'DENIED';
  await recordRequest(tx, {
    requestId: caller.requestId,
    actor,
    action: endpoint.id,
    target: target ?? targetOf(endpoint, caller, incoming.params),
    outcome: ended.outcome,
    statusCode: ended.statusCode,
    errorCode: ended.errorCode ?? null,
    traceId: traceIdOf(incoming.header('traceparent'), caller.requestId),
    idempotencyKey: printable(incoming.header('idempotency-key')),
    approvalId: ended.approvalId ?? origin.approvalId,
    metadata: { ...origin.metadata, ...(withChanges && { changes }), ...(ended.isReplayed && { replayed: true }) },
  });
}
const printable = (key: string | undefined): string | null => (key !== undefined && /^[\x20-\x7e]{1,257}$/.test(key) ? key : null);

/** The same in a transaction of its own, before the answer; its turn is no other change's, or a full line would leave it out. */
export async function record(audited: Audited, ended: Ended): Promise<void> {
  if (!isManaged(audited.endpoint)) return;
  await workFor({ ...currentRequester(), side: 'AUDIT' }, () =>
    inTenant(audited.deps.orm, audited.caller, REQUEST, (tx) => recordIn(tx, audited, ended)),
  );
}

/** Records a refusal, but for limits of rates. When it cannot be written, the refusal is answered all the same: nothing was changed. */
export async function recordRefusal(audited: Audited, error: unknown): Promise<void> {
  const { endpoint, deps, caller } = audited;
  if (!isManaged(endpoint)) return;
  const fault = error instanceof Fault ? error : asFault(error, deps.log, caller.requestId);
  if (fault.code === 'TOO_MANY_REQUESTS') return;
  const { status } = refusal(fault, endpoint.statuses);
  const ended: Ended = { outcome: status === 403 ? 'DENIED' : 'FAILED', statusCode: status, errorCode: fault.code };
  await record(audited, ended).catch((failure: unknown) =>
    deps.log.error({ err: failure, requestId: caller.requestId }, 'a refused request could not be recorded'),
  );
}
