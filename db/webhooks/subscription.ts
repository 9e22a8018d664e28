/** A subscription's transition: cleanup after a suspension or deletion, a portion at a time. */
import type { RunRef } from '../../workflows/kernel/messages.ts';
import { PORTION } from '../../domain/webhooks/rules.ts';
import type { Tx } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import type { Webhook } from './entities.ts';
import { endPortion, endRuns, hasUnended, type Id, idsOf, type EndedSubscription } from './suspension.ts';

/** The pause between portions, and when all remaining rows are locked by others. */
const PAUSE_MS = 10;
const LOCKED_MS = 1000;

interface Row {
  readonly status: Webhook['status'];
  readonly epoch: number;
  readonly is_deleted: boolean;
  readonly clock_offset_ms: string;
}

/** One portion, whatever the event. The lock excludes a concurrent suspension or deletion. */
export async function transitionWebhookSubscription(
  tx: Tx,
  { storeId, entityId: webhookId }: RunRef,
): Promise<TransitionResult<'webhookSubscription'> | null> {
  const { sql, at } = tx;
  const [row] = await sql<Row>`SELECT w.status, w.epoch, w.deleted_at IS NOT NULL AS is_deleted, s.clock_offset_ms FROM webhook w
      JOIN store s USING (store_id)
     WHERE w.store_id = ${storeId} AND w.webhook_id = ${webhookId} FOR NO KEY UPDATE OF w`;
  if (!row) return null;
  const left: EndedSubscription = { storeId, webhookId, epoch: row.epoch };
  const status = row.is_deleted ? 'DELETED' : row.status;
  const pause = row.is_deleted ? await deleteSome(tx, left) : await endSome(tx, left);
  const clock = Number(row.clock_offset_ms);
  if (pause === null) return { plan: { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status }, clock };
  const note = row.is_deleted ? 'Deletes the records of a deleted webhook.' : 'Ends what waited when the webhook was suspended.';
  // Not visible to clients: an advance of a sandbox clock does not stop for it.
  return { plan: { wakeAt: at + pause, calls: [], isPollOnly: true, done: false, note, status }, clock };
}

/** Ends one portion of waiting deliveries; returns the pause in milliseconds, or null when nothing is left. */
async function endSome(tx: Tx, left: EndedSubscription): Promise<number | null> {
  if ((await endPortion(tx, left, 'pass over')) === PORTION) return PAUSE_MS;
  return (await hasUnended(tx, left)) ? LOCKED_MS : null;
}

async function deleteSome(tx: Tx, left: EndedSubscription): Promise<number | null> {
  const { sql } = tx;
  const { storeId, webhookId } = left;
  if ((await deletePortion(tx, left)) === PORTION) return PAUSE_MS;
  // FOR UPDATE waits for events that were being written at the deletion; none follows.
  await sql`SELECT 1 FROM webhook WHERE store_id = ${storeId} AND webhook_id = ${webhookId} FOR UPDATE`;
  const gone = await sql`DELETE FROM webhook w WHERE w.store_id = ${storeId} AND w.webhook_id = ${webhookId}
       AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.store_id = w.store_id AND d.webhook_id = w.webhook_id) RETURNING 1 AS ok`;
  return gone.length > 0 ? null : LOCKED_MS;
}

async function deletePortion(tx: Tx, { storeId, webhookId }: EndedSubscription): Promise<number> {
  const { sql } = tx;
  const due =
    await sql<Id>`SELECT delivery_id FROM webhook_delivery WHERE store_id = ${storeId} AND webhook_id = ${webhookId} LIMIT ${PORTION}
      FOR UPDATE SKIP LOCKED`;
  await sql`DELETE FROM webhook_delivery WHERE store_id = ${storeId} AND delivery_id = ANY(${idsOf(due)}::text[])`;
  await endRuns(tx, due);
  return due.length;
}
