/** Delivery records: lists and redelivery. */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import {
  type DeliveryStatus,
  HISTORY_MS,
  isOver,
  isWaiting,
  MAX_REDELIVERED,
  REDELIVER_MS,
  SUSPENDED,
} from '../../domain/webhooks/rules.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Webhook, type WebhookDelivery, WebhookDeliveryEntity } from './entities.ts';
import { addDeliveries } from './events.ts';
import { readWebhook } from './queries.ts';
import { endPortion } from './suspension.ts';

/**
 * Deliveries of a subscription that were created within the last 30 days, newest first. Deliveries that a suspension has ended are shown as
 * FAILED, even if the subscription's run has not updated their rows yet.
 */
export async function listDeliveries(
  tx: Tx,
  webhookId: string,
  filter: { readonly status?: DeliveryStatus; readonly limit: number; readonly at: number },
): Promise<WebhookDelivery[]> {
  const { em, storeId } = tx;
  const webhook = await readWebhook(tx, webhookId);
  const { status, limit, at } = filter;
  const shown = { storeId, webhookId, createdAt: { $gte: new Date(at - HISTORY_MS) } };
  const newest = { orderBy: { createdAt: 'desc', deliveryId: 'desc' }, limit } as const;
  const over =
    status === 'FAILED' && webhook.epoch > 0
      ? await em.find(WebhookDeliveryEntity, { ...shown, ...endedBySuspension(webhook) }, newest)
      : [];
  const notEnded = status !== undefined && isWaiting(status) && webhook.epoch > 0 ? notEndedBySuspension(webhook) : {};
  const rows = await em.find(WebhookDeliveryEntity, { ...shown, ...(status && { status }), ...notEnded }, newest);
  // A delivery that was ended between the two queries is in both.
  return [...new Set([...over, ...rows])]
    .map((row) => (isOver(row, webhook) ? { ...row, ...SUSPENDED } : row))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.deliveryId < b.deliveryId ? 1 : -1))
    .slice(0, limit);
}

/** The condition of `isOver`, for a subscription. */
const endedBySuspension = ({ epoch }: Webhook) => ({
  status: { $in: ['PENDING', 'PENDING_RETRY'] as const },
  epoch: { $lt: epoch },
  $or: [{ attemptCount: 0 }, { nextAttemptAt: { $ne: null } }],
});
const notEndedBySuspension = ({ epoch }: Webhook) => ({
  $or: [{ epoch: { $gte: epoch } }, { attemptCount: { $gt: 0 }, nextAttemptAt: null }],
});

/** Redelivers a failed delivery, once: a new record with the same event. A redelivery that fails can be redelivered itself. */
export async function redeliver(tx: Tx, webhookId: string, deliveryId: string): Promise<WebhookDelivery> {
  const { em, at, storeId } = tx;
  const webhook = await readWebhook(tx, webhookId);
  const shown = { storeId, deliveryId, webhookId, createdAt: { $gte: new Date(at - HISTORY_MS) } };
  const failed = await em.findOne(WebhookDeliveryEntity, shown, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!failed) throw new Fault('WEBHOOK_DELIVERY_NOT_FOUND');
  if (isOver(failed, webhook)) Object.assign(failed, SUSPENDED);
  if (failed.status !== 'FAILED') throw new Fault('DELIVERY_NOT_FAILED', { details: { status: failed.status } });
  if (failed.redeliveredAs) throw new Fault('DELIVERY_ALREADY_REDELIVERED', { details: { redeliveredAs: failed.redeliveredAs } });
  if (webhook.status !== 'ACTIVE') throw new Fault('WEBHOOK_SUSPENDED');
  const [again] = await sendAgain(tx, [failed], webhook);
  return em.findOneOrFail(WebhookDeliveryEntity, { storeId, deliveryId: again! });
}

/** Redelivers what failed within the last 72 hours and was not redelivered yet, oldest first, at most 500; returns the number. */
export async function redeliverFailed(tx: Tx, webhookId: string): Promise<number> {
  const { em, at, storeId } = tx;
  const webhook = await readWebhook(tx, webhookId);
  if (webhook.status !== 'ACTIVE') throw new Fault('WEBHOOK_SUSPENDED');
  // Includes the oldest of the last suspension's deliveries, whose rows the run may not have updated yet.
  if (webhook.epoch > 0) await endPortion(tx, webhook, 'wait');
  const failed = await em.find(
    WebhookDeliveryEntity,
    { storeId, webhookId, status: 'FAILED', redeliveredAs: null, createdAt: { $gte: new Date(at - REDELIVER_MS) } },
    { orderBy: { createdAt: 'asc', deliveryId: 'asc' }, limit: MAX_REDELIVERED, lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  await sendAgain(tx, failed, webhook);
  return failed.length;
}

/** Returns the ids of the new deliveries, in the same order. */
async function sendAgain(tx: Tx, failed: readonly WebhookDelivery[], { url, firstFailureAt, epoch }: Webhook): Promise<string[]> {
  const receiver = { url, epoch, yields: Boolean(firstFailureAt), at: tx.at };
  const wanted = failed.map(({ webhookId, eventId, eventType, deliveryId }) => ({
    ...receiver,
    webhookId,
    eventId,
    eventType,
    redeliveryOf: deliveryId,
  }));
  const added = await addDeliveries(tx, wanted);
  for (const [i, one] of failed.entries()) one.redeliveredAs = added[i]!;
  return added;
}
