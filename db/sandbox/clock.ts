/** The clock of a sandbox store: an offset in milliseconds that only grows, advanced by one request at a time under a lease. */
import { Fault } from '../../domain/kernel/errors.ts';
import { dateOf, DAY, msOf } from '../../domain/kernel/time.ts';
import type { Tx } from '../kernel/tx.ts';
import type { OperationKey } from '../runs/operations.ts';
import type { RunRow } from '../runs/rows.ts';

const LEASE_MS = 15_000;

/** Acquires or renews the lease; false while another request holds it. Real time. */
export async function acquireClockLease({ sql, storeId, realNow }: Tx, holder: string): Promise<boolean> {
  const rows =
    await sql`UPDATE store SET clock_lease = ${holder}, clock_lease_until = ${new Date(realNow + LEASE_MS)} WHERE store_id = ${storeId}
       AND (clock_lease IS NULL OR clock_lease = ${holder} OR clock_lease_until < ${new Date(realNow)}) RETURNING 1 AS ok`;
  return rows.length > 0;
}
export const releaseClockLease = ({ sql, storeId }: Tx, holder: string) =>
  sql`UPDATE store SET clock_lease = NULL, clock_lease_until = NULL WHERE store_id = ${storeId} AND clock_lease = ${holder}`;

export async function readOffset({ sql, storeId }: Tx): Promise<number> {
  const [row] = await sql<{ clock_offset_ms: string }>`SELECT clock_offset_ms FROM store WHERE store_id = ${storeId}`;
  return Number(row?.clock_offset_ms ?? 0);
}

/** Sets the offset, unless it is larger already. */
export const raiseOffset = ({ sql, storeId }: Tx, offsetMs: number) =>
  sql`UPDATE store SET clock_offset_ms = greatest(clock_offset_ms, ${offsetMs}) WHERE store_id = ${storeId}`;

/** The first business time, up to `until`, at which a run has something to do besides a poll; null when none has. */
export async function nextWake({ sql, storeId }: Tx, until: number): Promise<number | null> {
  const [row] = await sql<{ wake_at: string | null }>`
    SELECT min(wake_at) AS wake_at FROM run WHERE store_id = ${storeId} AND done_at IS NULL AND NOT is_poll_only
    AND wake_at <= ${new Date(until)}`;
  return msOf(row?.wake_at);
}

/**
 * Open runs of the store; `dueAt`: only those that are due by then. Without deliveries whose start is in the outbox: the relay limits how
 * many are started at a time, and they read the clock when they start.
 */
export const openRuns = ({ sql, storeId }: Tx, dueAt: number | null): Promise<RunRow[]> =>
  sql<RunRow>`SELECT store_id, workflow_type, workflow_id, entity_id, order_no FROM run r
     WHERE store_id = ${storeId} AND done_at IS NULL AND (${dateOf(dueAt)}::timestamptz IS NULL
       OR wake_at <= ${dateOf(dueAt)})
       AND NOT (workflow_type = 'webhookDelivery' AND loaded_at IS NULL
         AND EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = r.store_id AND o.workflow_id = r.workflow_id))`;

/**
 * Whether no run is due by `at` and no outbox row waits for the relay, other than starts that are delayed on purpose. Cleanup after a
 * deleted or suspended webhook is not visible to clients and not counted.
 */
export async function isQuiet({ sql, storeId }: Tx, at: number): Promise<boolean> {
  const [row] = await sql<{ busy: boolean }>`
    SELECT EXISTS (SELECT 1 FROM run WHERE store_id = ${storeId} AND done_at IS NULL AND wake_at <= ${new Date(at)}
    AND workflow_type <> 'webhookSubscription')
         OR EXISTS (SELECT 1 FROM outbox WHERE store_id = ${storeId} AND (not_before IS NULL OR attempts > 0)) AS busy`;
  return row?.busy === false;
}

/** Stores the target of an advance under its idempotency key, or returns the stored one of the same request. Business time. */
export async function storeTarget({ sql, storeId, realNow }: Tx, operation: OperationKey, to: number): Promise<number> {
  const { principal, key, id, fingerprint } = operation;
  const [row] = await sql<{ fingerprint: string; body: { to: number } }>`
    INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, body, created_at, expires_at)
     VALUES (${storeId}, ${principal}, ${key}, ${id}, ${fingerprint}, ${JSON.stringify({ to })}, ${new Date(realNow)},
       ${new Date(realNow + DAY)})
     ON CONFLICT (store_id, principal, key) DO UPDATE SET key = excluded.key RETURNING fingerprint, body`;
  if (row!.fingerprint !== fingerprint) throw new Fault('IDEMPOTENCY_KEY_REUSED');
  return row!.body.to ?? to;
}
