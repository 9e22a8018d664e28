import { ITEM_LISTING, ORDER_LISTING } from '../../db/orders/listings.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject } from '../declare/subject.ts';
import { get } from './get.ts';
import { getItem } from './getItem.ts';

export const ORDER_ITEM: Subject = shownBy(getItem, {
  type: 'ORDER_ITEM',
  idField: 'orderItemId',
  ...ITEM_LISTING,
});

/** As its seller sees it, its items included. */
export const ORDER: Subject = shownBy(get, { type: 'ORDER', idField: 'orderId', ...ORDER_LISTING });
