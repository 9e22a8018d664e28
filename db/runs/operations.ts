/** The idempotency store: one row per (store, principal, key), written in the transaction of what it protects (D26). */
import { createHash } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { DAY } from '../../domain/kernel/time.ts';
import { type Em, sql } from '../kernel/tx.ts';

export interface OperationKey {
  readonly principal: string;
  /** As the client sent it; a command's as `hashKey` makes it, because it goes through Temporal (X24). */
  readonly key: string;
  /** The endpoint's id. */
  readonly id: string;
  /** SHA-256 of the operation, path, query and canonical body; of a password only its digest under our key. */
  readonly fingerprint: string;
}
export interface StoredReply {
  readonly status: number;
  readonly body: unknown;
  /** The `Location` header, where the reply had one. */
  readonly location?: string | null;
}
interface Row {
  readonly fingerprint: string;
  readonly status: number | null;
  readonly body: unknown;
  readonly location: string | null;
}
const KEPT_MS = DAY;

/** The form of a key that a command carries: nothing that a client typed stands in Temporal (X24). */
export const hashKey = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/**
 * Reserves the key for this transaction, or answers what was stored under it. A parallel twin waits for the other's
 * commit (lock_timeout). Another request under the same key: IDEMPOTENCY_KEY_REUSED.
 */
export async function reserveOperation(em: Em, storeId: string, o: OperationKey, realNow: number): Promise<'new' | StoredReply> {
  const now = new Date(realNow);
  if ((await reserve(em, storeId, o, now)).length > 0) return 'new';
  const stored = await storedReply(em, storeId, o, realNow);
  if (!stored) throw new Fault('IDEMPOTENCY_IN_PROGRESS');
  return stored;
}

const reserve = (em: Em, storeId: string, o: OperationKey, now: Date): Promise<object[]> =>
  sql(
    em,
    `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, principal, key) DO UPDATE SET operation_id = excluded.operation_id, fingerprint = excluded.fingerprint,
       status = NULL, body = NULL, location = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
     WHERE operation.expires_at <= excluded.created_at RETURNING key`,
    [storeId, o.principal, o.key, o.id, o.fingerprint, now, new Date(now.getTime() + KEPT_MS)],
  );

/** Stores the reply under a reserved key. */
export async function completeOperation(em: Em, storeId: string, o: OperationKey, reply: StoredReply): Promise<void> {
  await sql(em, `UPDATE operation SET status = ?, body = ?, location = ? WHERE store_id = ? AND principal = ? AND key = ?`, [
    reply.status,
    JSON.stringify(reply.body ?? null),
    reply.location ?? null,
    storeId,
    o.principal,
    o.key,
  ]);
}

/** What was answered under this key, or null. Throws IDEMPOTENCY_KEY_REUSED when it was another request. */
export async function storedReply(em: Em, storeId: string, o: OperationKey, realNow: number): Promise<StoredReply | null> {
  const [row] = await sql<Row>(
    em,
    `SELECT fingerprint, status, body, location FROM operation WHERE store_id = ? AND principal = ? AND key = ? AND expires_at > ?`,
    [storeId, o.principal, o.key, new Date(realNow)],
  );
  if (!row) return null;
  if (row.fingerprint !== o.fingerprint) throw new Fault('IDEMPOTENCY_KEY_REUSED');
  return row.status === null ? null : { status: row.status, body: row.body, location: row.location };
}

/** Remembers an answer that no transition stored: a refusal of the handler (D78), a bulk's results. Whoever stored first wins. */
export async function storeReply(em: Em, storeId: string, o: OperationKey, reply: StoredReply, realNow: number): Promise<void> {
  await sql(
    em,
    `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, status, body, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    [
      storeId,
      o.principal,
      o.key,
      o.id,
      o.fingerprint,
      reply.status,
      JSON.stringify(reply.body),
      new Date(realNow),
      new Date(realNow + KEPT_MS),
    ],
  );
}
