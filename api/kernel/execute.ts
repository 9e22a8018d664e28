/**
 * Carries out approved requests: the port of the worker's activities (activities/kernel/deps.ts). An execution has an operation key of its
 * own, which is reserved in the transaction of the change; so it happens once, however often and wherever it is called. No try begins later
 * than a minute after the approval, and none ends long after it began: what has no answer by then is only looked up (G26, G27).
 */
import { createHash } from 'node:crypto';
import type { Executed, Execution, Executor } from '../../activities/providers/execution.ts';
import { type NewResult, recordResult } from '../../db/approvals/commands.ts';
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { findApproval, resultLocation } from '../../db/approvals/queries.ts';
import { keepCustomer } from '../../db/customers/locks.ts';
import { clearRecords } from '../../db/personalData/commands.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import type { Keyring } from '../../db/kernel/keyring.ts';
import { inTenant, realTime, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { readStore } from '../../db/stores/queries.ts';
import { hashKey, type OperationKey, type StoredReply, storedReply, storeReply } from '../../db/runs/operations.ts';
import { missingScopes, RETRY_MS } from '../../domain/approvals/rules.ts';

import { type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import { id } from '../../domain/kernel/ids.ts';
import { recordIn } from './audit.ts';
import { COMMAND_MS } from './commands.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { NEVER_GONE } from './gone.ts';
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
  /** Business time of the try, as it was planned. */
  readonly at: number;
  /** The real time at which it began, and the business time at that. */
  readonly realNow: number;
  readonly now: number;
  /** The customer whom it is about has withdrawn: of the request only a part is left (U13). */
  readonly isOfNobody: boolean;
}
type Reader = (incoming: Incoming) => Promise<ReadRequest>;

export function createExecutor(deps: ApiDeps, endpoints: readonly Endpoint[]): Executor {
  const known = new Map(endpoints.map((endpoint) => [endpoint.id as string, { endpoint, read: readerOf(endpoint) }]));
  const workOf = async ({ storeId, approvalId, at }: Execution): Promise<Work & { readonly read: Reader }> => {
    const realNow = deps.clock.now();
    const { approval, clockOffsetMs, isOfNobody } = await inTenant(deps.orm, realTime(storeId, realNow), REQUEST, async (tx) => {
      const found = await findApproval(tx, approvalId);
      // After the request: what is read whole is about somebody who was there.
      return { approval: found, clockOffsetMs: (await readStore(tx)).clockOffsetMs, isOfNobody: await isOfNobodyNow(tx, found) };
    });
    const found = known.get(approval.operationId);
    if (approval.decision !== 'APPROVE') throw new Error(`${approvalId} was not approved`);
    if (!found) throw new Error(`${approval.operationId} is no operation any more`);
    const key = `approval/${approvalId}`;
    const { operationId: id, fingerprint } = approval;
    // A principal of its own: no client can send a key that stands in its way.
    const operation = { principal: key, key: found.endpoint.change === 'workflow' ? hashKey(key) : key, id, fingerprint };
    return { approval, ...found, operation, at, realNow, now: Math.max(at, realNow + clockOffsetMs), isOfNobody };
  };
  return {
    async execute(execution) {
      const { read, ...work } = await workOf(execution);
      const { resultStatus, resultCode, executingSince } = work.approval;
      // A run that was reset repeats nothing: what is answered stays answered, and what is late is only looked up.
      if (resultStatus !== null && resultStatus !== undefined) return { status: resultStatus, code: resultCode ?? 'OK' };
      const isLate = executingSince === null || executingSince === undefined || work.now - executingSince.getTime() >= RETRY_MS;
      if (isLate) return findAnswer(deps, work);
      const attempted = await attempt(deps, work, read);
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

/** Its schemas are compiled with the first execution. */
function readerOf(endpoint: Endpoint): Reader {
  let reader: Reader | undefined;
  return (incoming) => (reader ??= createReader(endpoint))(incoming);
}

/** As a request of the agent, whose approval takes the place of what agents may not do. */
async function attempt(deps: ApiDeps, { approval, endpoint, operation, at, realNow, isOfNobody }: Work, read: Reader): Promise<Attempted> {
  const requestId = executionRequestId(approval);
  const incoming = incomingOf(approval);
  let caller: Caller | null = null;
  try {
    caller = await reauthenticate(approval, deps, { requestId, at, realNow });
    const missing = missingScopes(caller.scopes, endpoint.scopes ?? []);
    if (missing.length > 0) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: missing } });
    if (isOfNobody) throw new Fault('CUSTOMER_NOT_FOUND');
    const request = await validated(await read(incoming), { incoming, endpoint, deps, caller }, { hasOwnKey: true });
    return { answer: await perform({ ...request, operation, keyed: true, execution: { notAfter: realNow + COMMAND_MS } }), caller };
  } catch (error) {
    return { answer: refusalOf(asFault(error, deps.log, requestId), endpoint), caller };
  }
}

/** Stores the answer under the key unless another try has stored its own: what is stored is the answer of the execution. */
function conclude(deps: ApiDeps, work: Work, { answer, caller }: Attempted): Promise<Executed> {
  const { approval, endpoint, operation } = work;
  return inStoreOf(deps, work, async (tx) => {
    await storeReply(tx, operation, { status: answer.status, body: answer.body });
    const final = await recorded(tx, deps, work, (await storedReply(tx, operation)) ?? answer);
    // A success was recorded with its change.
    if (caller && final.status >= 300) {
      const ended = { outcome: final.status === 403 ? 'DENIED' : 'FAILED', statusCode: final.status, errorCode: final.code } as const;
      await recordIn(tx, { endpoint, deps, caller, incoming: incomingOf(approval) }, ended);
    }
    return final;
  });
}

/**
 * The answer that a try has stored, in the transaction of the change and of its audit record; null: none has. It stores nothing in its place:
 * a try that began in time may still end.
 */
const findAnswer = (deps: ApiDeps, work: Work): Promise<Executed | null> =>
  inStoreOf(deps, work, async (tx) => {
    const stored = await storedReply(tx, work.operation);
    return stored && recorded(tx, deps, work, stored);
  });

const inStoreOf = <T>({ orm, clock }: ApiDeps, { approval, at }: Work, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTenant(orm, { ...realTime(approval.storeId, clock.now()), at }, REQUEST, work);

/** Whether the customer whom a request is about is gone; one who is not stays to the end of the transaction. */
async function isOfNobodyNow(tx: Tx, { params: { customerId } }: ApprovalRequest): Promise<boolean> {
  return customerId !== undefined && !(await keepCustomer(tx, customerId));
}

/** Writes the answer into the request's record; where the customer has withdrawn meanwhile, without what is theirs. */
async function recorded(tx: Tx, { keyring }: ApiDeps, { approval, endpoint, operation }: Work, stored: StoredReply): Promise<Executed> {
  const final = reveal(stored, endpoint.secret === true, keyring, replyLocation(approval.storeId, operation.key));
  const isOfNobody = await isOfNobodyNow(tx, approval);
  await recordResult(tx, approval.approvalId, resultOf(approval, endpoint, final, keyring));
  if (isOfNobody) await clearRecords(tx, approval.params['customerId']!);
  return { status: final.status, code: codeOf(final) };
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
    gone: () => NEVER_GONE,
  };
}
