/** Idempotency keys: one row per (store, principal, key), written in the transaction of the change. */
import { createHash } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { DAY } from '../../domain/kernel/time.ts';
import type { Tx } from '../kernel/tx.ts';

export interface OperationKey {
  readonly principal: string;
  /** The `hashKey` of the client's key, because it passes through Temporal (X24). */
  readonly key: string;
  /** The endpoint's id. */
  readonly id: string;
  /** SHA-256 of operation, path, query and canonical body, in which passwords are replaced by a keyed digest. */
  readonly fingerprint: string;
  /** The customer that the path names: their withdrawal deletes the reply. */
  readonly customerId?: string | undefined;
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
const RETENTION_MS = DAY;
/** The principals of executions of approved requests: their keys last as long as the requests, so that none is ever carried out twice. */
const EXECUTION_PREFIX = 'approval/';
const EXECUTION_MS = 366 * DAY;
const expiryOf = ({ principal }: OperationKey, realNow: number): Date =>
  new Date(realNow + (principal.startsWith(EXECUTION_PREFIX) ? EXECUTION_MS : RETENTION_MS));

/** A key in the form in which it is stored, and in which a command carries it: no text of clients in Temporal. */
export const hashKey = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/**
 * Reserves a key for this transaction, or returns the stored reply. A concurrent duplicate waits for the commit of the first (at most
 * lock_timeout). IDEMPOTENCY_KEY_REUSED when the key belongs to another request, IDEMPOTENCY_IN_PROGRESS when it has no reply yet.
 */
export async function reserveOperation(tx: Tx, o: OperationKey): Promise<'new' | StoredReply> {
  const { realNow } = tx;
  const now = new Date(realNow);
  if ((await reserve(tx, o, now)).length > 0) return 'new';
  const stored = await storedReply(tx, o);
  if (!stored) throw new Fault('IDEMPOTENCY_IN_PROGRESS');
  return stored;
}

const reserve = ({ sql, storeId }: Tx, o: OperationKey, now: Date): Promise<object[]> =>
  sql`INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, customer_id, created_at, expires_at)
    VALUES (${storeId}, ${o.principal}, ${o.key}, ${o.id}, ${o.fingerprint}, ${o.customerId ?? null}, ${now}, ${expiryOf(o, now.getTime())})
     ON CONFLICT (store_id, principal, key) DO UPDATE SET operation_id = excluded.operation_id, fingerprint = excluded.fingerprint,
       customer_id = excluded.customer_id, status = NULL, body = NULL, location = NULL, created_at = excluded.created_at,
         expires_at = excluded.expires_at
     WHERE operation.expires_at <= excluded.created_at RETURNING key`;

/** Whether this is the first commit of what happens once under this key; a concurrent one waits for it. The row is read by nobody else. */
export const isFirst = async (tx: Tx, o: OperationKey): Promise<boolean> => (await reserve(tx, o, new Date(tx.realNow))).length > 0;

/** Stores the reply under a reserved key. */
export async function completeOperation({ sql, storeId, feed }: Tx, o: OperationKey, reply: StoredReply): Promise<void> {
  feed.replied(o);
  await sql`UPDATE operation SET status = ${reply.status}, body = ${JSON.stringify(reply.body ?? null)},
    location = ${reply.location ?? null} WHERE store_id = ${storeId} AND principal = ${o.principal} AND key = ${o.key}`;
}

/** The reply stored under this key, or null. IDEMPOTENCY_KEY_REUSED when the key belongs to another request. */
export async function storedReply({ sql, storeId, realNow }: Tx, o: OperationKey): Promise<StoredReply | null> {
  const [row] =
    await sql<Row>`SELECT fingerprint, status, body, location FROM operation WHERE store_id = ${storeId} AND principal = ${o.principal}
      AND key = ${o.key} AND expires_at > ${new Date(realNow)}`;
  if (!row) return null;
  if (row.fingerprint !== o.fingerprint) throw new Fault('IDEMPOTENCY_KEY_REUSED');
  return row.status === null ? null : { status: row.status, body: row.body, location: row.location };
}

/** Whether a reply is stored under this key, whatever the request was. */
export async function hasReply(
  { sql, storeId, realNow }: Tx,
  { principal, key }: Pick<OperationKey, 'principal' | 'key'>,
): Promise<boolean> {
  const rows = await sql`SELECT 1 AS ok FROM operation WHERE store_id = ${storeId} AND principal = ${principal} AND key = ${key}
    AND expires_at > ${new Date(realNow)}`;
  return rows.length > 0;
}

/** Stores a reply outside a transition: a refusal of the handler (D78), results of a bulk. An existing row stays. */
export async function storeReply({ sql, storeId, realNow }: Tx, o: OperationKey, reply: StoredReply): Promise<void> {
  await sql`INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, customer_id, status, body, created_at, expires_at)
     VALUES (${storeId}, ${o.principal}, ${o.key}, ${o.id}, ${o.fingerprint}, ${o.customerId ?? null}, ${reply.status},
       ${JSON.stringify(reply.body)}, ${new Date(realNow)}, ${expiryOf(o, realNow)}) ON CONFLICT DO NOTHING`;
}
