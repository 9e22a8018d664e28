/** Products as previews and the audit log show them. */
import { lockForChange, writtenVariants } from '../../db/products/changes.ts';
import { type CalendarSpan, nightsOf } from '../../db/products/calendar.ts';
import { readProduct, type VariantRow } from '../../db/products/queries.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { shownBy } from '../declare/shownBy.ts';
import type { Subject, Viewed } from '../declare/subject.ts';
import { get } from './get.ts';
import { viewProduct } from './schemas.ts';

const SHOWN: Subject = shownBy(get, {
  type: 'PRODUCT',
  idField: 'productId',
  lock: lockForChange,
  given: ['productId', 'productNo', 'variants[].variantId', 'variants[].variantNo', 'createdAt', 'updatedAt'],
});

interface Stocked {
  readonly variants: readonly { readonly variantId: string; readonly stockQuantity: number }[];
}
/** A sale takes stock of variants without the product's lock: those that this transaction has not written have the stock that they had. */
async function ownChanges(tx: Tx, productId: string, before: object, after: object): Promise<object> {
  const stocks = new Map((before as Stocked).variants.map(({ variantId, stockQuantity }) => [variantId, stockQuantity]));
  const stockOf = ({ variantId, stockQuantity }: Stocked['variants'][number]) => stocks.get(variantId) ?? stockQuantity;
  if ((after as Stocked).variants.every((variant) => stockOf(variant) === variant.stockQuantity)) return after;
  const written = await writtenVariants(tx, productId);
  const found = await readProduct(tx, productId);
  const own = (variant: VariantRow) => (written.has(variant.variantId) ? variant : { ...variant, stockQuantity: stockOf(variant) });
  return viewProduct({ ...found, variants: found.variants.map(own) });
}
export const PRODUCT: Subject = { ...SHOWN, ownChanges };

/**
 * What a change of prices is judged by beside them: what buyers pay depends on the discount too. Without a price in the request it
 * says nothing.
 */
export const discountOf = (product: Readonly<Record<string, unknown>>, { body }: Viewed): object =>
  ['salePrice', 'optionGroups', 'variants'].some((name) => name in (body as object)) ? { discount: product['discount'] ?? null } : {};

/** The nights that a request writes: `var_….2026-11-24.price`. */
export const CALENDAR: Subject = {
  ...SHOWN,
  listing: {},
  data: null,
  isPlain: true,
  read: (tx, productId, { body }) => {
    const { variantIds, ...span } = body as CalendarSpan & { readonly variantIds: readonly string[] };
    return nightsOf(tx, { storeId: tx.storeId, productId }, variantIds, span);
  },
};
