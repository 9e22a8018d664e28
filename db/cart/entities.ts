import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { storeId, time } from '../kernel/columns.ts';

export const CartItemEntity = defineEntity({
  name: 'CartItem',
  tableName: 'cart_item',
  properties: {
    storeId: storeId(),
    cartItemId: p.string().primary(),
    sessionId: p.string(),
    productId: p.string(),
    variantId: p.string(),
    quantity: p.integer(),
    /** `YYYY-MM-DD`; both or neither. */
    checkIn: p.string().nullable(),
    checkOut: p.string().nullable(),
    createdAt: time(),
  },
});
export type CartItem = InferEntity<typeof CartItemEntity>;
