import { redeliverFailed as sendAgain } from '../../db/webhooks/deliveries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count } from '../declare/schema.ts';
import { WEBHOOK } from './subject.ts';

export const redeliverFailed = endpoint({
  id: 'webhooks.redeliverFailed',
  route: 'POST /v1/webhooks/{webhookId}/deliveries/redeliver-failed',
  summary: 'Send again what failed in the last 72 hours: at most 500, the oldest first',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'direct',
  target: WEBHOOK,
  change: 'here',
  idempotent: true,
  body: closed({}),
  status: 202,
  data: closed({ queued: Count }, { title: 'RedeliveryQueued' }),
  errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_SUSPENDED'],
}).handle(async ({ tx, params }) => ({
  queued: await sendAgain(tx, params.webhookId),
}));
