/** Webhook subscriptions: at most ten per store, each with an encrypted secret and, for a day after a rotation, the previous one. */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { runOf } from '../../workflows/kernel/messages.ts';
import { type EventType, SECRET_OVERLAP_MS, WEBHOOK_LIMIT } from '../../domain/webhooks/rules.ts';
import { type Moment, newId } from '../kernel/clock.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { type Em, lockName, sql } from '../kernel/tx.ts';
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

/** Creates a subscription; an 11th is WEBHOOK_LIMIT_EXCEEDED (D84). */
export async function registerWebhook(em: Em, keyring: Keyring, storeId: string, wanted: NewWebhook, at: number): Promise<WithSecret> {
  await lockName(em, `webhooks/${storeId}`);
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
async function lockWebhook(em: Em, storeId: string, webhookId: string): Promise<Webhook> {
  await sql(em, 'SELECT 1 FROM webhook WHERE store_id = ? AND webhook_id = ? FOR NO KEY UPDATE', [storeId, webhookId]);
  return readWebhook(em, storeId, webhookId);
}

const ACTIVE = { status: 'ACTIVE', suspendedAt: null, firstFailureAt: null, lastFailureAt: null } as const;

/** Replaces URL and event types, activates the subscription and resets its failures. Waiting deliveries go to the new URL (D16). */
export async function replaceWebhook(em: Em, storeId: string, webhookId: string, wanted: NewWebhook): Promise<Webhook> {
  const webhook = await lockWebhook(em, storeId, webhookId);
  return Object.assign(webhook, ACTIVE, { url: wanted.url, eventTypes: [...new Set(wanted.eventTypes)] });
}

/** Activates a suspended subscription and resets its failures; an active one stays unchanged. */
export async function resumeWebhook(em: Em, storeId: string, webhookId: string): Promise<Webhook> {
  const webhook = await lockWebhook(em, storeId, webhookId);
  return webhook.status === 'ACTIVE' ? webhook : Object.assign(webhook, ACTIVE);
}

/** Replaces the secret; the previous one signs too for a day, an earlier one is dropped (D16). */
export async function rotateSecret(em: Em, keyring: Keyring, storeId: string, webhookId: string, at: number): Promise<WithSecret> {
  const webhook = await lockWebhook(em, storeId, webhookId);
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
 * Deletes a subscription: it is no longer found, and waiting deliveries are not sent. Its run deletes its records in portions (X26); the
 * runs of waiting deliveries find no row and end.
 */
export async function removeWebhook(em: Em, storeId: string, webhookId: string, moment: Moment): Promise<void> {
  const webhook = await lockWebhook(em, storeId, webhookId);
  const now = new Date(moment.realNow);
  Object.assign(webhook, { status: 'SUSPENDED', suspendedAt: now, deletedAt: now });
  await wakeSubscriptionRun(em, webhook, moment);
}

/** Opens or wakes the subscription's run, which cleans up after a suspension or deletion. */
export const wakeSubscriptionRun = (
  em: Em,
  { storeId, webhookId }: Pick<Webhook, 'storeId' | 'webhookId'>,
  { at, realNow }: Moment,
): Promise<void> => reopenRun(em, runOf('webhookSubscription', storeId, webhookId), at, realNow);
