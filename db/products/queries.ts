/** Reads of products with their variants: a page in one query, as plain objects instead of entities. */
import { Fault } from '../../domain/kernel/errors.ts';
import { dateOf } from '../../domain/kernel/time.ts';
import { counted } from '../feeds/counts.ts';
import { type Fragment, allOf, fragment, identifier, joined, literal } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { SellerAddress } from '../addresses/entities.ts';
import type { Product, Variant } from './entities.ts';
import type { SalesStatus } from '../../domain/products/rules.ts';
import { gramsWanted, holdsKeyword } from './search.ts';
import { offset, type PageRequest } from '../kernel/page.ts';

const PRODUCT_FIELDS = [
  'storeId',
  'productId',
  'productNo',
  'name',
  'description',
  'images',
  'salePriceWon',
  'originalPriceWon',
  'categoryId',
  'status',
  'inventoryMode',
  'deliveryType',
  'deliveryFeeWon',
  'conditionalFreeWon',
  'fulfillmentType',
  'methods',
  'shippingAddressId',
  'returnAddressId',
  'optionGroups',
  'refundPolicy',
  'pointEarnRateBp',
  'flowId',
  'discount',
  'version',
  'createdAt',
  'updatedAt',
  'deletedAt',
] as const satisfies readonly (keyof Product)[];
const VARIANT_FIELDS = [
  'variantId',
  'variantNo',
  'optionValues',
  'stockQuantity',
  'additionalPriceWon',
  'isSellable',
  'sku',
  'barcode',
  'sellerCode',
  'costPriceWon',
  'weightGram',
  'attributes',
] as const satisfies readonly (keyof Variant)[];

const ADDRESS_FIELDS = [
  'addressId',
  'type',
  'name',
  'receiver',
  'mobile',
  'zipCode',
  'address',
  'detailAddress',
  'isDefault',
] as const satisfies readonly (keyof SellerAddress)[];

export type AddressRow = Pick<SellerAddress, (typeof ADDRESS_FIELDS)[number]>;
export type ProductRow = Pick<Product, (typeof PRODUCT_FIELDS)[number]>;
export type VariantRow = Pick<Variant, (typeof VARIANT_FIELDS)[number]>;
/** What the pricing of carts and checkouts reads. */
const UNPRICED = ['description', 'optionGroups', 'images'] as const satisfies readonly (keyof ProductRow)[];
const PRICED_FIELDS = PRODUCT_FIELDS.filter((field) => !UNPRICED.some((left) => left === field));
const PRICED_VARIANT = [
  'variantId',
  'variantNo',
  'optionValues',
  'stockQuantity',
  'additionalPriceWon',
  'isSellable',
] as const satisfies readonly (keyof VariantRow)[];
export interface Sellable {
  readonly product: Omit<ProductRow, (typeof UNPRICED)[number]>;
  /** Those that are asked for and the first two, in the order of their combinations. */
  readonly variants: readonly Pick<VariantRow, (typeof PRICED_VARIANT)[number]>[];
}
/** Sums over a product's variants; `min` and `max`: additional prices, in won. */
export interface VariantSums {
  readonly count: number;
  /** Of sellable ones. */
  readonly stock: number;
  readonly min: number;
  readonly max: number;
  /** Buyers can have one: of a DATED product, on a night that has stock. */
  readonly isOpen: boolean;
}
/** A product as a list has it. */
export interface ListedProduct {
  readonly product: Omit<ProductRow, (typeof UNLISTED)[number]>;
  /** At most the first one. */
  readonly images: readonly string[];
  readonly variants: VariantSums;
  readonly isSold: boolean;
}
export interface ProductWithVariants {
  readonly product: ProductRow;
  /** In the order of their combinations. */
  readonly variants: readonly VariantRow[];
  /** It was ordered, which locks its fulfillment type. */
  readonly isSold: boolean;
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const object = (fields: readonly string[], alias: Fragment): Fragment =>
  fragment`json_build_object(${joined(fields.map((field) => fragment`${literal(field)}, ${alias}.${identifier(snake(field))}`))})`;
/** Whether `product p` was ever ordered. */
const IS_SOLD = fragment`EXISTS (SELECT 1 FROM order_item i WHERE i.store_id = p.store_id AND i.product_id = p.product_id)`;
/** `product p` with its variants that are not deleted. */
const SELLABLE = fragment`json_build_object('product', ${object(PRODUCT_FIELDS, fragment`p`)}, 'variants', coalesce((
   SELECT json_agg(${object(VARIANT_FIELDS, fragment`v`)} ORDER BY v.seq) FROM variant v
   WHERE v.store_id = p.store_id AND v.product_id = p.product_id AND v.deleted_at IS NULL), '[]'),
   'isSold', ${IS_SOLD})`;

/** What a list leaves out or cuts. */
const UNLISTED = ['description', 'optionGroups', 'images', 'deletedAt'] as const satisfies readonly (keyof ProductRow)[];
const LISTED_FIELDS = PRODUCT_FIELDS.filter((field) => !UNLISTED.some((left) => left === field));
/** Of the variants of `product p` that are not deleted, what a list tells. */
export const VARIANT_SUMS = fragment`(SELECT json_build_object('count', count(*), 'stock', coalesce(sum(v.stock_quantity) FILTER (WHERE
     v.is_sellable), 0), 'min', coalesce(min(v.additional_price_won), 0), 'max', coalesce(max(v.additional_price_won), 0), 'isOpen',
     coalesce(bool_or(v.is_sellable AND (v.stock_quantity > 0 OR p.inventory_mode = 'DATED')), false))
   FROM variant v WHERE v.store_id = p.store_id AND v.product_id = p.product_id AND v.deleted_at IS NULL)`;
/** The first image of `product p`, in a list. */
export const FIRST_IMAGE = fragment`jsonb_path_query_array(p.images, '$[0]')`;
const LISTED = fragment`json_build_object('product', ${object(LISTED_FIELDS, fragment`p`)}, 'images', ${FIRST_IMAGE},
   'variants', ${VARIANT_SUMS}, 'isSold', ${IS_SOLD})`;

type Json<T> = { readonly [K in keyof T]: T[K] extends Date ? string : T[K] };
type Found = { readonly product: Json<ProductRow>; readonly variants: readonly VariantRow[]; readonly isSold: boolean };
type FoundOfList = Omit<ListedProduct, 'product'> & { readonly product: Json<ListedProduct['product']> };
/** Parses times, which are text inside JSON. */
const timesOf = ({ createdAt, updatedAt }: { readonly createdAt: string; readonly updatedAt: string }) => ({
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
});
const revived = <P extends Json<Pick<ProductRow, 'createdAt' | 'updatedAt' | 'deletedAt'>>>(product: P) => ({
  ...product,
  ...timesOf(product),
  deletedAt: dateOf(product.deletedAt),
});
const revive = ({ product, ...rest }: Found): ProductWithVariants => ({ ...rest, product: revived(product) });

export async function readProduct({ sql, storeId }: Tx, productId: string): Promise<ProductWithVariants> {
  const [row] = await sql<{ found: Found }>`
    SELECT ${SELLABLE} AS found FROM product p WHERE p.store_id = ${storeId} AND p.product_id = ${productId} AND p.deleted_at IS NULL`;
  if (!row) throw new Fault('PRODUCT_NOT_FOUND');
  return revive(row.found);
}

/**
 * Products by id, deleted ones included, and the store's address book, for the pricing of carts and checkouts. One query, which reads of
 * each product's variants these and the first two, so that a cart of a hundred products with five hundred variants each costs little.
 */
export async function findSellable(
  { sql, storeId }: Tx,
  productIds: readonly string[],
  variantIds: readonly string[],
): Promise<{ sellable: Map<string, Sellable>; addresses: AddressRow[] }> {
  const variants = fragment`coalesce((SELECT json_agg(${object(PRICED_VARIANT, fragment`v`)} ORDER BY v.seq) FROM variant v
     WHERE v.store_id = p.store_id AND v.product_id = p.product_id AND v.deleted_at IS NULL
       AND (v.variant_id = ANY (${variantIds}::text[]) OR v.variant_id = ANY (ARRAY(SELECT first.variant_id FROM variant first
         WHERE first.store_id = p.store_id AND first.product_id = p.product_id AND first.deleted_at IS NULL ORDER BY first.seq LIMIT 2)))),
           '[]')`;
  type Priced = { readonly product: Json<Sellable['product']>; readonly variants: Sellable['variants'] };
  const [row] = await sql<{ found: Priced[] | null; addresses: AddressRow[] | null }>`
    SELECT (SELECT json_agg(json_build_object('product', ${object(PRICED_FIELDS, fragment`p`)}, 'variants', ${variants})) FROM product p
      WHERE p.store_id = ${storeId}
    AND p.product_id = ANY(${productIds}::text[])) AS found,
       (SELECT json_agg(${object(ADDRESS_FIELDS, fragment`a`)}) FROM seller_address a WHERE a.store_id = ${storeId}) AS addresses`;
  const sellable = new Map((row!.found ?? []).map(({ product, ...rest }) => [product.productId, { ...rest, product: revived(product) }]));
  return { sellable, addresses: row!.addresses ?? [] };
}

export interface ProductFilter extends PageRequest {
  readonly productNo?: number;
  readonly status?: SalesStatus;
  readonly categoryId?: string;
  /** A part of the name. */
  readonly keyword?: string;
}

/**
 * Products with sums over their variants, highest number first: page and total in one query, which reads neither variants nor texts that
 * the list does not show, and nothing of rows that it passes over. Filters other than by status count rows; otherwise the total comes
 * from maintained counts.
 */
export async function listProducts({ sql, storeId }: Tx, filter: ProductFilter): Promise<{ items: ListedProduct[]; total: number }> {
  const { productNo, status, categoryId, keyword } = filter;
  const isSearch = keyword !== undefined && gramsWanted(keyword).length > 0;
  const where = allOf([
    fragment`p.store_id = ${storeId} AND p.deleted_at IS NULL`,
    productNo !== undefined && fragment`p.product_no = ${productNo}`,
    status !== undefined && fragment`p.status = ${status}`,
    categoryId !== undefined && fragment`p.category_id = ${categoryId}`,
    isSearch && holdsKeyword(storeId, keyword),
  ]);
  const { limit, offset: skip } = offset(filter);
  const isCounted = productNo === undefined && categoryId === undefined && keyword === undefined;
  const total = isCounted ? counted(storeId, 'product', { status }) : fragment`(SELECT count(*) FROM product p WHERE ${where})`;
  const [row] = await sql<{ total: string; items: FoundOfList[] | null }>`
    SELECT ${total} AS total,
       (SELECT json_agg(${LISTED} ORDER BY p.product_no DESC) FROM (
          SELECT p.* FROM product p WHERE ${where} ORDER BY p.product_no DESC LIMIT ${limit} OFFSET ${skip}) p) AS items`;
  const items = (row!.items ?? []).map(({ product, ...rest }) => ({ ...rest, product: { ...product, ...timesOf(product) } }));
  return { items, total: Number(row!.total) };
}
