/** Products with their variants: registering and reading (part A § Product). Changes: changes.ts. */
import type { InventoryMode } from '../../workflows/catalog/calendar.ts';
import {
  type FulfillmentRequest,
  refundOverrides,
  type RefundPolicyRequest,
  wholeFulfillment,
} from '../../workflows/catalog/fulfillment.ts';
import type { OptionGroup, WantedVariant } from '../../workflows/catalog/options.ts';
import { checkPriceUnit, type SalesStatus } from '../../workflows/catalog/rules.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { checkAddress, defaultAddresses } from '../addresses/store.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql, textArray } from '../orm.ts';
import { readStore } from '../stores/store.ts';
import { lockCategory } from './categories.ts';
import { type Product, ProductEntity, type Variant, VariantEntity } from './entities.ts';
import { setVariants } from './options.ts';
import { gramsWanted, holdsKeyword, indexName, keywordValues } from './search.ts';
import type { Moment } from './stock.ts';
import { offset, type Page } from './store.ts';

export interface NewProduct {
  readonly name: string;
  readonly description?: string | null;
  readonly images?: readonly string[];
  readonly salePrice: number;
  readonly originalPrice?: number | null;
  readonly categoryId: string;
  readonly stockQuantity?: number;
  readonly optionGroups?: readonly OptionGroup[];
  readonly variants?: readonly WantedVariant[];
  readonly fulfillment?: FulfillmentRequest;
  readonly refundPolicy?: RefundPolicyRequest | null;
  readonly pointEarnRateBp?: number | null;
  readonly inventoryMode?: InventoryMode;
  readonly flowId?: string | null;
}
export interface ProductWithVariants {
  readonly product: Product;
  readonly variants: readonly Variant[];
  /** It has been ordered: sales history locks its type (D61). */
  readonly isSold: boolean;
}

/**
 * Registers a product with a variant for each combination of its options. Numbers are taken in the same transaction: a failed
 * registration burns none (D56). One insert per table, whatever the number of variants.
 */
export async function createProduct(
  em: Em,
  storeId: string,
  wanted: NewProduct,
  reference: string,
  moment: Moment,
): Promise<ProductWithVariants> {
  const { at } = moment;
  checkPriceUnit(wanted.salePrice);
  if (wanted.flowId) throw new Fault('FLOW_NOT_FOUND');
  const category = await openCategory(em, storeId, wanted.categoryId);
  const fulfillment = wholeFulfillment(wanted.fulfillment ?? {}, await storeDefaults(em, storeId));
  await checkAddresses(em, storeId, wanted.fulfillment);
  const refundPolicy = refundOverrides(fulfillment.fulfillmentType, wanted.refundPolicy, null);
  const productId = newId('prd', at);
  const now = new Date(at);
  const product = em.create(ProductEntity, {
    ...fulfillment,
    refundPolicy,
    storeId,
    productId,
    productNo: await nextNumber(em, storeId),
    name: wanted.name,
    description: wanted.description ?? null,
    images: [...(wanted.images ?? [])],
    salePriceWon: wanted.salePrice,
    originalPriceWon: wanted.originalPrice ?? null,
    categoryId: category.categoryId,
    status: 'ON_SALE',
    inventoryMode: wanted.inventoryMode ?? 'STANDARD',
    pointEarnRateBp: wanted.pointEarnRateBp ?? null,
    optionGroups: [],
    nextVariantSeq: 1,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(product);
  await em.flush();
  const { optionGroups = [], variants = [], stockQuantity } = wanted;
  await setVariants(em, product, { optionGroups, variants, ...(stockQuantity !== undefined && { stockQuantity }) }, reference, moment);
  await indexName(em, storeId, productId, wanted.name);
  await em.flush();
  return { product, variants: await variantsOfProduct(em, product), isSold: false };
}

async function nextNumber(em: Em, storeId: string): Promise<number> {
  const [taken] = await sql<{ no: number }>(
    em,
    'UPDATE store SET next_product_no = next_product_no + 1 WHERE store_id = ? RETURNING next_product_no - 1 AS no',
    [storeId],
  );
  return taken!.no;
}

/** A category that takes products: a leaf. */
export async function openCategory(em: Em, storeId: string, categoryId: string) {
  const category = await lockCategory(em, storeId, categoryId);
  if (!category.isLeaf) throw new Fault('CATEGORY_NOT_LEAF');
  return category;
}
/** What the store fills in where a fulfillment says nothing. */
export async function storeDefaults(em: Em, storeId: string) {
  const store = await readStore(em, storeId);
  const { SHIPPING, RETURN } = await defaultAddresses(em, storeId);
  return {
    deliveryFeeWon: store.baseDeliveryFeeWon,
    addressIds: { SHIPPING: SHIPPING?.addressId ?? null, RETURN: RETURN?.addressId ?? null },
  };
}
export async function checkAddresses(em: Em, storeId: string, request: FulfillmentRequest | undefined): Promise<void> {
  const { shippingAddressId, returnAddressId } = request?.shipping ?? {};
  if (shippingAddressId) await checkAddress(em, storeId, shippingAddressId, 'SHIPPING');
  if (returnAddressId) await checkAddress(em, storeId, returnAddressId, 'RETURN');
}

const variantsOfProduct = (em: Em, { storeId, productId }: Product): Promise<Variant[]> =>
  em.find(VariantEntity, { storeId, productId, deletedAt: null }, { orderBy: { seq: 'asc' } });

export async function readProduct(em: Em, storeId: string, productId: string): Promise<ProductWithVariants> {
  const product = await em.findOne(ProductEntity, { storeId, productId, deletedAt: null });
  if (!product) throw new Fault('PRODUCT_NOT_FOUND');
  return { product, variants: await variantsOfProduct(em, product), isSold: await isSold(em, product) };
}

/** Whether it was ever ordered, sandbox orders included (D61). */
export const isSold = async (em: Em, { storeId, productId }: Product): Promise<boolean> =>
  (await soldAmong(em, storeId, [productId])).has(productId);

async function soldAmong(em: Em, storeId: string, productIds: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ product_id: string }>(
    em,
    `SELECT id AS product_id FROM unnest(?::text[]) id WHERE EXISTS (SELECT 1 FROM order_item i WHERE i.store_id = ? AND i.product_id = id)`,
    [textArray(productIds), storeId],
  );
  return new Set(rows.map((row) => row.product_id));
}

export interface ProductFilter extends Page {
  readonly productNo?: number;
  readonly status?: SalesStatus;
  readonly categoryId?: string;
  /** A part of the name. */
  readonly keyword?: string;
}

/** Products, newest number first, with their variants: the page in one query, then variants and sales history, whatever it holds. */
export async function listProducts(
  em: Em,
  storeId: string,
  filter: ProductFilter,
): Promise<{ items: ProductWithVariants[]; total: number }> {
  const { productNo, status, categoryId, keyword } = filter;
  const conditions: (readonly [string, readonly unknown[]])[] = [
    ['p.store_id = ? AND p.deleted_at IS NULL', [storeId]],
    ...(productNo !== undefined ? [['p.product_no = ?', [productNo]] as const] : []),
    ...(status !== undefined ? [['p.status = ?', [status]] as const] : []),
    ...(categoryId !== undefined ? [['p.category_id = ?', [categoryId]] as const] : []),
    ...(keyword !== undefined && gramsWanted(keyword).length > 0 ? [[holdsKeyword, keywordValues(storeId, keyword)] as const] : []),
  ];
  const where = conditions.map(([text]) => text).join(' AND ');
  const values = conditions.flatMap(([, some]) => some);
  const { limit, offset: skip } = offset(filter);
  const rows = await sql<{ total: string; ids: string[] | null }>(
    em,
    `SELECT (SELECT count(*) FROM product p WHERE ${where}) AS total,
       (SELECT json_agg(product_id) FROM (SELECT p.product_id FROM product p WHERE ${where} ORDER BY p.product_no DESC LIMIT ? OFFSET ?) page) AS ids`,
    [...values, ...values, limit, skip],
  );
  const ids = rows[0]!.ids ?? [];
  return { items: ids.length === 0 ? [] : await inOrder(em, storeId, ids), total: Number(rows[0]!.total) };
}

async function inOrder(em: Em, storeId: string, productIds: readonly string[]): Promise<ProductWithVariants[]> {
  const wanted = { storeId, productId: { $in: [...productIds] } };
  const products = await em.find(ProductEntity, wanted, { orderBy: { productNo: 'desc' } });
  const variants = await em.find(VariantEntity, { ...wanted, deletedAt: null }, { orderBy: { seq: 'asc' } });
  const sold = await soldAmong(em, storeId, productIds);
  const byProduct = Map.groupBy(variants, (variant) => variant.productId);
  return products.map((product) => ({
    product,
    variants: byProduct.get(product.productId) ?? [],
    isSold: sold.has(product.productId),
  }));
}

export type Sellable = Omit<ProductWithVariants, 'isSold'>;

/** Products and their variants by product id, for carts and checkouts: two queries. */
export async function findSellable(em: Em, storeId: string, productIds: readonly string[]): Promise<Map<string, Sellable>> {
  const products = await em.find(ProductEntity, { storeId, productId: { $in: [...productIds] } });
  const variants = await em.find(
    VariantEntity,
    { storeId, productId: { $in: [...productIds] }, deletedAt: null },
    { orderBy: { seq: 'asc' } },
  );
  const byProduct = Map.groupBy(variants, (variant) => variant.productId);
  return new Map(products.map((product) => [product.productId, { product, variants: byProduct.get(product.productId) ?? [] }]));
}
