import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Visit } from '../../domain/checkout/rules.ts';
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
    checkIn: p.date().nullable(),
    checkOut: p.date().nullable(),
    /** The visit that it was put there in; null when the shop sent none. */
    visit: p.json<Visit>().nullable(),
    createdAt: time(),
  },
});
export type CartItem = InferEntity<typeof CartItemEntity>;
