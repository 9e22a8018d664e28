/** Suspension of receivers that fail (docs/contract.md#deliveries, D85), decided at each failure under the lock of the subscription. */
import { afterFailure, PORTION } from '../../domain/webhooks/rules.ts';
import { type Em, sql, textArray } from '../kernel/tx.ts';
import type { Webhook, WebhookDelivery } from './entities.ts';
import { wakeSubscriptionRun } from './commands.ts';
import { readWebhook } from './queries.ts';

type Of = Pick<WebhookDelivery, 'storeId' | 'webhookId'>;
/** A subscription whose deliveries of earlier epochs were ended by a suspension. */
export type EndedSubscription = Pick<Webhook, 'storeId' | 'webhookId' | 'epoch'>;
const time = (ms: number | null) => (ms === null ? null : new Date(ms));

/** Resets the failures after a success; does not lift a suspension (D16). */
export const forgetFailures = (em: Em, { storeId, webhookId }: Of): Promise<object[]> =>
  sql(
    em,
    `UPDATE webhook SET first_failure_at = NULL, last_failure_at = NULL
     WHERE store_id = ? AND webhook_id = ? AND status = 'ACTIVE' AND first_failure_at IS NOT NULL`,
    [storeId, webhookId],
  );

/** Records a failure; true when the subscription is suspended, by this failure or before. Its run then ends waiting deliveries. */
export async function recordFailure(em: Em, { storeId, webhookId }: Of, at: number, realNow: number): Promise<boolean> {
  const [row] = await sql<{ status: string }>(em, 'SELECT status FROM webhook WHERE store_id = ? AND webhook_id = ? FOR NO KEY UPDATE', [
    storeId,
    webhookId,
  ]);
  // A deleted subscription is SUSPENDED too.
  if (row?.status !== 'ACTIVE') return true;
  const webhook = await readWebhook(em, storeId, webhookId);
  const { firstFailureAt = null, lastFailureAt = null } = webhook;
  const after = afterFailure({ firstFailureAt: firstFailureAt?.getTime() ?? null, lastFailureAt: lastFailureAt?.getTime() ?? null }, at);
  webhook.firstFailureAt = time(after.firstFailureAt);
  webhook.lastFailureAt = time(after.lastFailureAt);
  if (!after.isSuspended) return false;
  webhook.status = 'SUSPENDED';
  webhook.suspendedAt = new Date(at);
  webhook.epoch++;
  await wakeSubscriptionRun(em, webhook, { at, realNow });
  return true;
}

/**
 * Ends one portion of the deliveries that waited at the last suspension, oldest first, with their runs, except those with an attempt in
 * flight. Returns the number. Rows that others have locked are waited for, or skipped (SKIP LOCKED).
 */
export async function endPortion(
  em: Em,
  { storeId, webhookId, epoch }: EndedSubscription,
  realNow: number,
  others: 'wait' | 'pass over',
): Promise<number> {
  const due = await sql<Id>(
    em,
    `SELECT delivery_id FROM webhook_delivery WHERE ${ENDED_BY_SUSPENSION} ORDER BY epoch, delivery_id LIMIT ${PORTION}
     FOR UPDATE ${others === 'wait' ? '' : 'SKIP LOCKED'}`,
    [storeId, webhookId, epoch],
  );
  await sql(
    em,
    `UPDATE webhook_delivery SET status = 'FAILED', error_code = 'WEBHOOK_SUSPENDED', next_attempt_at = NULL
     WHERE store_id = ? AND delivery_id = ANY(?::text[])`,
    [storeId, idsOf(due)],
  );
  await endRuns(em, storeId, due, realNow);
  return due.length;
}

export interface Id {
  readonly delivery_id: string;
}
/** The ids as an array, so that Postgres uses the primary key whatever its statistics. */
export const idsOf = (due: readonly Id[]): string => textArray(due.map((row) => row.delivery_id));

/** Marks the runs of these deliveries as done. */
export const endRuns = (em: Em, storeId: string, due: readonly Id[], realNow: number): Promise<object[]> =>
  sql(
    em,
    `UPDATE run SET done_at = ?, wake_at = NULL WHERE store_id = ? AND workflow_type = 'webhookDelivery' AND entity_id = ANY(?::text[])
     AND done_at IS NULL`,
    [new Date(realNow), storeId, idsOf(due)],
  );

/** Whether deliveries are left that a suspension has ended and whose rows do not say so. */
export async function hasUnended(em: Em, { storeId, webhookId, epoch }: EndedSubscription): Promise<boolean> {
  return (
    (await sql(em, `SELECT 1 AS ok FROM webhook_delivery WHERE ${ENDED_BY_SUSPENSION} LIMIT 1`, [storeId, webhookId, epoch])).length > 0
  );
}

/** The condition of `isOver`; parameters: store, webhook, epoch. */
const ENDED_BY_SUSPENSION = `store_id = ? AND webhook_id = ? AND status IN ('PENDING', 'PENDING_RETRY') AND epoch < ?
  AND (attempt_count = 0 OR next_attempt_at IS NOT NULL)`;
