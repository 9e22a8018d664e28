import { resumeWebhook } from '../../db/webhooks/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { viewWebhook, Webhook } from './schemas.ts';
import { WEBHOOK } from './subject.ts';

export const resume = endpoint({
  id: 'webhooks.resume',
  route: 'POST /v1/webhooks/{webhookId}/resume',
  summary: 'Lift a suspension; a webhook that is active stays as it is',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'direct',
  target: WEBHOOK,
  change: 'here',
  idempotent: true,
  body: closed({}),
  data: Webhook,
  errors: ['WEBHOOK_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewWebhook(await resumeWebhook(tx, params.webhookId)));
