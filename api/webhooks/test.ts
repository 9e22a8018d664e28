import { randomUUID } from 'node:crypto';
import { webhookHeaders } from '../../activities/providers/webhookRequest.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { readWebhook, secretsOf } from '../../db/webhooks/queries.ts';
import { SECOND, universal } from '../../domain/kernel/time.ts';
import { sampleData } from '../../domain/webhooks/payloads.ts';
import { ATTEMPT_MS, DELIVERY_ERRORS, EVENT_TYPES } from '../../domain/webhooks/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, nullable, oneOf, Type } from '../declare/schema.ts';
import { WEBHOOK } from './subject.ts';

export const test = endpoint({
  id: 'webhooks.test',
  route: 'POST /v1/webhooks/{webhookId}/test',
  summary: 'Call the receiver now with sample data: signed like an event, not repeated, not recorded, not counted',
  access: 'store',
  scopes: ['webhook:rw'],
  agent: 'direct',
  target: WEBHOOK,
  change: 'here',
  body: closed({ eventType: oneOf(EVENT_TYPES) }, { title: 'WebhookTestRequest' }),
  data: closed(
    { responseStatusCode: nullable(Type.Integer()), responseTimeMs: Count, errorCode: nullable(oneOf(DELIVERY_ERRORS)) },
    { title: 'WebhookTestResult' },
  ),
  errors: ['WEBHOOK_NOT_FOUND'],
})
  .before(async ({ deps, storeId, params, body, at, realNow, outside }) => {
    const webhook = await inTenant(deps.orm, { storeId, at, realNow }, REQUEST, (tx) => readWebhook(tx, params.webhookId));
    const { eventType } = body;
    const sample = randomUUID().replaceAll('-', '');
    const eventId = `evt_test_${sample}`;
    const text = JSON.stringify({ id: eventId, type: eventType, createdAt: universal(at), storeId, data: sampleData(eventType) });
    const secrets = secretsOf(deps.keyring, webhook, at);
    const signed = { secrets, body: text, eventId, eventType, deliveryId: `dlv_test_${sample}` };
    const headers = webhookHeaders(signed, Math.floor(realNow / SECOND));
    const post = () => deps.egress.post({ url: webhook.url, headers, body: text, deadlineMs: ATTEMPT_MS });
    const outcome = await outside(post, { responseStatusCode: null, responseTimeMs: null, errorCode: null, responseBodyExcerpt: null });
    const { responseStatusCode, responseTimeMs, errorCode } = outcome;
    return { responseStatusCode, responseTimeMs: responseTimeMs ?? 0, errorCode };
  })
  .handle(async ({ prepared }) => prepared);
