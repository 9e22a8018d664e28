import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { CheckoutLine } from '../../domain/checkout/rules.ts';
import type { PointPreview } from '../../domain/points/use.ts';
import { storeId, textList, time } from '../kernel/columns.ts';

export const CheckoutEntity = defineEntity({
  name: 'Checkout',
  tableName: 'checkout',
  properties: {
    storeId: storeId(),
    checkoutId: p.string().primary(),
    sessionId: p.string(),
    status: p.string().$type<'OPEN' | 'COMPLETED'>(),
    lines: p.json<CheckoutLine[]>(),
    /** Cart lines that are removed from the cart when this is paid. */
    cartItemIds: textList(),
    pickupLocationId: p.string().nullable(),
    /** The last preview of points; null: none, or of nobody who may use them. */
    pointPreview: p.json<PointPreview>().nullable(),
    /** A payment was started; set by a trigger. */
    isTried: p.boolean().default(false),
    expiresAt: time(),
    createdAt: time(),
  },
});
export type Checkout = InferEntity<typeof CheckoutEntity>;
