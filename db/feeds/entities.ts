import { defineEntity, p } from '@mikro-orm/core';
import { storeId, time } from '../kernel/columns.ts';

/** The last change and the last event of a store. */
export const FeedEntity = defineEntity({
  name: 'Feed',
  tableName: 'feed',
  properties: { storeId: storeId(), changedAt: time().nullable(), eventNo: p.bigint('number').defaultRaw('0') },
});

export type CountedList = 'orders' | 'order_item' | 'product' | 'claim';
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
