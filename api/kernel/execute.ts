/**
 * Carries out approved requests: the port of the worker's activities (activities/kernel/deps.ts). An execution has an operation key of its
 * own, which is reserved in the transaction of the change; so it happens once, however often and wherever it is called (G26, G27).
 */
import { createHash } from 'node:crypto';
import type { Executed, Execution, Executor } from '../../activities/providers/execution.ts';
import { type NewResult, recordResult } from '../../db/approvals/commands.ts';
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { findApproval, resultLocation } from '../../db/approvals/queries.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import type { Keyring } from '../../db/kernel/keyring.ts';
import { inTenant, realTime, REQUEST } from '../../db/kernel/tx.ts';
import { readStore } from '../../db/stores/queries.ts';
import { hashKey, type OperationKey, type StoredReply, storedReply, storeReply } from '../../db/runs/operations.ts';
import { missingScopes, RETRY_MS } from '../../domain/approvals/rules.ts';

import { type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import { id } from '../../domain/kernel/ids.ts';
import { recordIn } from './audit.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { replyLocation, reveal } from './idempotency.ts';
import { perform } from './perform.ts';
import type { Answer } from './replies.ts';
import { reauthenticate } from './reauthenticate.ts';
import { asFault, type ErrorReply, refusal } from './reply.ts';
import { createReader, type Incoming, type ReadRequest, validated } from './request.ts';

/** Executions have one request id each, whichever try carries it out: that of the result and of its audit records. It sorts by time. */
const executionRequestId = ({ approvalId, createdAt }: ApprovalRequest): string =>
  id('req', createdAt.getTime(), createHash('sha256').update(`execution/${approvalId}`).digest());

/** Answers that leave open whether the change will be there; everything else is final. */
const isOpen = (answer: Answer) => answer.status >= 500 || codeOf(answer) === ('IDEMPOTENCY_IN_PROGRESS' satisfies ErrorCode);

interface Work {
  readonly approval: ApprovalRequest;
  readonly endpoint: Endpoint;
  readonly operation: OperationKey;
  /** Business time of the try, as it was planned, and as it is. */
  readonly at: number;
  readonly now: number;
}
type Reader = (incoming: Incoming) => Promise<ReadRequest>;

export function createExecutor(deps: ApiDeps, endpoints: readonly Endpoint[]): Executor {
  const known = new Map(endpoints.map((endpoint) => [endpoint.id as string, { endpoint, read: readerOf(endpoint) }]));
  const workOf = async ({ storeId, approvalId, at }: Execution): Promise<Work & { readonly read: Reader }> => {
    const [approval, { clockOffsetMs }] = await inTenant(
      deps.orm,
      realTime(storeId, deps.clock.now()),
      REQUEST,
      async (tx) => [await findApproval(tx, approvalId), await readStore(tx)] as const,
    );
    const found = known.get(approval.operationId);
    if (approval.decision !== 'APPROVE') throw new Error(`${approvalId} was not approved`);
    if (!found) throw new Error(`${approval.operationId} is no operation any more`);
    const key = `approval/${approvalId}`;
    const { operationId: id, fingerprint } = approval;
    // A principal of its own: no client can send a key that stands in its way.
    const operation = { principal: key, key: found.endpoint.change === 'workflow' ? hashKey(key) : key, id, fingerprint };
    return { approval, ...found, operation, at, now: Math.max(at, deps.clock.now() + clockOffsetMs) };
  };
  return {
    async execute(execution) {
      const { read, ...work } = await workOf(execution);
      const { resultStatus, resultCode, executingSince } = work.approval;
      // A run that was reset repeats nothing: what is answered stays answered, and what is late is only closed.
      if (resultStatus !== null && resultStatus !== undefined) return { status: resultStatus, code: resultCode ?? 'OK' };
      const isLate = executingSince === null || executingSince === undefined || work.now - executingSince.getTime() >= RETRY_MS;
      if (isLate) return conclude(deps, work, closed(work));
      const attempted = await attempt(deps, work, read);
      failpoint('execution.after-answer');
      return isOpen(attempted.answer) ? null : conclude(deps, work, attempted);
    },
    async close(execution) {
      const { read: _, ...work } = await workOf(execution);
      return conclude(deps, work, closed(work));
    },
  };
}
interface Attempted {
  readonly answer: Answer;
  /** Null: nobody whose request it could be; then its refusal is in no audit record. */
  readonly caller: Caller | null;
}
const closed = ({ endpoint }: Work): Attempted => ({ answer: refusalOf(new Fault('TEMPORARILY_UNAVAILABLE'), endpoint), caller: null });

/** Its schemas are compiled with the first execution. */
function readerOf(endpoint: Endpoint): Reader {
  let reader: Reader | undefined;
  return (incoming) => (reader ??= createReader(endpoint))(incoming);
}

/** As a request of the agent, whose approval takes the place of what agents may not do. */
async function attempt(deps: ApiDeps, { approval, endpoint, operation, at }: Work, read: Reader): Promise<Attempted> {
  const requestId = executionRequestId(approval);
  const incoming = incomingOf(approval);
  let caller: Caller | null = null;
  try {
    caller = await reauthenticate(approval, deps, requestId, at);
    const missing = missingScopes(caller.scopes, endpoint.scopes ?? []);
    if (missing.length > 0) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: missing } });
    const request = await validated(await read(incoming), { incoming, endpoint, deps, caller });
    const approved = { approvalId: approval.approvalId, approvedBy: approval.approverUserId ?? '' };
    return { answer: await perform({ ...request, operation, keyed: true, approved }), caller };
  } catch (error) {
    return { answer: refusalOf(asFault(error, deps.log, requestId), endpoint), caller };
  }
}

/** Stores a refusal under the key unless another try has stored its answer: what is stored is the answer of the execution. */
function conclude(deps: ApiDeps, { approval, endpoint, operation, at }: Work, { answer, caller }: Attempted): Promise<Executed> {
  const { orm, clock, keyring } = deps;
  const { storeId, approvalId } = approval;
  return inTenant(orm, { ...realTime(storeId, clock.now()), at }, REQUEST, async (tx) => {
    await storeReply(tx, operation, { status: answer.status, body: answer.body });
    const stored = (await storedReply(tx, operation)) ?? answer;
    const final = reveal(stored, endpoint.secret === true, keyring, replyLocation(storeId, operation.key));
    await recordResult(tx, approvalId, resultOf(approval, endpoint, final, keyring));
    // A success was recorded with its change. Only a final refusal is one.
    if (caller && final.status >= 300) {
      const ended = { outcome: final.status === 403 ? 'DENIED' : 'FAILED', statusCode: final.status, errorCode: codeOf(final) } as const;
      await recordIn(tx, { endpoint, deps, caller, incoming: incomingOf(approval) }, ended);
    }
    return { status: final.status, code: codeOf(final) };
  });
}

/** What is shown of an answer, and what of it only to the requesting principal (G28). */
function resultOf(approval: ApprovalRequest, endpoint: Endpoint, { status, body }: StoredReply, keyring: Keyring): NewResult {
  const { storeId, approvalId } = approval;
  const requestId = executionRequestId(approval);
  if (status >= 300) return { requestId, data: null, error: body, sealed: null };
  if (!endpoint.secret) return { requestId, data: body ?? null, error: null, sealed: null };
  const sealed = keyring.seal(JSON.stringify(body), resultLocation(storeId, approvalId));
  return { requestId, data: withoutSecrets(body), error: null, sealed };
}

const refusalOf = (fault: Fault, { statuses }: Endpoint): Answer => {
  const { status, error } = refusal(fault, statuses);
  return { status, body: error, headers: {} };
};
const codeOf = ({ status, body }: Pick<Answer, 'status' | 'body'>): string => (status < 300 ? 'OK' : (body as ErrorReply['error']).code);

/** The names of fields that are shown once. */
const isSecret = (name: string) => /^(?:token|secret)$|Secret$/.test(name);
/** For everybody but the requesting principal. */
const withoutSecrets = (data: unknown): unknown =>
  typeof data === 'object' && data !== null
    ? Object.fromEntries(Object.entries(data).map(([name, value]) => [name, isSecret(name) ? null : (value as unknown)]))
    : data;

/** The request as it was filed. */
function incomingOf({ path, params, querystring, headers, body }: ApprovalRequest): Incoming {
  return {
    path,
    params,
    querystring,
    header: (name) => headers[name],
    content: async () => ({ sent: body ?? undefined, file: null }),
  };
}
