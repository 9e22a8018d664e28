import { readWebhook } from '../../db/webhooks/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { viewWebhook, Webhook } from './schemas.ts';

export const get = endpoint({
  id: 'webhooks.get',
  route: 'GET /v1/webhooks/{webhookId}',
  summary: 'Read a webhook',
  access: 'store',
  scopes: ['webhook:r'],
  change: 'none',
  data: Webhook,
  errors: ['WEBHOOK_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewWebhook(await readWebhook(tx, params.webhookId)));
