import { registerWebhook } from '../../db/webhooks/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { receiverProblems } from './receiver.ts';
import { NewWebhook, viewWebhook, WebhookRequest } from './schemas.ts';
import { WEBHOOK } from './subject.ts';

export const create = endpoint({
  id: 'webhooks.create',
  route: 'POST /v1/webhooks',
  summary: 'Subscribe a receiver to events; its secret is shown once',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'approval',
  target: WEBHOOK,
  change: 'here',
  idempotent: true,
  secret: true,
  body: WebhookRequest,
  status: 201,
  data: NewWebhook,
  errors: ['WEBHOOK_LIMIT_EXCEEDED'],
  check: receiverProblems,
}).handle(async ({ tx, body, deps, setHeader }) => {
  const { webhook, secret } = await registerWebhook(tx, deps.keyring, body);
  setHeader('Location', `/v1/webhooks/${webhook.webhookId}`);
  return { ...viewWebhook(webhook), secret };
});
