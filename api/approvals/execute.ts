/**
 * Carries out approved requests: the port of the worker's activities (activities/kernel/deps.ts). An execution has an operation key of its
 * own, which is reserved in the transaction of the change; so it happens once, however often and wherever it is called. No try begins later
 * than a minute after the approval, and none ends long after it began: what has no answer by then is only looked up (G27). It does
 * what was approved, or nothing (G51).
 */
import { createHash } from 'node:crypto';
import type { Executed, Execution, Executor } from '../../activities/providers/execution.ts';
import { type NewResult, recordResult, showAnew } from '../../db/approvals/commands.ts';
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { findApproval, resultLocation } from '../../db/approvals/queries.ts';
import { clearRecords } from '../../db/personalData/commands.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import type { Keyring } from '../../db/kernel/keyring.ts';
import { inTenant, realTime, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { hashKey, type OperationKey, type StoredReply, storedReply, storeReply } from '../../db/runs/operations.ts';
import { stateOf } from '../../db/approvals/rows.ts';
import { staleFault, STALE, type StaleReply } from '../../db/approvals/views.ts';
import { RETRY_MS } from '../../domain/approvals/rules.ts';
import type { ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import { id } from '../../domain/kernel/ids.ts';
import { recordIn } from '../pipeline/audit.ts';
import { COMMAND_MS } from '../declare/commands.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { replyLocation, reveal } from '../pipeline/idempotency.ts';
import { PERFORM } from '../pipeline/order.ts';
import type { Answer } from '../declare/answer.ts';
import { incomingOf, isOfNobodyNow, type Known, operationsById, requestOf } from './approvedRequest.ts';
import { reauthenticate } from './reauthenticate.ts';
import { asFault, type ErrorReply, refusal } from '../web/envelope.ts';
import { Stale } from '../preview/preview.ts';

/** Executions have one request id each, whichever try carries it out: that of the result and of its audit records. It sorts by time. */
const executionRequestId = ({ createdAt, ...approval }: ApprovalRequest): string =>
  id(
    'req',
    createdAt.getTime(),
    createHash('sha256')
      .update(`execution/${roundOf(approval)}`)
      .digest(),
  );
/**
 * Each approval's execution has names of its own: one that did nothing, because it would have done something else, stands in no other's
 * way.
 */
const roundOf = ({ approvalId, executionRound }: Pick<ApprovalRequest, 'approvalId' | 'executionRound'>): string =>
  executionRound === 0 ? approvalId : `${approvalId}/${executionRound}`;

/** Answers that leave open whether the change will be there; everything else is final. */
const isOpen = (answer: Answer) => answer.status >= 500 || codeOf(answer) === ('IDEMPOTENCY_IN_PROGRESS' satisfies ErrorCode);

interface Work extends Known {
  readonly approval: ApprovalRequest;
  readonly operation: OperationKey;
  /** Business time of the try, as it was planned. */
  readonly at: number;
  /** The real time at which it began. */
  readonly realNow: number;
  /** It began in time: no try begins later. By the real time that its run knows of, which may be later than ours. */
  readonly isInTime: boolean;
  /** The customer whom it is about has withdrawn: of the request only a part is left. */
  readonly isOfNobody: boolean;
}
export function createExecutor(deps: ApiDeps, endpoints: readonly Endpoint[]): Executor {
  const known = operationsById(endpoints);
  const workOf = async ({ storeId, approvalId, at, clock = 0 }: Execution): Promise<Work> => {
    const realNow = deps.clock.now();
    const { approval, isOfNobody } = await inTenant(deps.orm, realTime(storeId, realNow), REQUEST, async (tx) => {
      const found = await findApproval(tx, approvalId);
      // After the request: what is read whole is about somebody who was there.
      return { approval: found, isOfNobody: await isOfNobodyNow(tx, found) };
    });
    const found = known.get(approval.operationId);
    if (approval.decision !== 'APPROVE') throw new Error(`${approvalId} was not approved`);
    if (!found) throw new Error(`${approval.operationId} is no operation any more`);
    const key = `approval/${roundOf(approval)}`;
    const { operationId: id, fingerprint } = approval;
    // A principal of its own: no client can send a key that stands in its way.
    const operation = {
      principal: `approval/${approvalId}`,
      key: found.endpoint.change === 'workflow' ? hashKey(key) : key,
      id,
      fingerprint,
    };
    const { executingReal } = stateOf(approval, clock);
    const isInTime = executingReal !== null && Math.max(at - clock, realNow) - executingReal < RETRY_MS;
    return { approval, ...found, operation, at, realNow, isInTime, isOfNobody };
  };
  return {
    async execute(execution) {
      const work = await workOf(execution);
      const { resultStatus, resultCode, executionRound: round } = work.approval;
      // A run that was reset repeats nothing: what is answered stays answered, and what is late is only looked up.
      if (resultStatus !== null && resultStatus !== undefined) return { status: resultStatus, code: resultCode ?? 'OK', round };
      if (!work.isInTime) return findAnswer(deps, work);
      const attempted = await attempt(deps, work);
      failpoint('execution.after-answer');
      return isOpen(attempted.answer) ? null : conclude(deps, work, attempted);
    },
    find: async (execution) => findAnswer(deps, await workOf(execution)),
  };
}
interface Attempted {
  readonly answer: Answer;
  /** Null: nobody whose request it could be; then its refusal is in no audit record. */
  readonly caller: Caller | null;
}

/** As a request of the agent, whose approval takes the place of what agents may not do. */
async function attempt(deps: ApiDeps, work: Work): Promise<Attempted> {
  const { approval, endpoint, operation, at, realNow } = work;
  const requestId = executionRequestId(approval);
  let caller: Caller | null = null;
  try {
    caller = await reauthenticate(approval, deps, { requestId, at, realNow });
    const request = await requestOf(work, { ...work, caller }, deps);
    const execution = { notAfter: realNow + COMMAND_MS, approvalId: approval.approvalId, approved: approval.preview };
    return { answer: await PERFORM.walk({ ...request, operation, keyed: true, execution }), caller };
  } catch (error) {
    const fault = error instanceof Stale ? staleFault(error.preview) : asFault(error, deps.log, requestId);
    return { answer: refusalOf(fault, endpoint), caller };
  }
}

/** Stores the answer under the key unless another try has stored its own: what is stored is the answer of the execution. */
function conclude(deps: ApiDeps, work: Work, { answer, caller }: Attempted): Promise<Executed> {
  const { approval, endpoint, operation } = work;
  return inStoreOf(deps, work, async (tx) => {
    await storeReply(tx, operation, { status: answer.status, body: answer.body });
    const final = await recorded(tx, deps, work, (await storedReply(tx, operation)) ?? answer);
    // A success was recorded with its change; where it would have been another change than the approved one, the request waits on.
    if (caller && final.status >= 300 && final.code !== STALE) {
      const ended = { outcome: final.status === 403 ? 'DENIED' : 'FAILED', statusCode: final.status, errorCode: final.code } as const;
      await recordIn(tx, { endpoint, deps, caller, incoming: incomingOf(approval) }, ended);
    }
    return final;
  });
}

/**
 * The answer that a try has stored, in the transaction of the change and of its audit record; null: none has. It stores nothing in its
 * place: a try that began in time may still end.
 */
const findAnswer = (deps: ApiDeps, work: Work): Promise<Executed | null> =>
  inStoreOf(deps, work, async (tx) => {
    const stored = await storedReply(tx, work.operation);
    return stored && recorded(tx, deps, work, stored);
  });

const inStoreOf = <T>({ orm, clock }: ApiDeps, { approval, at }: Work, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTenant(orm, { ...realTime(approval.storeId, clock.now()), at }, REQUEST, work);

/** Writes the answer into the request's record; where the customer has withdrawn meanwhile, without what is theirs. */
async function recorded(tx: Tx, { keyring }: ApiDeps, { approval, endpoint, operation }: Work, stored: StoredReply): Promise<Executed> {
  const final = reveal(stored, endpoint.secret === true, keyring, replyLocation(approval.storeId, operation.key));
  const { approvalId, executionRound: round } = approval;
  const isOfNobody = await isOfNobodyNow(tx, approval);
  const executed = { status: final.status, code: codeOf(final), round };
  if (executed.code === STALE) await showAnew(tx, approvalId, round, (final.body as StaleReply).details.preview);
  else await recordResult(tx, approvalId, resultOf(approval, endpoint, final, keyring));
  if (isOfNobody) await clearRecords(tx, approval.params['customerId']!);
  return executed;
}

/** What is shown of an answer, and what of it only to the requesting principal. */
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
