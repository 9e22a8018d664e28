import { replaceWebhook } from '../../db/webhooks/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { receiverProblems } from './receiver.ts';
import { viewWebhook, Webhook, WebhookRequest } from './schemas.ts';
import { WEBHOOK } from './subject.ts';

export const replace = endpoint({
  id: 'webhooks.replace',
  route: 'PUT /v1/webhooks/{webhookId}',
  summary: 'Change address and event types; the webhook is active afterwards and its failures are forgotten',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'approval',
  target: WEBHOOK,
  change: 'here',
  idempotent: true,
  body: WebhookRequest,
  data: Webhook,
  errors: ['WEBHOOK_NOT_FOUND'],
  check: receiverProblems,
}).handle(async ({ tx, params, body }) => viewWebhook(await replaceWebhook(tx, params.webhookId, body)));
