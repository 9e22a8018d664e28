import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { storeId, time, won } from '../kernel/columns.ts';

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
    autoDeliverDays: p.integer(),
    autoConfirmDays: p.integer(),
    baseDeliveryFeeWon: won(),
    createdAt: time(),
  },
});
export type Store = InferEntity<typeof StoreEntity>;
