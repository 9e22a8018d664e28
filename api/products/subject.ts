/** Products as previews and the audit log show them. */
import { lockForChange } from '../../db/products/changes.ts';
import { readBy, shownBy, type Subject } from '../kernel/subject.ts';
import { get } from './get.ts';
import { readCalendar } from './readCalendar.ts';

export const PRODUCT: Subject = shownBy(get, {
  type: 'PRODUCT',
  idField: 'productId',
  lock: lockForChange,
  given: ['productId', 'productNo', 'variantId', 'variantNo'],
});

interface Night {
  readonly date: string;
  readonly variantId: string;
}
/** The nights that a request writes: `var_….2026-11-24.price`. */
export const CALENDAR: Subject = {
  ...PRODUCT,
  listing: {},
  data: null,
  read: async (tx, productId, viewed) => {
    const { from, to, variantIds } = viewed.body as { readonly from: string; readonly to: string; readonly variantIds: readonly string[] };
    const { days } = (await readBy(readCalendar, { productId }, { from, to }, tx, viewed)) as { readonly days: readonly Night[] };
    const written = new Set(variantIds);
    const nights: Record<string, Record<string, object>> = {};
    for (const { date, variantId, ...night } of days) if (written.has(variantId)) (nights[variantId] ??= {})[date] = night;
    return nights;
  },
};
