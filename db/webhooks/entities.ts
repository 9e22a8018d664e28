import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { DeliveryError, DeliveryStatus, EventType } from '../../domain/webhooks/rules.ts';
import { storeId, textList, time } from '../kernel/columns.ts';

export const WebhookEntity = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    storeId: storeId(),
    webhookId: p.string().primary(),
    url: p.string(),
    eventTypes: textList<EventType>(),
    status: p.string().$type<'ACTIVE' | 'SUSPENDED'>(),
    secretSealed: p.string(),
    secretPrefix: p.string(),
    oldSecretSealed: p.string().nullable(),
    oldSecretExpiresAt: time().nullable(),
    suspendedAt: time().nullable(),
    firstFailureAt: time().nullable(),
    lastFailureAt: time().nullable(),
    /** Counts suspensions. Deliveries of an earlier epoch are not sent, also after a resume. */
    epoch: p.integer().default(0),
    /** Real time. It is no longer found; its deliveries are deleted in portions. */
    deletedAt: time().nullable(),
    createdAt: time(),
  },
});
export type Webhook = InferEntity<typeof WebhookEntity>;

export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    storeId: storeId(),
    eventId: p.string().primary(),
    type: p.string().$type<EventType>(),
    /** Its number in the store's feed, in the order of commits. */
    eventNo: p.bigint('number'),
    /** The raw body, sent byte for byte at every attempt. */
    body: p.string(),
    createdAt: time(),
  },
});

export const WebhookDeliveryEntity = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  properties: {
    storeId: storeId(),
    deliveryId: p.string().primary(),
    webhookId: p.string(),
    eventId: p.string(),
    eventType: p.string().$type<EventType>(),
    url: p.string(),
    status: p.string().$type<DeliveryStatus>(),
    errorCode: p.string().$type<DeliveryError>().nullable(),
    attemptCount: p.smallint(),
    attemptedAt: time().nullable(),
    nextAttemptAt: time().nullable(),
    responseStatusCode: p.smallint().nullable(),
    responseTimeMs: p.integer().nullable(),
    responseBodyExcerpt: p.string().nullable(),
    redeliveryOf: p.string().nullable(),
    redeliveredAs: p.string().nullable(),
    /** The subscription's epoch at its creation. */
    epoch: p.integer(),
    createdAt: time(),
  },
});
export type WebhookDelivery = InferEntity<typeof WebhookDeliveryEntity>;
