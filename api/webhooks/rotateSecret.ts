import { rotateSecret as rotate } from '../../db/webhooks/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { NewWebhook, viewWebhook } from './schemas.ts';
import { WEBHOOK } from './subject.ts';

export const rotateSecret = endpoint({
  id: 'webhooks.rotateSecret',
  route: 'POST /v1/webhooks/{webhookId}/rotate-secret',
  summary: 'Make a new secret, shown once; the one before it signs beside it for 24 hours',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'denied',
  target: WEBHOOK,
  change: 'here',
  idempotent: true,
  secret: true,
  body: closed({}),
  data: NewWebhook,
  errors: ['WEBHOOK_NOT_FOUND'],
}).handle(async ({ tx, params, deps }) => {
  const { webhook, secret } = await rotate(tx, deps.keyring, params.webhookId);
  return { ...viewWebhook(webhook), secret };
});
