/** Approval requests: created with their run and their key, found again by the key. */
import {
  type ApproverNeeds,
  isSamePreview,
  MAX_PENDING,
  MAX_RETRY_MS,
  PENDING_MS,
  type Preview,
  RETENTION_MS,
  type TokenRef,
} from '../../domain/approvals/rules.ts';
import type { Acting } from '../../domain/identity/actors.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { openRun, reopenRun } from '../runs/commands.ts';
import { type OperationKey, reserveOperation, type StoredReply, storedReply } from '../runs/operations.ts';
import { type ApprovalRequest, ApprovalRequestEntity } from './entities.ts';
import { approvalRun, noticeRun } from './queries.ts';

export interface NewApproval extends ApproverNeeds {
  readonly operation: OperationKey;
  /** The client sent the key; without one every call makes another request (G19). */
  readonly keyed: boolean;
  readonly reason: string;
  readonly actor: Acting;
  readonly tokenRef: TokenRef;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly params: Readonly<Record<string, string>>;
    readonly querystring: string;
    readonly body: unknown;
    /** By lower-case name: `if-match`. */
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly preview: Preview;
}
/** A request that waits, new or made earlier under this key; or another reply that is stored under it. */
export type CreatedApproval =
  | { readonly approval: ApprovalRequest; readonly isReplay: boolean }
  | { readonly approval: null; readonly stored: StoredReply };

/**
 * Files a request in the caller's transaction: its row, its run, the key, and the mail to those who may approve it. A concurrent duplicate
 * waits for the first and finds it. IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS; TOO_MANY_REQUESTS where too many wait already.
 */
export async function createApproval(tx: Tx, wanted: NewApproval): Promise<CreatedApproval> {
  const { operation, keyed } = wanted;
  const earlier = keyed ? await reserveOperation(tx, operation) : 'new';
  if (earlier !== 'new') {
    const approval = await approvalOf(tx, earlier);
    return approval ? { approval, isReplay: true } : { approval: null, stored: earlier };
  }
  await lockNotices(tx);
  await checkPending(tx, operation.principal);
  const approval = await insertApproval(tx, wanted);
  const { storeId, approvalId, expiresAt } = approval;
  openRun(tx, { ...approvalRun(storeId, approvalId), wakeAt: expiresAt.getTime(), status: 'PENDING', createdAt: tx.realNow });
  if (keyed) await retainKey(tx, operation, approvalId);
  await reopenRun(tx, noticeRun(storeId), tx.at);
  return { approval, isReplay: false };
}

/** The request that was made under this key; null when there is none. IDEMPOTENCY_KEY_REUSED. */
export async function replayApproval(tx: Tx, operation: OperationKey): Promise<ApprovalRequest | null> {
  const stored = await storedReply(tx, operation);
  return stored && approvalOf(tx, stored);
}

/** The request that a stored reply stands for; null: it is another reply. */
async function approvalOf({ em, storeId }: Tx, { status, body }: StoredReply): Promise<ApprovalRequest | null> {
  const { approvalId } = (body ?? {}) as { readonly approvalId?: unknown };
  if (status !== 202 || typeof approvalId !== 'string') return null;
  return em.findOne(ApprovalRequestEntity, { storeId, approvalId });
}

async function insertApproval(tx: Tx, wanted: NewApproval): Promise<ApprovalRequest> {
  const { em, storeId, at } = tx;
  const { operation, keyed, actor, request, preview, reason, tokenRef, approverRole, requiredScopes } = wanted;
  const approval = em.create(ApprovalRequestEntity, {
    ...request,
    body: request.body ?? null,
    storeId,
    approvalId: newId('apr', at),
    status: 'PENDING',
    operationId: operation.id,
    reason,
    principal: operation.principal,
    tokenRef,
    actorType: actor.type,
    actorId: actor.id,
    actorName: actor.name ?? (await nameOf(tx, actor)),
    via: actor.via,
    onBehalfOf: actor.onBehalfOf,
    key: keyed ? operation.key : null,
    fingerprint: operation.fingerprint,
    preview,
    requiredScopes: [...requiredScopes],
    approverRole,
    createdAt: new Date(at),
    expiresAt: new Date(at + PENDING_MS),
    attempts: 0,
    resultData: null,
    resultError: null,
  });
  em.persist(approval);
  await em.flush();
  return approval;
}

/** The name of the token or client at this time. */
async function nameOf({ sql }: Tx, { type, id }: Acting): Promise<string | null> {
  const [row] = await sql<{ name: string | null }>`SELECT actor_name(${type}, ${id}) AS name`;
  return row?.name ?? null;
}

/** The key leads to the request for as long as there is one. */
async function retainKey({ sql, storeId, realNow }: Tx, { principal, key }: OperationKey, approvalId: string): Promise<void> {
  await sql`UPDATE operation SET status = 202, body = ${JSON.stringify({ approvalId })}, expires_at = ${new Date(realNow + RETENTION_MS)}
    WHERE store_id = ${storeId} AND principal = ${principal} AND key = ${key}`;
}

/**
 * The store's mails are written by a run of their own, which this request wakes. The row is locked: requests that are made at once are
 * counted and reopen the run one after the other.
 */
async function lockNotices({ sql, storeId }: Tx): Promise<void> {
  await sql`INSERT INTO approval_notice (store_id, round, mails) VALUES (${storeId}, 0, '[]')
    ON CONFLICT (store_id) DO UPDATE SET round = approval_notice.round`;
}

/** TOO_MANY_REQUESTS, with the seconds after which the first of those that wait expires. Whoever may file holds the lock. */
async function checkPending({ sql, storeId, at }: Tx, principal: string): Promise<void> {
  const [waiting] = await sql<{ store: string; own: string; store_until: Date | null; own_until: Date | null }>`
    SELECT count(*) AS store, count(*) FILTER (WHERE principal = ${principal}) AS own,
      min(expires_at) AS store_until, min(expires_at) FILTER (WHERE principal = ${principal}) AS own_until
      FROM approval_request WHERE store_id = ${storeId} AND status = 'PENDING' AND expires_at > ${new Date(at)}`;
  const { store, own, store_until, own_until } = waiting!;
  const isOwn = Number(own) >= MAX_PENDING.principal;
  if (!isOwn && Number(store) < MAX_PENDING.store) return;
  const until = msOf(isOwn ? own_until : store_until) ?? at;
  const limit = isOwn ? MAX_PENDING.principal : MAX_PENDING.store;
  const retryAfter = Math.ceil(Math.min(until - at, MAX_RETRY_MS) / 1000);
  throw new Fault('TOO_MANY_REQUESTS', { details: { pendingApprovals: Number(isOwn ? own : store), limit, retryAfter } });
}

/** The execution of an approved request: what was approved. */
export interface Approved {
  readonly approvalId: string;
  readonly approved: Preview;
}
/** The levels that are carried out, where others have moved them since they were shown (G51). In the transaction that does it. */
export async function renewPreview({ sql, storeId }: Tx, { approvalId, approved }: Approved, preview: Preview): Promise<void> {
  if (isSamePreview(approved, preview)) return;
  await sql`UPDATE approval_request SET preview = ${JSON.stringify(preview)}
    WHERE store_id = ${storeId} AND approval_id = ${approvalId} AND status = 'EXECUTING'`;
}

/** Shows a request anew that would do something else than what its approver saw; it is not carried out in this round. */
export async function showAnew({ sql, storeId }: Tx, approvalId: string, round: number, preview: Preview): Promise<void> {
  await sql`UPDATE approval_request SET preview = ${JSON.stringify(preview)}
    WHERE store_id = ${storeId} AND approval_id = ${approvalId} AND status IN ('EXECUTING', 'UNKNOWN') AND execution_round = ${round}`;
}

export interface NewResult {
  readonly requestId: string;
  /** Without secrets. */
  readonly data: unknown;
  readonly error: unknown;
  readonly sealed: string | null;
}
/** Writes what an execution answered; its status and code come with the transition. Every try writes the same. */
export async function recordResult({ sql, storeId }: Tx, approvalId: string, result: NewResult): Promise<void> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  await sql`UPDATE approval_request SET result_request_id = ${result.requestId}, result_data = ${json(result.data)},
      result_error = ${json(result.error)}, result_sealed = ${result.sealed}
    WHERE store_id = ${storeId} AND approval_id = ${approvalId} AND status IN ('EXECUTING', 'UNKNOWN')`;
}
