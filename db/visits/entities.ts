import { defineEntity, p } from '@mikro-orm/core';
import type { VisitEventType } from '../../domain/visits/rules.ts';
import { storeId, time } from '../kernel/columns.ts';

const bigSum = () => p.bigint('number').defaultRaw('0');

/** An event of a visit: what a page reported, or what the server recorded with its headers. */
export const VisitEventEntity = defineEntity({
  name: 'VisitEvent',
  tableName: 'visit_event',
  properties: {
    storeId: storeId(),
    /** Sorts by the real time of its request; its day is the partition. */
    batchId: p.string().primary(),
    position: p.smallint().primary(),
    type: p.string().$type<VisitEventType>(),
    createdAt: time(),
    visitorId: p.string().nullable(),
    sessionId: p.string().nullable(),
    path: p.string().nullable(),
    productId: p.string().nullable(),
    referrer: p.string().nullable(),
    utmSource: p.string().nullable(),
    utmMedium: p.string().nullable(),
    utmCampaign: p.string().nullable(),
    /** Where it says that the session came from; null: it is no view. */
    source: p.string().nullable(),
    medium: p.string().nullable(),
    quantity: p.integer().defaultRaw('0'),
    amountWon: bigSum(),
    isTest: p.boolean().defaultRaw('false'),
  },
});
/** A batch of events that is not counted yet. */
export const VisitBatchEntity = defineEntity({
  name: 'VisitBatch',
  tableName: 'visit_batch',
  properties: { storeId: storeId(), createdAt: time().primary(), batchId: p.string().primary(), eventCount: p.smallint() },
});
/** How many events of a Korean day were taken: of the store (an empty key), from an address, of a visitor. */
export const VisitUseEntity = defineEntity({
  name: 'VisitUse',
  tableName: 'visit_use',
  properties: {
    storeId: storeId(),
    day: p.date().primary(),
    /** A keyed digest. */
    key: p.string().primary(),
    events: p.integer(),
    createdAt: time(),
  },
});
/** How many events of a Korean day were not taken. */
export const VisitDropEntity = defineEntity({
  name: 'VisitDrop',
  tableName: 'visit_drop',
  properties: { storeId: storeId(), day: p.date().primary(), events: p.bigint('number') },
});
/** Up to when a store's visits are counted; its row is locked while they are. */
export const VisitClockEntity = defineEntity({
  name: 'VisitClock',
  tableName: 'visit_clock',
  properties: { storeId: storeId(), computedAt: time().nullable() },
});
/** Where a session came from, as its first event says. */
export const VisitSessionEntity = defineEntity({
  name: 'VisitSession',
  tableName: 'visit_session',
  properties: {
    storeId: storeId(),
    /** A hash. */
    session: p.uuid().primary(),
    firstAt: time(),
    batchId: p.string(),
    position: p.smallint(),
    source: p.string(),
    medium: p.string(),
  },
});
const cell = () => ({ storeId: storeId(), list: p.string().primary(), key: p.string().primary(), medium: p.string().primary() });
/** Who was in a list on a Korean day. */
export const VisitMemberEntity = defineEntity({
  name: 'VisitMember',
  tableName: 'visit_member',
  properties: { ...cell(), who: p.uuid().primary(), day: p.date().primary(), n: p.integer(), createdAt: time() },
});
/** How many of those in a list on a day had been there last on another day before; `-infinity`: not within any period. */
export const VisitDistinctEntity = defineEntity({
  name: 'VisitDistinct',
  tableName: 'visit_distinct',
  properties: { ...cell(), day: p.date().primary(), dayBefore: p.date().primary(), n: p.bigint('number') },
});
/** What happened on a Korean day: in all, with a product, or in sessions of a source. */
export const VisitSumEntity = defineEntity({
  name: 'VisitSum',
  tableName: 'visit_sum',
  properties: {
    ...cell(),
    day: p.date().primary(),
    isTest: p.boolean().primary(),
    pageViews: bigSum(),
    productViews: bigSum(),
    cartAdds: bigSum(),
    paymentStarts: bigSum(),
    purchases: bigSum(),
    quantity: bigSum(),
    amountWon: bigSum(),
  },
});
