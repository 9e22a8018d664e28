/** Answers of requests, and those that are stored under idempotency keys. */
import { replayApproval } from '../../db/approvals/commands.ts';
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { type StoredReply, storedReply, storeReply } from '../../db/runs/operations.ts';
import type { Fault } from '../../domain/kernel/errors.ts';
import { approvalAnswer } from './approvalAnswer.ts';
import type { Answer } from '../declare/answer.ts';
import { recordIn } from './audit.ts';
import { replyLocation, reveal } from './idempotency.ts';
import { refusal } from '../web/envelope.ts';
import type { Request } from '../declare/request.ts';

const replay = ({ status, body, location }: StoredReply): Answer => ({
  status,
  body,
  headers: { 'Idempotent-Replayed': 'true', ...(location && { Location: location }) },
});

/**
 * The answer to a request whose key has a stored reply, and its record: that reply, or how the request that waits for an approval under
 * this key stands now.
 */
export async function replayIn(tx: Tx, request: Request, stored: StoredReply): Promise<Answer> {
  const { endpoint, deps, caller, operation } = request;
  const approval = caller.isAgent && stored.status === 202 ? await replayApproval(tx, operation) : null;
  if (approval) {
    const answer = await approvalAnswer(tx, { approval, isReplay: true }, deps);
    const outcome = answer.status === 202 ? 'PENDING_APPROVAL' : 'SUCCEEDED';
    await recordIn(tx, request, { outcome, statusCode: answer.status, approvalId: approval.approvalId, isReplayed: true });
    return answer;
  }
  const isRefused = stored.status >= 300;
  await recordIn(tx, request, {
    outcome: isRefused ? 'FAILED' : 'SUCCEEDED',
    statusCode: stored.status,
    errorCode: isRefused ? (stored.body as { readonly code: string }).code : null,
    isReplayed: true,
  });
  return replay(reveal(stored, endpoint.secret === true, deps.keyring, replyLocation(caller.storeId, operation.key)));
}

/** The same, when there is a reply; null: none. */
export const replayed = (request: Request): Promise<Answer | null> =>
  inTenant(request.deps.orm, request.caller, REQUEST, async (tx) => {
    for (const one of [request, ...formerly(request)]) {
      const stored = await storedReply(tx, one.operation);
      if (stored) return replayIn(tx, one, stored);
    }
    return null;
  });

/**
 * The request under its key as it was sent: that is how keys of changes in one transaction were stored until version 0.1.0. Such rows, and
 * those of processes that have not been replaced yet, are found for their 24 hours.
 */
function formerly(request: Request): Request[] {
  const { sentKey: key, endpoint, operation } = request;
  if (key === null || endpoint.change === 'workflow' || key.startsWith('sha256:')) return [];
  return [{ ...request, operation: { ...operation, key } }];
}

/**
 * Stores a refusal of the handler, but never 401, 403, 429, validation errors or 5xx. When a concurrent duplicate succeeded
 * meanwhile, returns its reply.
 */
export async function storeRefusal(request: Request, fault: Fault): Promise<Answer | null> {
  const { deps, caller, endpoint, operation } = request;
  const { status, error: body } = refusal(fault, endpoint.statuses);
  const isStored = (status === 404 || status === 409 || status === 400) && !NOT_STORED.has(fault.code);
  if (!isStored) return null;
  const reply = { status, body };
  await inTenant(deps.orm, caller, REQUEST, (tx) => storeReply(tx, operation, reply));
  return inTenant(deps.orm, caller, REQUEST, async (tx) => {
    const stored = await storedReply(tx, operation);
    return stored && stored.status < 300 ? replayIn(tx, request, stored) : null;
  });
}
const NOT_STORED: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS']);
