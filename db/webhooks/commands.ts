/** Webhook subscriptions: at most ten, each with a secret that is kept sealed and, for a day after a rotation, the one before it. */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { subscriptionWorkflowId } from '../../workflows/kernel/messages.ts';
import { type EventType, SECRET_OVERLAP_MS, WEBHOOK_LIMIT } from '../../domain/webhooks/rules.ts';
import { type Moment, newId } from '../kernel/clock.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { type Em, lockName, sql } from '../kernel/tx.ts';
import { reopenRun } from '../runs/commands.ts';
import { type Webhook, WebhookEntity } from './entities.ts';
import { readWebhook, webhookPlace } from './queries.ts';

export interface NewWebhook {
  readonly url: string;
  readonly eventTypes: readonly EventType[];
}
/** A subscription with its secret, which is answered once. */
export interface WithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

const newSecret = () => `whsec_${randomBytes(32).toString('base64url')}`;
const prefixOf = (secret: string) => secret.slice(0, 10);

/** Registers a receiver; an 11th is WEBHOOK_LIMIT_EXCEEDED (D84). */
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
    secretSealed: keyring.seal(secret, webhookPlace(storeId, webhookId)),
    secretPrefix: prefixOf(secret),
    createdAt: new Date(at),
  });
  em.persist(webhook);
  return { webhook, secret };
}

/** Locked against every other change; events that are written meanwhile need not wait. */
async function lockWebhook(em: Em, storeId: string, webhookId: string): Promise<Webhook> {
  await sql(em, 'SELECT 1 FROM webhook WHERE store_id = ? AND webhook_id = ? FOR NO KEY UPDATE', [storeId, webhookId]);
  return readWebhook(em, storeId, webhookId);
}

const ACTIVE = { status: 'ACTIVE', suspendedAt: null, firstFailureAt: null, lastFailureAt: null } as const;

/** Sets address and types; it is active again and its failures are forgotten. What waits goes to the new address (D16). */
export async function replaceWebhook(em: Em, storeId: string, webhookId: string, wanted: NewWebhook): Promise<Webhook> {
  const webhook = await lockWebhook(em, storeId, webhookId);
  return Object.assign(webhook, ACTIVE, { url: wanted.url, eventTypes: [...new Set(wanted.eventTypes)] });
}

/** Active again, its failures forgotten; one that is active stays as it is. */
export async function resumeWebhook(em: Em, storeId: string, webhookId: string): Promise<Webhook> {
  const webhook = await lockWebhook(em, storeId, webhookId);
  return webhook.status === 'ACTIVE' ? webhook : Object.assign(webhook, ACTIVE);
}

/** A new secret; the one before it signs beside it for a day, and any earlier one is dropped (D16). */
export async function rotateSecret(em: Em, keyring: Keyring, storeId: string, webhookId: string, at: number): Promise<WithSecret> {
  const webhook = await lockWebhook(em, storeId, webhookId);
  const secret = newSecret();
  Object.assign(webhook, {
    oldSecretSealed: webhook.secretSealed,
    oldSecretExpiresAt: new Date(at + SECRET_OVERLAP_MS),
    secretSealed: keyring.seal(secret, webhookPlace(storeId, webhookId)),
    secretPrefix: prefixOf(secret),
  });
  return { webhook, secret };
}

/**
 * Deletes a subscription: nobody finds it from then on, and what waits is not sent. Its run takes its records along, in portions (X26);
 * the runs of what waits find nothing and end.
 */
export async function removeWebhook(em: Em, storeId: string, webhookId: string, moment: Moment): Promise<void> {
  const webhook = await lockWebhook(em, storeId, webhookId);
  const now = new Date(moment.realNow);
  Object.assign(webhook, { status: 'SUSPENDED', suspendedAt: now, deletedAt: now });
  await leaveToRun(em, webhook, moment);
}

/** What is left behind is the work of the subscription's run, which looks again if it is at work already. */
export const leaveToRun = (
  em: Em,
  { storeId, webhookId }: Pick<Webhook, 'storeId' | 'webhookId'>,
  { at, realNow }: Moment,
): Promise<void> =>
  reopenRun(
    em,
    {
      storeId,
      workflowType: 'webhookSubscription',
      workflowId: subscriptionWorkflowId(storeId, webhookId),
      entityId: webhookId,
      orderNo: null,
    },
    at,
    realNow,
  );
