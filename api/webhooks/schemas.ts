import type { Webhook as Row, WebhookDelivery as DeliveryRow } from '../../db/webhooks/entities.ts';
import { RECEIVER_URL } from '../../domain/kernel/hosts.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { DELIVERY_ERRORS, DELIVERY_STATUSES, EVENT_TYPES } from '../../domain/webhooks/rules.ts';
import { type Cut, Truncated } from '../declare/shortened.ts';
import { closed, Count, Id, nullable, oneOf, Timestamp, Type, VERBATIM } from '../declare/schema.ts';

const fields = {
  webhookId: Id,
  url: Type.String(),
  eventTypes: Type.Array(oneOf(EVENT_TYPES)),
  status: oneOf(['ACTIVE', 'SUSPENDED']),
  secretPrefix: Type.String(),
  oldSecretExpiresAt: nullable(Timestamp),
  suspendedAt: nullable(Timestamp),
  createdAt: Timestamp,
};
export const Webhook = closed(fields, { title: 'Webhook' });
export const NewWebhook = closed({ ...fields, secret: Type.String({ description: 'Shown once' }) }, { title: 'NewWebhook' });
export const WebhookRequest = closed(
  {
    url: Type.String({ minLength: 1, maxLength: 2000, 'x-document': { pattern: RECEIVER_URL }, ...VERBATIM }),
    eventTypes: Type.Array(oneOf(EVENT_TYPES), { minItems: 1, maxItems: 100 }),
  },
  { title: 'WebhookRequest' },
);
const delivery = {
  deliveryId: Id,
  eventId: Id,
  eventType: oneOf(EVENT_TYPES),
  status: oneOf(DELIVERY_STATUSES),
  url: Type.String(),
  errorCode: nullable(oneOf(DELIVERY_ERRORS)),
  attemptCount: Count,
  attemptedAt: nullable(Timestamp),
  nextAttemptAt: nullable(Timestamp),
  responseStatusCode: nullable(Type.Integer()),
  responseTimeMs: nullable(Count),
  responseBodyExcerpt: nullable(Type.String()),
  redeliveryOf: nullable(Id),
  redeliveredAs: nullable(Id),
  createdAt: Timestamp,
};
export const WebhookDelivery = closed(delivery, { title: 'WebhookDelivery' });
export const ListedDelivery = closed({ ...delivery, truncated: Truncated }, { title: 'ListedWebhookDelivery' });
export const DELIVERY_CUT: Cut = { texts: ['responseBodyExcerpt'] };

export const viewWebhook = (row: Row) => ({
  webhookId: row.webhookId,
  url: row.url,
  eventTypes: row.eventTypes,
  status: row.status,
  secretPrefix: row.secretPrefix,
  oldSecretExpiresAt: koreanOf(row.oldSecretExpiresAt),
  suspendedAt: koreanOf(row.suspendedAt),
  createdAt: koreanOf(row.createdAt),
});
export const viewDelivery = (row: DeliveryRow) => ({
  deliveryId: row.deliveryId,
  eventId: row.eventId,
  eventType: row.eventType,
  status: row.status,
  url: row.url,
  errorCode: row.errorCode ?? null,
  attemptCount: row.attemptCount,
  attemptedAt: koreanOf(row.attemptedAt),
  nextAttemptAt: koreanOf(row.nextAttemptAt),
  responseStatusCode: row.responseStatusCode ?? null,
  responseTimeMs: row.responseTimeMs ?? null,
  responseBodyExcerpt: row.responseBodyExcerpt ?? null,
  redeliveryOf: row.redeliveryOf ?? null,
  redeliveredAs: row.redeliveredAs ?? null,
  createdAt: koreanOf(row.createdAt),
});
