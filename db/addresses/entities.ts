import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { AddressType } from '../../domain/products/rules.ts';
import { storeId, time } from '../kernel/columns.ts';

export const SellerAddressEntity = defineEntity({
  name: 'SellerAddress',
  tableName: 'seller_address',
  properties: {
    storeId: storeId(),
    addressId: p.string().primary(),
    type: p.string().$type<AddressType>(),
    name: p.string(),
    receiver: p.string(),
    mobile: p.string(),
    zipCode: p.string(),
    address: p.string(),
    detailAddress: p.string().nullable(),
    isDefault: p.boolean(),
    createdAt: time(),
  },
});
export type SellerAddress = InferEntity<typeof SellerAddressEntity>;
