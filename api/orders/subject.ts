import { ITEM_LISTING } from '../../db/orders/views.ts';
import { shownBy, type Subject } from '../kernel/subject.ts';
import { getItem } from './getItem.ts';

export const ORDER_ITEM: Subject = shownBy(getItem, {
  type: 'ORDER_ITEM',
  idField: 'orderItemId',
  ...ITEM_LISTING,
});
