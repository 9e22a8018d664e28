/** Suspension of receivers that fail (docs/contract.md#deliveries, D85), decided at each failure under the lock of the subscription. */
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import { afterFailure, PORTION } from '../../domain/webhooks/rules.ts';
import { EMPTY, type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Webhook, WebhookDelivery } from './entities.ts';
import { wakeSubscriptionRun } from './commands.ts';
import { readWebhook } from './queries.ts';

type Of = Pick<WebhookDelivery, 'storeId' | 'webhookId'>;
/** A subscription whose deliveries of earlier epochs were ended by a suspension. */
export type EndedSubscription = Pick<Webhook, 'storeId' | 'webhookId' | 'epoch'>;

/** Resets the failures after a success; does not lift a suspension (D16). */
export const forgetFailures = ({ sql }: Tx, { storeId, webhookId }: Of): Promise<object[]> =>
  sql`UPDATE webhook SET first_failure_at = NULL, last_failure_at = NULL
     WHERE store_id = ${storeId} AND webhook_id = ${webhookId} AND status = 'ACTIVE' AND first_failure_at IS NOT NULL`;

/** Records a failure; true when the subscription is suspended, by this failure or before. Its run then ends waiting deliveries. */
export async function recordFailure(tx: Tx, { storeId, webhookId }: Of): Promise<boolean> {
  const { sql, at } = tx;
  const [row] = await sql<{ status: string }>`
    SELECT status FROM webhook WHERE store_id = ${storeId} AND webhook_id = ${webhookId} FOR NO KEY UPDATE`;
  // A deleted subscription is SUSPENDED too.
  if (row?.status !== 'ACTIVE') return true;
  const webhook = await readWebhook(tx, webhookId);
  const { firstFailureAt = null, lastFailureAt = null } = webhook;
  const after = afterFailure({ firstFailureAt: msOf(firstFailureAt), lastFailureAt: msOf(lastFailureAt) }, at);
  webhook.firstFailureAt = dateOf(after.firstFailureAt);
  webhook.lastFailureAt = dateOf(after.lastFailureAt);
  if (!after.isSuspended) return false;
  webhook.status = 'SUSPENDED';
  webhook.suspendedAt = new Date(at);
  webhook.epoch++;
  await wakeSubscriptionRun(tx, webhook);
  return true;
}

/**
 * Ends one portion of the deliveries that waited at the last suspension, oldest first, with their runs, except those with an attempt in
 * flight. Returns the number. Rows that others have locked are waited for, or skipped (SKIP LOCKED).
 */
export async function endPortion(tx: Tx, ended: EndedSubscription, others: 'wait' | 'pass over'): Promise<number> {
  const { sql, storeId } = tx;
  const due = await sql<Id>`
    SELECT delivery_id FROM webhook_delivery WHERE ${endedBySuspension(ended, storeId)} ORDER BY epoch, delivery_id LIMIT ${PORTION}
     FOR UPDATE ${others === 'wait' ? EMPTY : fragment`SKIP LOCKED`}`;
  await sql`UPDATE webhook_delivery SET status = 'FAILED', error_code = 'WEBHOOK_SUSPENDED', next_attempt_at = NULL
     WHERE store_id = ${storeId} AND delivery_id = ANY(${idsOf(due)}::text[])`;
  await endRuns(tx, due);
  return due.length;
}

export interface Id {
  readonly delivery_id: string;
}
/** The ids as an array, so that Postgres uses the primary key whatever its statistics. */
export const idsOf = (due: readonly Id[]): string[] => due.map((row) => row.delivery_id);

/** Marks the runs of these deliveries as done. */
export const endRuns = ({ sql, storeId, realNow }: Tx, due: readonly Id[]): Promise<object[]> =>
  sql`UPDATE run SET done_at = ${new Date(realNow)}, wake_at = NULL WHERE store_id = ${storeId} AND workflow_type = 'webhookDelivery'
    AND entity_id = ANY(${idsOf(due)}::text[])
     AND done_at IS NULL`;

/** Whether deliveries are left that a suspension has ended and whose rows do not say so. */
export async function hasUnended({ sql, storeId }: Tx, ended: EndedSubscription): Promise<boolean> {
  return (await sql`SELECT 1 AS ok FROM webhook_delivery WHERE ${endedBySuspension(ended, storeId)} LIMIT 1`).length > 0;
}

/** The condition of `isOver`. */
const endedBySuspension = ({ webhookId, epoch }: EndedSubscription, storeId: string): Fragment =>
  fragment`store_id = ${storeId} AND webhook_id = ${webhookId} AND status IN ('PENDING', 'PENDING_RETRY') AND epoch < ${epoch}
  AND (attempt_count = 0 OR next_attempt_at IS NOT NULL)`;
