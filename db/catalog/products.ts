/** Products with their variants: registering, reading, and what buyers see of them. */
import type { OptionGroup, WantedVariant } from '../../workflows/catalog/options.ts';
import { variantsOf } from '../../workflows/catalog/options.ts';
import {
  checkPriceUnit,
  type FulfillmentMethod,
  type FulfillmentType,
  METHODS,
  type SalesStatus,
  type ShippingRequest,
  shippingRule,
  variantNo,
} from '../../workflows/catalog/rules.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql, textArray } from '../orm.ts';
import { readStore } from '../stores/store.ts';
import { type Product, ProductEntity, type Variant, VariantEntity } from './entities.ts';
import { recordAll } from './stock.ts';
import { lockCategory, offset, type Page } from './store.ts';

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
  readonly type?: FulfillmentType;
  readonly shipping?: ShippingRequest | null;
  readonly methods?: readonly FulfillmentMethod[];
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
export async function createProduct(em: Em, storeId: string, wanted: NewProduct, at: number): Promise<ProductWithVariants> {
  const type = wanted.type ?? 'SHIPPING';
  checkPriceUnit(wanted.salePrice);
  const store = await readStore(em, storeId);
  const category = await lockCategory(em, storeId, wanted.categoryId);
  if (!category.isLeaf) throw new Fault('CATEGORY_NOT_LEAF');
  const [taken] = await sql<{ no: number }>(
    em,
    'UPDATE store SET next_product_no = next_product_no + 1 WHERE store_id = ? RETURNING next_product_no - 1 AS no',
    [storeId],
  );
  const productNo = taken!.no;
  const productId = newId('prd', at);
  const groups = wanted.optionGroups ?? [];
  const wantedVariants = variantsOf(groups, wanted.variants ?? []);
  const now = new Date(at);
  const product = em.create(ProductEntity, {
    storeId,
    productId,
    productNo,
    name: wanted.name,
    description: wanted.description ?? null,
    images: [...(wanted.images ?? [])],
    salePriceWon: wanted.salePrice,
    originalPriceWon: wanted.originalPrice ?? null,
    categoryId: category.categoryId,
    status: 'ON_SALE',
    inventoryMode: 'STANDARD',
    fulfillmentType: type,
    ...(type === 'SHIPPING' ? shippingRule(wanted.shipping ?? {}, store.baseDeliveryFeeWon) : NOT_SHIPPED),
    methods: wanted.methods ? [...new Set(wanted.methods)] : [METHODS[type][0]],
    optionGroups: groups.map(({ name, values }) => ({ name, values: [...values] })),
    nextVariantSeq: wantedVariants.length + 1,
    createdAt: now,
    updatedAt: now,
  });
  const variants = wantedVariants.map((variant, i) => newVariant(em, product, variant, i + 1, wanted.stockQuantity ?? 0, at));
  em.persist([product, ...variants]);
  await em.flush();
  const stocked = variants.filter((variant) => variant.stockQuantity > 0);
  await recordAll(
    em,
    storeId,
    stocked.map(({ variantId, stockQuantity: quantity }) => ({ variantId, quantity })),
    { reason: 'INITIAL', reference: productId, at },
  );
  return { product, variants, isSold: false };
}

/** A product without options has one variant, whose stock is the product's. */
function newVariant(em: Em, product: Product, variant: WantedVariant, seq: number, ownStock: number, at: number): Variant {
  return em.create(VariantEntity, {
    storeId: product.storeId,
    productId: product.productId,
    variantId: newId('var', at),
    variantNo: variantNo(product.productNo, seq),
    seq,
    optionValues: [...variant.optionValues],
    stockQuantity: variant.stockQuantity ?? (variant.optionValues.length === 0 ? ownStock : 0),
    additionalPriceWon: variant.additionalPrice ?? 0,
    isSellable: variant.isSellable ?? true,
    sku: variant.sku ?? null,
    barcode: variant.barcode ?? null,
    sellerCode: variant.sellerCode ?? null,
    costPriceWon: variant.costPrice ?? null,
    weightGram: variant.weightGram ?? null,
    attributes: variant.attributes ?? null,
  });
}

const NOT_SHIPPED = { deliveryType: 'FREE', deliveryFeeWon: 0, conditionalFreeWon: null } as const;

export async function readProduct(em: Em, storeId: string, productId: string): Promise<ProductWithVariants> {
  const product = await em.findOne(ProductEntity, { storeId, productId, deletedAt: null });
  if (!product) throw new Fault('PRODUCT_NOT_FOUND');
  return (await withVariants(em, storeId, [product]))[0]!;
}

/** Products with their variants and whether they were ever ordered: two queries whatever the number. */
async function withVariants(em: Em, storeId: string, products: readonly Product[]): Promise<ProductWithVariants[]> {
  const productIds = products.map((product) => product.productId);
  const variants = await em.find(VariantEntity, { storeId, productId: { $in: productIds } }, { orderBy: { seq: 'asc' } });
  const sold = await sql<{ product_id: string }>(
    em,
    `SELECT v.product_id FROM variant v WHERE v.store_id = ? AND v.product_id = ANY(?::text[])
       AND EXISTS (SELECT 1 FROM order_item i WHERE i.store_id = v.store_id AND i.variant_id = v.variant_id)`,
    [storeId, textArray(productIds)],
  );
  const isSold = new Set(sold.map((row) => row.product_id));
  const byProduct = Map.groupBy(variants, (variant) => variant.productId);
  return products.map((product) => ({ product, variants: byProduct.get(product.productId) ?? [], isSold: isSold.has(product.productId) }));
}

export interface ProductFilter extends Page {
  readonly productNo?: number;
  readonly status?: SalesStatus;
}

/** Products, newest number first, with their variants: four queries whatever the page holds. */
export async function listProducts(
  em: Em,
  storeId: string,
  filter: ProductFilter,
): Promise<{ items: ProductWithVariants[]; total: number }> {
  const where = {
    storeId,
    deletedAt: null,
    ...(filter.productNo !== undefined && { productNo: filter.productNo }),
    ...(filter.status !== undefined && { status: filter.status }),
  };
  const [products, total] = await em.findAndCount(ProductEntity, where, { orderBy: { productNo: 'desc' }, ...offset(filter) });
  return { items: await withVariants(em, storeId, products), total };
}

export type Sellable = Omit<ProductWithVariants, 'isSold'>;

/** Products and their variants by product id, for checkouts: two queries. */
export async function findSellable(em: Em, storeId: string, productIds: readonly string[]): Promise<Map<string, Sellable>> {
  const products = await em.find(ProductEntity, { storeId, productId: { $in: [...productIds] } });
  const variants = await em.find(VariantEntity, { storeId, productId: { $in: [...productIds] } }, { orderBy: { seq: 'asc' } });
  const byProduct = Map.groupBy(variants, (variant) => variant.productId);
  return new Map(products.map((product) => [product.productId, { product, variants: byProduct.get(product.productId) ?? [] }]));
}
