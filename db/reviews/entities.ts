import { defineEntity, p } from '@mikro-orm/core';
import { storeId, textList, time } from '../kernel/columns.ts';

/** A standing review of an order item, with product and option as they were bought. */
export const ReviewEntity = defineEntity({
  name: 'Review',
  tableName: 'review',
  properties: {
    storeId: storeId(),
    reviewId: p.string().primary(),
    productId: p.string(),
    productName: p.string(),
    orderId: p.string(),
    orderItemId: p.string(),
    optionLabel: p.string().nullable(),
    customerId: p.string(),
    rating: p.smallint(),
    content: p.string(),
    images: textList(),
    /** What it earned when it was written. */
    rewardPoint: p.integer().default(0),
    createdAt: time(),
    updatedAt: time(),
  },
});

/** An item that was reviewed once; its later reviews earn nothing. */
export const ReviewedItemEntity = defineEntity({
  name: 'ReviewedItem',
  tableName: 'reviewed_item',
  properties: { storeId: storeId(), orderItemId: p.string().primary(), reviewedAt: time() },
});
