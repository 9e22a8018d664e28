/** Webhook subscriptions: at most ten per store, each with an encrypted secret and, for a day after a rotation, the previous one. */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { runOf } from '../../workflows/kernel/messages.ts';
import { type EventType, SECRET_OVERLAP_MS, WEBHOOK_LIMIT } from '../../domain/webhooks/rules.ts';
import { newId } from '../kernel/clock.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { lockName, type Tx } from '../kernel/tx.ts';
import { reopenRun } from '../runs/commands.ts';
import { type Webhook, WebhookEntity } from './entities.ts';
import { readWebhook, webhookSecretLocation } from './queries.ts';

export interface NewWebhook {
  readonly url: string;
  readonly eventTypes: readonly EventType[];
}
/** A subscription with its secret, which is returned only here. */
export interface WithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64url')}`;
const prefixOf = (secret: string) => secret.slice(0, 10);

/** Creates a subscription; an 11th is WEBHOOK_LIMIT_EXCEEDED. */
export async function registerWebhook(tx: Tx, keyring: Keyring, wanted: NewWebhook): Promise<WithSecret> {
  const { em, storeId, at } = tx;
  await lockName(tx, `webhooks/${storeId}`);
  if ((await em.count(WebhookEntity, { storeId, deletedAt: null })) >= WEBHOOK_LIMIT)
    throw new Fault('WEBHOOK_LIMIT_EXCEEDED', { details: { limit: WEBHOOK_LIMIT } });
  const webhookId = newId('whk', at);
  const secret = newSecret();
  const webhook = em.create(WebhookEntity, {
    storeId,
    webhookId,
    url: wanted.url,
    eventTypes: [...new Set(wanted.eventTypes)],
    status: 'ACTIVE',
    secretSealed: keyring.seal(secret, webhookSecretLocation(storeId, webhookId)),
    secretPrefix: prefixOf(secret),
    createdAt: new Date(at),
  });
  em.persist(webhook);
  return { webhook, secret };
}

/** The subscription, FOR NO KEY UPDATE: concurrent inserts of deliveries need not wait. */
async function lockWebhook(tx: Tx, webhookId: string): Promise<Webhook> {
  const { sql, storeId } = tx;
  await sql`SELECT 1 FROM webhook WHERE store_id = ${storeId} AND webhook_id = ${webhookId} FOR NO KEY UPDATE`;
  return readWebhook(tx, webhookId);
}

const ACTIVE = { status: 'ACTIVE', suspendedAt: null, firstFailureAt: null, lastFailureAt: null } as const;

/** Replaces URL and event types, activates the subscription and resets its failures. Waiting deliveries go to the new URL. */
export async function replaceWebhook(tx: Tx, webhookId: string, wanted: NewWebhook): Promise<Webhook> {
  const webhook = await lockWebhook(tx, webhookId);
  return Object.assign(webhook, ACTIVE, { url: wanted.url, eventTypes: [...new Set(wanted.eventTypes)] });
}

/** Activates a suspended subscription and resets its failures; an active one stays unchanged. */
export async function resumeWebhook(tx: Tx, webhookId: string): Promise<Webhook> {
  const webhook = await lockWebhook(tx, webhookId);
  return webhook.status === 'ACTIVE' ? webhook : Object.assign(webhook, ACTIVE);
}

/** Replaces the secret; the previous one signs too for a day, an earlier one is dropped. */
export async function rotateSecret(tx: Tx, keyring: Keyring, webhookId: string): Promise<WithSecret> {
  const { storeId, at } = tx;
  const webhook = await lockWebhook(tx, webhookId);
  const secret = newSecret();
  Object.assign(webhook, {
    oldSecretSealed: webhook.secretSealed,
    oldSecretExpiresAt: new Date(at + SECRET_OVERLAP_MS),
    secretSealed: keyring.seal(secret, webhookSecretLocation(storeId, webhookId)),
    secretPrefix: prefixOf(secret),
  });
  return { webhook, secret };
}

/**
 * Deletes a subscription: it is no longer found, and waiting deliveries are not sent. Its run deletes its records in portions; the
 * runs of waiting deliveries find no row and end.
 */
export async function removeWebhook(tx: Tx, webhookId: string): Promise<void> {
  const { realNow } = tx;
  const webhook = await lockWebhook(tx, webhookId);
  const now = new Date(realNow);
  Object.assign(webhook, { status: 'SUSPENDED', suspendedAt: now, deletedAt: now });
  await wakeSubscriptionRun(tx, webhook);
}

/** Opens or wakes the subscription's run, which cleans up after a suspension or deletion. */
export const wakeSubscriptionRun = (tx: Tx, { storeId, webhookId }: Pick<Webhook, 'storeId' | 'webhookId'>): Promise<void> =>
  reopenRun(tx, runOf('webhookSubscription', storeId, webhookId), tx.at);
