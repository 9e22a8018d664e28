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
    createdAt: time(),
  },
});
export type Store = InferEntity<typeof StoreEntity>;
