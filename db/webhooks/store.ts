/** Webhook subscriptions and their deliveries. */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../workflows/kernel/errors.ts';
import { type AttemptOutcome, type DeliveryStatus, type EventType, WEBHOOK_LIMIT } from '../../workflows/webhooks/rules.ts';
import { newId } from '../kernel/clock.ts';
import type { Keyring, Place } from '../kernel/keyring.ts';
import { type Em, sql } from '../orm.ts';
import { type Webhook, type WebhookDelivery, WebhookDeliveryEntity, WebhookEntity } from './entities.ts';

export const webhookPlace = (storeId: string, webhookId: string): Place => ({
  store: storeId,
  table: 'webhook',
  row: webhookId,
  column: 'secret',
});

export interface NewWebhook {
  readonly url: string;
  readonly eventTypes: readonly EventType[];
}

/** Registers a receiver. Its secret is answered once and kept sealed; an 11th is WEBHOOK_LIMIT_EXCEEDED (D84). */
export async function registerWebhook(em: Em, keyring: Keyring, storeId: string, wanted: NewWebhook, at: number) {
  await sql(em, 'SELECT 1 FROM store WHERE store_id = ? FOR UPDATE', [storeId]);
  if ((await em.count(WebhookEntity, { storeId })) >= WEBHOOK_LIMIT)
    throw new Fault('WEBHOOK_LIMIT_EXCEEDED', { details: { limit: WEBHOOK_LIMIT } });
  const webhookId = newId('whk', at);
  const secret = `whsec_${randomBytes(32).toString('base64url')}`;
  const webhook = em.create(WebhookEntity, {
    storeId,
    webhookId,
    url: wanted.url,
    eventTypes: [...new Set(wanted.eventTypes)],
    status: 'ACTIVE',
    secretSealed: keyring.seal(secret, webhookPlace(storeId, webhookId)),
    secretPrefix: secret.slice(0, 10),
    createdAt: new Date(at),
  });
  em.persist(webhook);
  return { webhook, secret };
}

export const listWebhooks = (em: Em, storeId: string): Promise<Webhook[]> =>
  em.find(WebhookEntity, { storeId }, { orderBy: { createdAt: 'desc', webhookId: 'desc' } });

export async function readWebhook(em: Em, storeId: string, webhookId: string): Promise<Webhook> {
  const webhook = await em.findOne(WebhookEntity, { storeId, webhookId });
  if (!webhook) throw new Fault('WEBHOOK_NOT_FOUND');
  return webhook;
}

/** Deliveries of a subscription that were created from `since` on, newest first. */
export async function listDeliveries(
  em: Em,
  storeId: string,
  webhookId: string,
  filter: { status?: DeliveryStatus; limit: number; since: number },
): Promise<WebhookDelivery[]> {
  await readWebhook(em, storeId, webhookId);
  const { status, limit } = filter;
  return em.find(
    WebhookDeliveryEntity,
    { storeId, webhookId, createdAt: { $gte: new Date(filter.since) }, ...(status && { status }) },
    { orderBy: { createdAt: 'desc', deliveryId: 'desc' }, limit },
  );
}

/** What an attempt sends, once it is claimed. */
export interface Parcel {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly body: string;
  readonly eventId: string;
  readonly eventType: string;
}

/** Claims attempt `n` by moving the count from n−1 to n, so that no attempt is made twice. Null when it is not to be made. */
export async function claimAttempt(em: Em, keyring: Keyring, storeId: string, deliveryId: string, n: number): Promise<Parcel | null> {
  const [row] = await sql<{ webhook_id: string; event_id: string; event_type: string }>(
    em,
    `UPDATE webhook_delivery d SET attempt_count = ?, next_attempt_at = NULL, url = w.url FROM webhook w
     WHERE d.store_id = ? AND d.delivery_id = ? AND d.attempt_count = ? AND d.status IN ('PENDING', 'PENDING_RETRY')
       AND w.store_id = d.store_id AND w.webhook_id = d.webhook_id RETURNING d.webhook_id, d.event_id, d.event_type`,
    [n, storeId, deliveryId, n - 1],
  );
  if (!row) return null;
  const webhook = await readWebhook(em, storeId, row.webhook_id);
  const [event] = await sql<{ body: string }>(em, 'SELECT body FROM event WHERE store_id = ? AND event_id = ?', [storeId, row.event_id]);
  const secrets = [keyring.open(webhook.secretSealed, webhookPlace(storeId, webhook.webhookId))];
  return { url: webhook.url, secrets, body: event!.body, eventId: row.event_id, eventType: row.event_type };
}

/** Records how attempt `n` ended; the delivery's run turns it into status and gap. */
export async function recordAttempt(em: Em, storeId: string, deliveryId: string, n: number, outcome: AttemptOutcome): Promise<void> {
  await sql(
    em,
    `UPDATE webhook_delivery SET attempt_outcome = ? WHERE store_id = ? AND delivery_id = ? AND attempt_count = ? AND next_attempt_at IS NULL
       AND status IN ('PENDING', 'PENDING_RETRY')`,
    [JSON.stringify(outcome), storeId, deliveryId, n],
  );
}

/** Whether attempt `n` still waits for its outcome: claimed by someone, nothing recorded. */
export async function isAttemptOpen(em: Em, storeId: string, deliveryId: string, n: number): Promise<boolean> {
  const rows = await sql(
    em,
    `SELECT 1 AS ok FROM webhook_delivery WHERE store_id = ? AND delivery_id = ? AND attempt_count = ? AND next_attempt_at IS NULL
       AND attempt_outcome IS NULL AND status IN ('PENDING', 'PENDING_RETRY')`,
    [storeId, deliveryId, n],
  );
  return rows.length > 0;
}
