import { defineEntity, p } from '@mikro-orm/core';
import { storeId, time } from '../kernel/columns.ts';

/** The last change and the last event of a store. */
export const FeedEntity = defineEntity({
  name: 'Feed',
  tableName: 'feed',
  properties: { storeId: storeId(), changedAt: time().nullable(), eventNo: p.bigint('number').defaultRaw('0') },
});

export type CountedList = 'orders' | 'order_item' | 'product' | 'claim' | 'review' | 'inquiry';
/** Rows of a list in a status; written by triggers. */
export const ListCountEntity = defineEntity({
  name: 'ListCount',
  tableName: 'list_count',
  properties: {
    storeId: storeId(),
    list: p.string().$type<CountedList>().primary(),
    status: p.string().primary(),
    isTest: p.boolean().primary(),
    n: p.bigint('number'),
  },
});

/** Rows of a product's list: reviews by rating, inquiries by status; written by triggers. */
export const ProductListCountEntity = defineEntity({
  name: 'ProductListCount',
  tableName: 'product_list_count',
  properties: {
    storeId: storeId(),
    productId: p.string().primary(),
    list: p.string().$type<ProductList>().primary(),
    value: p.string().primary(),
    n: p.bigint('number'),
  },
});
export type ProductList = Extract<CountedList, 'review' | 'inquiry'>;
