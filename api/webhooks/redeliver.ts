import { redeliver as sendAgain } from '../../db/webhooks/deliveries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { viewDelivery, WebhookDelivery } from './schemas.ts';
import { WEBHOOK } from './subject.ts';

export const redeliver = endpoint({
  id: 'webhooks.redeliver',
  route: 'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
  summary: 'Send a failed delivery again, once: a new record of the same event',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'direct',
  target: WEBHOOK,
  change: 'here',
  idempotent: true,
  body: closed({}),
  status: 202,
  data: WebhookDelivery,
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DELIVERY_NOT_FOUND', 'DELIVERY_NOT_FAILED', 'DELIVERY_ALREADY_REDELIVERED', 'WEBHOOK_SUSPENDED'],
}).handle(async ({ tx, params }) => viewDelivery(await sendAgain(tx, params.webhookId, params.deliveryId)));
