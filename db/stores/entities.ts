import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { RefundPolicy } from '../../domain/products/refundPolicy.ts';
import { storeId, textList, time, won } from '../kernel/columns.ts';

export const StoreEntity = defineEntity({
  name: 'Store',
  tableName: 'store',
  properties: {
    storeId: storeId(),
    storeCode: p.string(),
    name: p.string(),
    sandbox: p.boolean(),
    clockOffsetMs: p.bigint('number'),
    clockLease: p.string().nullable(),
    clockLeaseUntil: time().nullable(),
    nextProductNo: p.integer(),
    autoDeliverDays: p.smallint(),
    autoConfirmDays: p.smallint(),
    baseDeliveryFeeWon: won(),
    freeThresholdWon: won().nullable(),
    jejuSurchargeWon: won(),
    isolatedSurchargeWon: won(),
    /** Overrides of the default policy. */
    refundPolicy: p.json<Partial<RefundPolicy>>(),
    guestCheckoutEnabled: p.boolean(),
    termsVersion: p.string().nullable(),
    privacyVersion: p.string().nullable(),
    termsUrl: p.string().nullable(),
    privacyUrl: p.string().nullable(),
    analyticsAllowedOrigins: textList(),
    plan: p.string(),
    /** AI actions a month. */
    aiActionsLimit: p.integer(),
    createdAt: time(),
    /** When a site of it was first public; it stays set. */
    everPublicAt: time().nullable(),
    /** When its first order with real money was paid. */
    firstLiveOrderAt: time().nullable(),
    /** Ten digits. */
    taxRegistrationNumber: p.string().nullable(),
  },
});
export type Store = InferEntity<typeof StoreEntity>;
