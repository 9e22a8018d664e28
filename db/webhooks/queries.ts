/** Webhook subscriptions: at most ten per store, each with an encrypted secret and, for a day after a rotation, the previous one. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Webhook, WebhookEntity } from './entities.ts';

export const webhookSecretLocation = (storeId: string, webhookId: string): SealLocation => ({
  store: storeId,
  table: 'webhook',
  row: webhookId,
  column: 'secret',
});

export const listWebhooks = ({ em, storeId }: Tx): Promise<Webhook[]> =>
  em.find(WebhookEntity, { storeId, deletedAt: null }, { orderBy: { createdAt: 'desc', webhookId: 'desc' } });

export async function readWebhook({ em, storeId }: Tx, webhookId: string): Promise<Webhook> {
  const webhook = await em.findOne(WebhookEntity, { storeId, webhookId, deletedAt: null });
  if (!webhook) throw new Fault('WEBHOOK_NOT_FOUND');
  return webhook;
}

/** The secrets that sign at `at`, the newest first. */
export const secretsOf = (keyring: Keyring, { storeId, webhookId, ...webhook }: Webhook, at: number): string[] =>
  [webhook.secretSealed, webhook.oldSecretExpiresAt && webhook.oldSecretExpiresAt.getTime() > at ? webhook.oldSecretSealed : null].flatMap(
    (sealed) => (sealed ? [keyring.open(sealed, webhookSecretLocation(storeId, webhookId))] : []),
  );
