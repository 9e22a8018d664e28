import type { Cut } from '../declare/shortened.ts';

/** The free texts of orders and items. */
const texts = [
  'productName',
  'optionLabel',
  'note',
  'reason',
  'sellerMemo',
  'message',
  'label',
  'name',
  'receiver',
  'receiverName',
  'address',
  'address1',
  'address2',
  'detailAddress',
  'contact',
  'availableHours',
];
export const ITEM_CUT: Cut = { texts };
/** Orders that are still too large lose their last items. */
export const ORDER_CUT: Cut = { texts, list: 'items' };
