/** Categories, products and their stock. */
import { Fault, invalid } from '../../workflows/kernel/errors.ts';
import {
  CATEGORY_LEVELS,
  checkPriceUnit,
  type FulfillmentMethod,
  type SalesStatus,
  type ShippingRequest,
  shippingRule,
  variantNo,
} from '../../workflows/catalog/rules.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';
import { readStore } from '../stores/store.ts';
import { type Category, CategoryEntity, type Product, ProductEntity, type Variant, VariantEntity } from './entities.ts';
import { record } from './stock.ts';

export async function createCategory(
  em: Em,
  storeId: string,
  wanted: { name: string; parentId?: string | null },
  at: number,
): Promise<Category> {
  const parent = wanted.parentId ? await lockCategory(em, storeId, wanted.parentId) : null;
  if (parent) {
    if (parent.depth >= CATEGORY_LEVELS) throw invalid('parentId', 'OUT_OF_RANGE', `At most ${CATEGORY_LEVELS} levels.`);
    if ((await em.count(ProductEntity, { storeId, categoryId: parent.categoryId, deletedAt: null })) > 0)
      throw new Fault('CATEGORY_IN_USE');
    parent.isLeaf = false;
  }
  const category = em.create(CategoryEntity, {
    storeId,
    categoryId: newId('cat', at),
    name: wanted.name,
    parentId: parent?.categoryId ?? null,
    depth: (parent?.depth ?? 0) + 1,
    isLeaf: true,
    createdAt: new Date(at),
  });
  em.persist(category);
  return category;
}

async function lockCategory(em: Em, storeId: string, categoryId: string): Promise<Category> {
  await sql(em, 'SELECT 1 FROM category WHERE store_id = ? AND category_id = ? FOR UPDATE', [storeId, categoryId]);
  const category = await em.findOne(CategoryEntity, { storeId, categoryId });
  if (!category) throw new Fault('CATEGORY_NOT_FOUND');
  return category;
}

export interface Page {
  readonly page: number;
  readonly size: number;
}
const offset = ({ page, size }: Page) => ({ limit: size, offset: (page - 1) * size });

export const listCategories = (em: Em, storeId: string, page: Page): Promise<[Category[], number]> =>
  em.findAndCount(CategoryEntity, { storeId }, { orderBy: { depth: 'asc', name: 'asc', categoryId: 'asc' }, ...offset(page) });

export interface NewProduct {
  readonly name: string;
  readonly description?: string | null;
  readonly images?: readonly string[];
  readonly salePrice: number;
  readonly originalPrice?: number | null;
  readonly categoryId: string;
  readonly stockQuantity?: number;
  readonly shipping?: ShippingRequest;
  readonly methods?: readonly FulfillmentMethod[];
}
export interface ProductWithVariants {
  readonly product: Product;
  readonly variants: readonly Variant[];
  /** It has been ordered: sales history locks its type (D61). */
  readonly isSold: boolean;
}

/** Registers a product with its one variant. Numbers are taken in the same transaction: a failed registration burns none (D56). */
export async function createProduct(em: Em, storeId: string, wanted: NewProduct, at: number): Promise<ProductWithVariants> {
  const store = await readStore(em, storeId);
  const rule = shippingRule(wanted.shipping ?? {}, store.baseDeliveryFeeWon);
  checkPriceUnit(wanted.salePrice);
  const category = await lockCategory(em, storeId, wanted.categoryId);
  if (!category.isLeaf) throw new Fault('CATEGORY_NOT_LEAF');
  const [taken] = await sql<{ no: number }>(
    em,
    'UPDATE store SET next_product_no = next_product_no + 1 WHERE store_id = ? RETURNING next_product_no - 1 AS no',
    [storeId],
  );
  const productNo = taken!.no;
  const productId = newId('prd', at);
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
    ...rule,
    methods: wanted.methods && wanted.methods.length > 0 ? [...new Set(wanted.methods)] : ['CARRIER'],
    createdAt: now,
    updatedAt: now,
  });
  const variant = em.create(VariantEntity, {
    storeId,
    productId,
    variantId: newId('var', at),
    variantNo: variantNo(productNo, 1),
    optionValues: [],
    stockQuantity: wanted.stockQuantity ?? 0,
    additionalPriceWon: 0,
    isSellable: true,
  });
  em.persist([product, variant]);
  await em.flush();
  if (variant.stockQuantity > 0)
    await record(em, {
      storeId,
      variantId: variant.variantId,
      quantity: variant.stockQuantity,
      reason: 'INITIAL',
      reference: productId,
      at,
    });
  return { product, variants: [variant], isSold: false };
}

export async function readProduct(em: Em, storeId: string, productId: string): Promise<ProductWithVariants> {
  const product = await em.findOne(ProductEntity, { storeId, productId, deletedAt: null });
  if (!product) throw new Fault('PRODUCT_NOT_FOUND');
  return (await withVariants(em, storeId, [product]))[0]!;
}

/** Products with their variants and whether they were ever ordered: two queries whatever the number. */
async function withVariants(em: Em, storeId: string, products: readonly Product[]): Promise<ProductWithVariants[]> {
  const productIds = products.map((product) => product.productId);
  const variants = await em.find(VariantEntity, { storeId, productId: { $in: productIds } }, { orderBy: { variantNo: 'asc' } });
  const sold = await sql<{ product_id: string }>(
    em,
    `SELECT v.product_id FROM variant v WHERE v.store_id = ? AND v.product_id = ANY(?::text[])
       AND EXISTS (SELECT 1 FROM order_item i WHERE i.store_id = v.store_id AND i.variant_id = v.variant_id)`,
    [storeId, `{${productIds.join(',')}}`],
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
  const variants = await em.find(VariantEntity, { storeId, productId: { $in: [...productIds] } }, { orderBy: { variantNo: 'asc' } });
  const byProduct = Map.groupBy(variants, (variant) => variant.productId);
  return new Map(products.map((product) => [product.productId, { product, variants: byProduct.get(product.productId) ?? [] }]));
}

export interface StockChange {
  readonly stockQuantity?: number;
  readonly adjustment?: number;
  readonly expectedStockQuantity?: number;
  readonly reason?: string;
}

/** Sets or adjusts a variant's stock, absolute or by a difference; a wrong expectation is CONCURRENT_UPDATE. */
export async function changeStock(
  em: Em,
  key: { storeId: string; productId: string; variantId: string },
  change: StockChange,
  reference: string,
  at: number,
) {
  const { storeId, productId, variantId } = key;
  const [row] = await sql<{ stock_quantity: number; variant_no: string; is_sellable: boolean }>(
    em,
    `SELECT v.stock_quantity, v.variant_no, v.is_sellable FROM variant v JOIN product p USING (store_id, product_id)
     WHERE v.store_id = ? AND v.product_id = ? AND v.variant_id = ? AND p.deleted_at IS NULL FOR UPDATE OF v`,
    [storeId, productId, variantId],
  );
  if (!row)
    throw (await em.count(ProductEntity, { storeId, productId, deletedAt: null })) > 0
      ? new Fault('VARIANT_NOT_FOUND')
      : new Fault('PRODUCT_NOT_FOUND');
  if (change.expectedStockQuantity !== undefined && change.expectedStockQuantity !== row.stock_quantity)
    throw new Fault('CONCURRENT_UPDATE', { details: { stockQuantity: row.stock_quantity } });
  const stockQuantity = change.stockQuantity ?? row.stock_quantity + (change.adjustment ?? 0);
  if (stockQuantity < 0) throw new Fault('OUT_OF_STOCK', { details: { stockQuantity: row.stock_quantity } });
  if (stockQuantity > MOST_STOCK) throw invalid('adjustment', 'OUT_OF_RANGE', `At most ${MOST_STOCK} in all.`);
  await sql(em, 'UPDATE variant SET stock_quantity = ? WHERE store_id = ? AND variant_id = ?', [stockQuantity, storeId, variantId]);
  const quantity = stockQuantity - row.stock_quantity;
  const note = change.reason === undefined ? {} : { note: change.reason };
  if (quantity !== 0) await record(em, { storeId, variantId, quantity, reason: 'SELLER', reference, at, ...note });
  return { variantId, variantNo: row.variant_no, stockQuantity, isSoldOut: !row.is_sellable || stockQuantity === 0 };
}
export const MOST_STOCK = 100_000_000;
