import { removeWebhook } from '../../db/webhooks/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { WEBHOOK } from './subject.ts';

export const remove = endpoint({
  id: 'webhooks.remove',
  route: 'DELETE /v1/webhooks/{webhookId}',
  summary: 'Delete a webhook with its delivery records; what waits is not sent',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'direct',
  target: WEBHOOK,
  change: 'here',
  idempotent: true,
  data: Type.Null(),
  errors: ['WEBHOOK_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  await removeWebhook(tx, params.webhookId);
  return null;
});
