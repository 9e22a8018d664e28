import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { storeId, time } from '../kernel/columns.ts';

export const PickupLocationEntity = defineEntity({
  name: 'PickupLocation',
  tableName: 'pickup_location',
  properties: {
    storeId: storeId(),
    pickupLocationId: p.string().primary(),
    name: p.string(),
    address: p.string(),
    contact: p.string(),
    availableHours: p.string().nullable(),
    isActive: p.boolean(),
    createdAt: time(),
  },
});
export type PickupLocation = InferEntity<typeof PickupLocationEntity>;
