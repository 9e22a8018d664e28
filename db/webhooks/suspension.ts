/** When a receiver is given up (docs/contract.md#deliveries, D85): judged at a failure, under the lock of its subscription. */
import { afterFailure, PORTION } from '../../domain/webhooks/rules.ts';
import { type Em, sql, textArray } from '../kernel/tx.ts';
import type { Webhook, WebhookDelivery } from './entities.ts';
import { leaveToRun } from './commands.ts';
import { readWebhook } from './queries.ts';

type Of = Pick<WebhookDelivery, 'storeId' | 'webhookId'>;
/** A subscription of which deliveries of earlier epochs are left behind. */
export type Left = Pick<Webhook, 'storeId' | 'webhookId' | 'epoch'>;
const time = (ms: number | null) => (ms === null ? null : new Date(ms));

/** A success ends a row of failures; it does not lift a suspension (D16). */
export const forgetFailures = (em: Em, { storeId, webhookId }: Of): Promise<object[]> =>
  sql(
    em,
    `UPDATE webhook SET first_failure_at = NULL, last_failure_at = NULL
     WHERE store_id = ? AND webhook_id = ? AND status = 'ACTIVE' AND first_failure_at IS NOT NULL`,
    [storeId, webhookId],
  );

/** Counts a failure; true when the subscription is suspended, by this one or before. What waits is over then: its run ends it. */
export async function noteFailure(em: Em, { storeId, webhookId }: Of, at: number, realNow: number): Promise<boolean> {
  const [row] = await sql<{ status: string }>(em, 'SELECT status FROM webhook WHERE store_id = ? AND webhook_id = ? FOR NO KEY UPDATE', [
    storeId,
    webhookId,
  ]);
  // One that was deleted is suspended too, until its deliveries are gone.
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
  await leaveToRun(em, webhook, { at, realNow });
  return true;
}

/**
 * Ends one portion of what waited when the subscription was last suspended, the oldest first, with their runs; one whose attempt is under
 * way is left to it. Answers how many. Those that others hold at the moment are waited for, or passed over.
 */
export async function endPortion(
  em: Em,
  { storeId, webhookId, epoch }: Left,
  realNow: number,
  others: 'wait' | 'pass over',
): Promise<number> {
  const due = await sql<Id>(
    em,
    `SELECT delivery_id FROM webhook_delivery WHERE ${OVER} ORDER BY epoch, delivery_id LIMIT ${PORTION} FOR UPDATE ${others === 'wait' ? '' : 'SKIP LOCKED'}`,
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
/** By their values, so that each is found by its key whatever Postgres knows of the tables. */
export const idsOf = (due: readonly Id[]): string => textArray(due.map((row) => row.delivery_id));

/** Deliveries that are over have nothing left to do. */
export const endRuns = (em: Em, storeId: string, due: readonly Id[], realNow: number): Promise<object[]> =>
  sql(
    em,
    `UPDATE run SET done_at = ?, wake_at = NULL WHERE store_id = ? AND workflow_type = 'webhookDelivery' AND entity_id = ANY(?::text[]) AND done_at IS NULL`,
    [new Date(realNow), storeId, idsOf(due)],
  );

/** Whether anything is left that a suspension has ended and that its row does not say. */
export async function hasLeft(em: Em, { storeId, webhookId, epoch }: Left): Promise<boolean> {
  return (await sql(em, `SELECT 1 AS ok FROM webhook_delivery WHERE ${OVER} LIMIT 1`, [storeId, webhookId, epoch])).length > 0;
}

/** As `isOver`, for a store, a webhook and its epoch. */
const OVER = `store_id = ? AND webhook_id = ? AND status IN ('PENDING', 'PENDING_RETRY') AND epoch < ?
  AND (attempt_count = 0 OR next_attempt_at IS NOT NULL)`;
