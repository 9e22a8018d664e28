/** The clock of a sandbox store: an offset in milliseconds that only grows, advanced by one request at a time under a lease. */
import { Fault } from '../../domain/kernel/errors.ts';
import { DAY } from '../../domain/kernel/time.ts';
import { type Em, sql } from '../kernel/tx.ts';
import type { OperationKey } from '../runs/operations.ts';
import type { RunRow } from '../runs/rows.ts';

const LEASE_MS = 15_000;

/** Acquires or renews the lease; false while another request holds it. Real time. */
export async function acquireClockLease(em: Em, storeId: string, holder: string, realNow: number): Promise<boolean> {
  const rows = await sql(
    em,
    `UPDATE store SET clock_lease = ?, clock_lease_until = ? WHERE store_id = ?
       AND (clock_lease IS NULL OR clock_lease = ? OR clock_lease_until < ?) RETURNING 1 AS ok`,
    [holder, new Date(realNow + LEASE_MS), storeId, holder, new Date(realNow)],
  );
  return rows.length > 0;
}
export const releaseClockLease = (em: Em, storeId: string, holder: string) =>
  sql(em, 'UPDATE store SET clock_lease = NULL, clock_lease_until = NULL WHERE store_id = ? AND clock_lease = ?', [storeId, holder]);

export async function readOffset(em: Em, storeId: string): Promise<number> {
  const [row] = await sql<{ clock_offset_ms: string }>(em, 'SELECT clock_offset_ms FROM store WHERE store_id = ?', [storeId]);
  return Number(row?.clock_offset_ms ?? 0);
}

/** Sets the offset, unless it is larger already. */
export const raiseOffset = (em: Em, storeId: string, offsetMs: number) =>
  sql(em, 'UPDATE store SET clock_offset_ms = greatest(clock_offset_ms, ?) WHERE store_id = ?', [offsetMs, storeId]);

/** The first business time, up to `until`, at which a run has something to do besides a poll; null when none has. */
export async function nextWake(em: Em, storeId: string, until: number): Promise<number | null> {
  const [row] = await sql<{ wake_at: string | null }>(
    em,
    'SELECT min(wake_at) AS wake_at FROM run WHERE store_id = ? AND done_at IS NULL AND NOT is_poll_only AND wake_at <= ?',
    [storeId, new Date(until)],
  );
  return row?.wake_at ? Date.parse(row.wake_at) : null;
}

/**
 * Open runs of the store; `dueAt`: only those that are due by then. Without deliveries whose start is in the outbox: the relay limits how
 * many are started at a time, and they read the clock when they start.
 */
export const openRuns = (em: Em, storeId: string, dueAt: number | null): Promise<RunRow[]> =>
  sql<RunRow>(
    em,
    `SELECT store_id, workflow_type, workflow_id, entity_id, order_no FROM run r
     WHERE store_id = ? AND done_at IS NULL AND (?::timestamptz IS NULL OR wake_at <= ?)
       AND NOT (workflow_type = 'webhookDelivery' AND loaded_at IS NULL
         AND EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = r.store_id AND o.workflow_id = r.workflow_id))`,
    [storeId, dueAt === null ? null : new Date(dueAt), dueAt === null ? null : new Date(dueAt)],
  );

/**
 * Whether no run is due by `at` and no outbox row waits for the relay, other than starts that are delayed on purpose. Cleanup after a
 * deleted or suspended webhook is not visible to clients and not counted.
 */
export async function isQuiet(em: Em, storeId: string, at: number): Promise<boolean> {
  const [row] = await sql<{ busy: boolean }>(
    em,
    `SELECT EXISTS (SELECT 1 FROM run WHERE store_id = ? AND done_at IS NULL AND wake_at <= ? AND workflow_type <> 'webhookSubscription')
         OR EXISTS (SELECT 1 FROM outbox WHERE store_id = ? AND (not_before IS NULL OR attempts > 0)) AS busy`,
    [storeId, new Date(at), storeId],
  );
  return row?.busy === false;
}

/** Stores the target of an advance under its idempotency key, or returns the stored one of the same request. Business time. */
export async function storeTarget(em: Em, storeId: string, operation: OperationKey, to: number, realNow: number): Promise<number> {
  const { principal, key, id, fingerprint } = operation;
  const [row] = await sql<{ fingerprint: string; body: { to: number } }>(
    em,
    `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, body, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, principal, key) DO UPDATE SET key = excluded.key RETURNING fingerprint, body`,
    [storeId, principal, key, id, fingerprint, JSON.stringify({ to }), new Date(realNow), new Date(realNow + DAY)],
  );
  if (row!.fingerprint !== fingerprint) throw new Fault('IDEMPOTENCY_KEY_REUSED');
  return row!.body.to ?? to;
}
