import { listWebhooks } from '../../db/webhooks/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { viewWebhook, Webhook } from './schemas.ts';

export const list = endpoint({
  id: 'webhooks.list',
  route: 'GET /v1/webhooks',
  summary: 'List the webhooks of the store',
  access: 'store',
  scopes: ['webhook:r'],
  change: 'none',
  data: closed({ items: Type.Array(Webhook) }),
}).handle(async ({ tx }) => ({ items: (await listWebhooks(tx)).map(viewWebhook) }));
