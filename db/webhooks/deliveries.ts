/** Delivery records: how they are listed, and how what failed is sent again. */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../workflows/kernel/errors.ts';
import { type DeliveryStatus, HISTORY_MS, REDELIVER_MOST, REDELIVER_MS } from '../../workflows/webhooks/rules.ts';
import type { Moment } from '../catalog/stock.ts';
import type { Em } from '../orm.ts';
import { type Webhook, type WebhookDelivery, WebhookDeliveryEntity } from './entities.ts';
import { addDelivery } from './events.ts';
import { readWebhook } from './store.ts';

/** Deliveries of a subscription that were created within the last 30 days, newest first. */
export async function listDeliveries(
  em: Em,
  storeId: string,
  webhookId: string,
  filter: { readonly status?: DeliveryStatus; readonly limit: number; readonly at: number },
): Promise<WebhookDelivery[]> {
  await readWebhook(em, storeId, webhookId);
  const { status, limit, at } = filter;
  return em.find(
    WebhookDeliveryEntity,
    { storeId, webhookId, createdAt: { $gte: new Date(at - HISTORY_MS) }, ...(status && { status }) },
    { orderBy: { createdAt: 'desc', deliveryId: 'desc' }, limit },
  );
}

/** Sends a failed delivery again, once: a new record with the same event. A redelivery that failed may be sent again itself (D85). */
export async function redeliver(em: Em, storeId: string, webhookId: string, deliveryId: string, moment: Moment): Promise<WebhookDelivery> {
  const webhook = await readWebhook(em, storeId, webhookId);
  const shown = { storeId, deliveryId, webhookId, createdAt: { $gte: new Date(moment.at - HISTORY_MS) } };
  const failed = await em.findOne(WebhookDeliveryEntity, shown, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!failed) throw new Fault('WEBHOOK_DELIVERY_NOT_FOUND');
  if (failed.status !== 'FAILED') throw new Fault('DELIVERY_NOT_FAILED', { details: { status: failed.status } });
  if (failed.redeliveredAs) throw new Fault('DELIVERY_ALREADY_REDELIVERED', { details: { redeliveredAs: failed.redeliveredAs } });
  if (webhook.status !== 'ACTIVE') throw new Fault('WEBHOOK_SUSPENDED');
  return sendAgain(em, failed, webhook, moment);
}

/** Sends again what failed within the last 72 hours and was not sent again yet, the oldest first, at most 500; answers how many. */
export async function redeliverFailed(em: Em, storeId: string, webhookId: string, moment: Moment): Promise<number> {
  const webhook = await readWebhook(em, storeId, webhookId);
  if (webhook.status !== 'ACTIVE') throw new Fault('WEBHOOK_SUSPENDED');
  const failed = await em.find(
    WebhookDeliveryEntity,
    { storeId, webhookId, status: 'FAILED', redeliveredAs: null, createdAt: { $gte: new Date(moment.at - REDELIVER_MS) } },
    { orderBy: { createdAt: 'asc', deliveryId: 'asc' }, limit: REDELIVER_MOST, lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  for (const one of failed) sendAgain(em, one, webhook, moment);
  return failed.length;
}

function sendAgain(em: Em, failed: WebhookDelivery, { url, firstFailureAt }: Webhook, moment: Moment): WebhookDelivery {
  const { storeId, webhookId, eventId, eventType, deliveryId: redeliveryOf } = failed;
  const again = addDelivery(em, { storeId, webhookId, eventId, eventType, url, redeliveryOf, yields: Boolean(firstFailureAt) }, moment);
  failed.redeliveredAs = again.deliveryId;
  return again;
}
