import type { Cut, Cuttable } from '../kernel/answers.ts';

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
export const ITEM_CUT: Cut<Cuttable> = { texts };
/** Orders that are still too large lose their last items. */
export const ORDER_CUT: Cut<Cuttable & { readonly items: readonly unknown[] }> = {
  texts,
  further: (order, fits) => {
    let kept = order;
    while (kept.items.length > 1 && !fits(kept)) kept = { ...kept, items: kept.items.slice(0, -1) };
    return kept;
  },
};
