/** Products as previews and the audit log show them. */
import { isDeepStrictEqual } from 'node:util';
import { lockForChange, writtenVariants } from '../../db/products/changes.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { readBy, shownBy, type Subject } from '../kernel/subject.ts';
import { get } from './get.ts';
import { readCalendar } from './readCalendar.ts';

const SHOWN: Subject = shownBy(get, {
  type: 'PRODUCT',
  idField: 'productId',
  lock: lockForChange,
  given: ['productId', 'productNo', 'variantId', 'variantNo'],
});

interface WithVariants {
  readonly variants: readonly { readonly variantId: string }[];
}
/** Sales take stock of variants without the product's lock: those that this transaction has not written are as they were. */
async function ownChanges(tx: Tx, productId: string, before: object, after: object): Promise<object> {
  const was = new Map((before as WithVariants).variants.map((variant) => [variant.variantId, variant]));
  const { variants } = after as WithVariants;
  const differs = variants.some((variant) => was.has(variant.variantId) && !isDeepStrictEqual(was.get(variant.variantId), variant));
  if (!differs) return after;
  const written = await writtenVariants(tx, productId);
  const own = variants.map((variant) => (written.has(variant.variantId) ? variant : (was.get(variant.variantId) ?? variant)));
  return { ...after, variants: own };
}
export const PRODUCT: Subject = { ...SHOWN, ownChanges };

interface Night {
  readonly date: string;
  readonly variantId: string;
}
/** The nights that a request writes: `var_….2026-11-24.price`. */
export const CALENDAR: Subject = {
  ...SHOWN,
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
