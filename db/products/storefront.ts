/** Products on sale, as buyers see them; a page in one query. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { InventoryMode } from '../../domain/products/calendar.ts';
import type { OptionGroup } from '../../domain/products/options.ts';
import type { Discount } from '../../domain/products/prices.ts';
import type { DeliveryType, FulfillmentMethod, FulfillmentType } from '../../domain/products/rules.ts';
import { EARNS_NOTHING, earningOf, type EarnRules } from '../../domain/points/purchase.ts';
import { counted } from '../feeds/counts.ts';
import { readSwitches } from '../kernel/pointSwitches.ts';
import { type Fragment, allOf, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { FIRST_IMAGE, VARIANT_SUMS, type VariantSums } from './queries.ts';
import { holdsKeyword } from './search.ts';
import type { PageRequest } from '../kernel/page.ts';

/** What a list shows. */
export interface SummarizedProduct {
  readonly product_id: string;
  readonly product_no: number;
  readonly name: string;
  /** In a list at most the first one. */
  readonly images: readonly string[];
  readonly sale_price_won: number;
  readonly original_price_won: number | null;
  readonly category_id: string;
  readonly inventory_mode: InventoryMode;
  readonly discount: Discount | null;
  readonly point_earn_rate_bp: number | null;
  /** The store's; null: it has never named any. */
  readonly earn: EarnRules | null;
  readonly fulfillment_type: FulfillmentType;
  readonly methods: readonly FulfillmentMethod[];
  readonly delivery_type: DeliveryType;
  readonly delivery_fee_won: number;
  readonly conditional_free_won: number | null;
}
export interface ListedShown extends SummarizedProduct {
  readonly sums: VariantSums;
}
export interface ShownProduct extends SummarizedProduct {
  readonly description: string | null;
  readonly option_groups: readonly OptionGroup[];
  readonly variants: readonly {
    readonly id: string;
    readonly no: string;
    readonly values: readonly string[];
    readonly more: number;
    readonly open: boolean;
  }[];
}

const { available } = readSwitches();
/** By what its purchase would earn points. */
export const earningOfShown = ({ earn }: SummarizedProduct): EarnRules => earningOf({ available, purchaseEarn: earn ?? EARNS_NOTHING });

const SUMMARY = fragment`p.product_id, p.product_no, p.name, p.sale_price_won, p.original_price_won, p.category_id,
  p.inventory_mode, p.discount, p.point_earn_rate_bp,
  (SELECT json_build_object('enabled', e.earn_enabled, 'rateBp', e.earn_rate_bp) FROM point_policy e WHERE e.store_id = p.store_id) AS earn,
  p.fulfillment_type, to_json(p.methods) AS methods, p.delivery_type, p.delivery_fee_won, p.conditional_free_won`;
const LISTED = fragment`${SUMMARY}, ${FIRST_IMAGE} AS images, ${VARIANT_SUMS} AS sums`;
const SHOWN = fragment`${SUMMARY}, p.description, p.images, p.option_groups,
  (SELECT json_agg(json_build_object('id', v.variant_id, 'no', v.variant_no, 'values', v.option_values, 'more', v.additional_price_won,
     'open', v.is_sellable AND (v.stock_quantity > 0 OR p.inventory_mode = 'DATED')) ORDER BY v.seq)
   FROM variant v WHERE v.store_id = p.store_id AND v.product_id = p.product_id AND v.deleted_at IS NULL) AS variants`;

export interface ShownFilter extends PageRequest {
  readonly categoryId?: string;
  readonly keyword?: string;
}

/**
 * Products on sale with sums over their variants, newest number first; a category includes those below it. The page and the count in one
 * query, which reads nothing that the list does not show.
 */
export async function listShown({ sql, storeId }: Tx, filter: ShownFilter): Promise<{ items: ListedShown[]; total: number }> {
  const { categoryId, keyword, page, size } = filter;
  const where = allOf([
    fragment`p.store_id = ${storeId} AND p.status = 'ON_SALE' AND p.deleted_at IS NULL`,
    categoryId !== undefined && isBelow(storeId, categoryId),
    keyword !== undefined && holdsKeyword(storeId, keyword),
  ]);
  const isCounted = categoryId === undefined && keyword === undefined;
  const total = isCounted ? counted(storeId, 'product', { status: 'ON_SALE' }) : fragment`(SELECT count(*) FROM product p WHERE ${where})`;
  const [row] = await sql<{ total: string; items: ListedShown[] | null }>`
    SELECT ${total} AS total,
       (SELECT json_agg(shown ORDER BY shown.product_no DESC) FROM (
          SELECT ${LISTED} FROM (SELECT p.* FROM product p WHERE ${where} ORDER BY p.product_no DESC
            LIMIT ${size} OFFSET ${(page - 1) * size}) p) shown) AS items`;
  return { items: row!.items ?? [], total: Number(row!.total) };
}
const isBelow = (storeId: string, categoryId: string): Fragment => fragment`p.category_id IN (WITH RECURSIVE below AS (
    SELECT category_id FROM category WHERE store_id = ${storeId} AND category_id = ${categoryId}
    UNION ALL SELECT c.category_id FROM category c JOIN below b ON c.parent_id = b.category_id WHERE c.store_id = ${storeId})
  SELECT category_id FROM below)`;

/** One product by its id or its number; hidden ones are PRODUCT_NOT_FOUND. */
export async function readShown({ sql, storeId }: Tx, idOrNumber: string): Promise<ShownProduct> {
  const [row] = await sql<ShownProduct>`SELECT ${SHOWN} FROM product p WHERE ${isShown(storeId, idOrNumber)}`;
  if (!row) throw new Fault('PRODUCT_NOT_FOUND');
  return row;
}

const isNamed = (storeId: string, idOrNumber: string): Fragment =>
  fragment`p.store_id = ${storeId} AND p.deleted_at IS NULL AND ${
    /^\d{1,9}$/.test(idOrNumber) ? fragment`p.product_no = ${Number(idOrNumber)}` : fragment`p.product_id = ${idOrNumber}`
  }`;
/** `product p` is the one of this id or number, and buyers see it. */
export const isShown = (storeId: string, idOrNumber: string): Fragment =>
  fragment`${isNamed(storeId, idOrNumber)} AND p.status = 'ON_SALE'`;

/** The product of an id or number, which is not deleted before this transaction ends. PRODUCT_NOT_FOUND, unless hidden ones count too. */
export async function holdProduct(
  { sql, storeId }: Tx,
  idOrNumber: string,
  { isHiddenToo }: { readonly isHiddenToo: boolean },
): Promise<string> {
  const where = isHiddenToo ? isNamed(storeId, idOrNumber) : isShown(storeId, idOrNumber);
  const [row] = await sql<{ product_id: string }>`SELECT p.product_id FROM product p WHERE ${where} FOR SHARE`;
  if (!row) throw new Fault('PRODUCT_NOT_FOUND');
  return row.product_id;
}
