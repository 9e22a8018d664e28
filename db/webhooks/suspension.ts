/** When a receiver is given up (part B § States, D85): judged at a failure, under the lock of its subscription. */
import { afterFailure } from '../../workflows/webhooks/rules.ts';
import { type Em, sql } from '../orm.ts';
import type { WebhookDelivery } from './entities.ts';
import { readWebhook } from './store.ts';

type Of = Pick<WebhookDelivery, 'storeId' | 'webhookId'>;
const time = (ms: number | null) => (ms === null ? null : new Date(ms));

/** A success ends a row of failures; it does not lift a suspension (D16). */
export const forgetFailures = (em: Em, { storeId, webhookId }: Of): Promise<object[]> =>
  sql(
    em,
    `UPDATE webhook SET first_failure_at = NULL, last_failure_at = NULL
     WHERE store_id = ? AND webhook_id = ? AND status = 'ACTIVE' AND first_failure_at IS NOT NULL`,
    [storeId, webhookId],
  );

/** Counts a failure; true when the subscription is suspended, by this one or before. What waits then ends with it. */
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
  await endWaiting(em, { storeId, webhookId }, realNow);
  return true;
}

/** Every delivery that waits for its next attempt ends; one whose attempt is under way is left to it. Their runs find it so. */
const endWaiting = (em: Em, { storeId, webhookId }: Of, realNow: number): Promise<object[]> =>
  sql(
    em,
    `WITH ended AS (
       UPDATE webhook_delivery SET status = 'FAILED', error_code = 'WEBHOOK_SUSPENDED', next_attempt_at = NULL
       WHERE store_id = ? AND webhook_id = ? AND status IN ('PENDING', 'PENDING_RETRY') AND (attempt_count = 0 OR next_attempt_at IS NOT NULL)
       RETURNING delivery_id)
     UPDATE run SET done_at = ?, wake_at = NULL FROM ended
     WHERE run.store_id = ? AND run.kind = 'webhookDelivery' AND run.run_id = ended.delivery_id AND run.done_at IS NULL`,
    [storeId, webhookId, new Date(realNow), storeId],
  );
