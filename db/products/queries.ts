/** Reads of products with their variants: a page in one query, as plain objects instead of entities. */
import { Fault } from '../../domain/kernel/errors.ts';
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
export interface Sellable {
  readonly product: ProductRow;
  /** In the order of their combinations. */
  readonly variants: readonly VariantRow[];
}
export interface ProductWithVariants extends Sellable {
  /** It was ordered, which locks its fulfillment type (D61). */
  readonly isSold: boolean;
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const object = (fields: readonly string[], alias: Fragment): Fragment =>
  fragment`json_build_object(${joined(fields.map((field) => fragment`${literal(field)}, ${alias}.${identifier(snake(field))}`))})`;
/** `product p` with its variants that are not deleted. */
const SELLABLE = fragment`json_build_object('product', ${object(PRODUCT_FIELDS, fragment`p`)}, 'variants', coalesce((
   SELECT json_agg(${object(VARIANT_FIELDS, fragment`v`)} ORDER BY v.seq) FROM variant v
   WHERE v.store_id = p.store_id AND v.product_id = p.product_id AND v.deleted_at IS NULL), '[]'),
   'isSold', EXISTS (SELECT 1 FROM order_item i WHERE i.store_id = p.store_id AND i.product_id = p.product_id))`;

type Json<T> = { readonly [K in keyof T]: T[K] extends Date ? string : T[K] };
type Found = { readonly product: Json<ProductRow>; readonly variants: readonly VariantRow[]; readonly isSold: boolean };
/** Parses times, which are text inside JSON. */
const revive = ({ product, ...rest }: Found): ProductWithVariants => ({
  ...rest,
  product: {
    ...product,
    createdAt: new Date(product.createdAt),
    updatedAt: new Date(product.updatedAt),
    deletedAt: product.deletedAt ? new Date(product.deletedAt) : null,
  },
});

export async function readProduct({ sql, storeId }: Tx, productId: string): Promise<ProductWithVariants> {
  const [row] = await sql<{ found: Found }>`
    SELECT ${SELLABLE} AS found FROM product p WHERE p.store_id = ${storeId} AND p.product_id = ${productId} AND p.deleted_at IS NULL`;
  if (!row) throw new Fault('PRODUCT_NOT_FOUND');
  return revive(row.found);
}

/** Products by id, deleted ones included, and the store's address book, for the pricing of carts and checkouts. One query. */
export async function findSellable(
  { sql, storeId }: Tx,
  productIds: readonly string[],
): Promise<{ sellable: Map<string, Sellable>; addresses: AddressRow[] }> {
  const [row] = await sql<{ found: Found[] | null; addresses: AddressRow[] | null }>`
    SELECT (SELECT json_agg(${SELLABLE}) FROM product p WHERE p.store_id = ${storeId}
    AND p.product_id = ANY(${productIds}::text[])) AS found,
       (SELECT json_agg(${object(ADDRESS_FIELDS, fragment`a`)}) FROM seller_address a WHERE a.store_id = ${storeId}) AS addresses`;
  const sellable = new Map((row!.found ?? []).map((found) => [found.product.productId, revive(found)]));
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
 * Products with their variants, highest number first: page and total in one query. Filters other than by status count rows; otherwise the
 * total comes from maintained counts.
 */
export async function listProducts({ sql, storeId }: Tx, filter: ProductFilter): Promise<{ items: ProductWithVariants[]; total: number }> {
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
  const [row] = await sql<{ total: string; items: Found[] | null }>`
    SELECT ${total} AS total,
       (SELECT json_agg(page.found ORDER BY page.no DESC) FROM (
          SELECT p.product_no AS no, ${SELLABLE} AS found FROM product p WHERE ${where} ORDER BY p.product_no DESC
            LIMIT ${limit} OFFSET ${skip}) page) AS items`;
  return { items: (row!.items ?? []).map(revive), total: Number(row!.total) };
}
