/** Changes of products: replace, patch, status, discount, delete (docs/contract.md#products). */
import { LockMode } from '@mikro-orm/core';
import { type Fulfillment, mergedFulfillment, refundOverrides, wholeFulfillment } from '../../domain/products/fulfillment.ts';
import { optionProblems } from '../../domain/products/options.ts';
import { checkPrices, type Discount } from '../../domain/products/prices.ts';
import { checkPriceUnit, type SalesStatus } from '../../domain/products/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { checkAssignable } from '../flows/assignment.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Product, ProductEntity } from './entities.ts';
import { isTakenByPayment, lockVariants, setVariants, type WantedOptions } from './options.ts';
import { checkAddresses, isSold, type NewProduct, openCategory, storeDefaults } from './registration.ts';
import { type ProductWithVariants, readProduct } from './queries.ts';
import { indexName } from './search.ts';
import { checkTag, type Precondition } from './tag.ts';

interface Key {
  readonly storeId: string;
  readonly productId: string;
}
export type ProductPatch = Partial<NewProduct> & { readonly status?: SalesStatus };
/** Preconditions and identity of a change. */
interface Basis {
  readonly ifMatch: Precondition;
  /** Identifies the request in stock movements. */
  readonly reference: string;
}

/**
 * The product, locked. PRODUCT_CHANGED when its type changed while this request waited for the lock, PRECONDITION_FAILED when it
 * is not what `ifMatch` names, PRODUCT_NOT_FOUND when it is deleted or another store's. `sent`: what a writer sends of its stock.
 */
async function lockProduct(tx: Tx, { storeId, productId }: Key, ifMatch: Precondition = null, sent: ProductPatch = {}): Promise<Product> {
  const { em, sql } = tx;
  // Sent at once, carried out one after the other: the first sees what is there before the second waits.
  const [[seen], product] = await Promise.all([
    sql<{ fulfillment_type: string }>`
      SELECT fulfillment_type FROM product WHERE store_id = ${storeId} AND product_id = ${productId} AND deleted_at IS NULL`,
    em.findOne(ProductEntity, { storeId, productId, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE }),
  ]);
  if (!seen || !product) throw new Fault('PRODUCT_NOT_FOUND');
  if (seen.fulfillment_type !== product.fulfillmentType) throw new Fault('PRODUCT_CHANGED');
  checkTag(ifMatch, product.version, ifMatch && sendsStock(sent) ? await lockVariants(tx, product) : null);
  return product;
}
const sendsStock = ({ stockQuantity, variants = [] }: ProductPatch): boolean =>
  stockQuantity !== undefined || variants.some((variant) => variant.stockQuantity !== undefined);

/** A writer of stock alone names what it has read: PRECONDITION_FAILED when something was sold or changed since. */
export async function checkStockTag(tx: Tx, key: Key, ifMatch: Precondition): Promise<void> {
  if (ifMatch) await lockProduct(tx, key, ifMatch, { stockQuantity: 0 });
}

/** The statuses of those that there are. */
export async function statusesOf({ sql, storeId }: Tx, productIds: readonly string[]): Promise<ReadonlyMap<string, object>> {
  const rows = await sql<{ product_id: string; status: string }>`SELECT product_id, status FROM product
    WHERE store_id = ${storeId} AND product_id = ANY (${productIds}::text[]) AND deleted_at IS NULL`;
  return new Map(rows.map(({ product_id: id, status }) => [id, { status }]));
}

/** Locks a product before what is shown of it is compared with what a change leaves. */
export const lockForChange = ({ sql, storeId }: Tx, productId: string): Promise<object[]> =>
  sql`SELECT 1 FROM product WHERE store_id = ${storeId} AND product_id = ${productId} AND deleted_at IS NULL FOR UPDATE`;

/** The variants of a product that this transaction has written, be they deleted. */
export async function writtenVariants({ sql, storeId }: Tx, productId: string): Promise<ReadonlySet<string>> {
  const rows = await sql<{ variant_id: string }>`SELECT variant_id FROM variant
    WHERE store_id = ${storeId} AND product_id = ${productId} AND xmin = pg_current_xact_id_if_assigned()::xid`;
  return new Set(rows.map(({ variant_id: id }) => id));
}

const lowestAdditional = async ({ sql }: Tx, { storeId, productId }: Product): Promise<number> => {
  const [row] = await sql<{ won: number | null }>`
    SELECT min(additional_price_won) AS won FROM variant WHERE store_id = ${storeId} AND product_id = ${productId} AND deleted_at IS NULL`;
  return row?.won ?? 0;
};

async function checkProductPrices(tx: Tx, product: Product, discount: Discount | null): Promise<void> {
  const lowestAdditionalWon = await lowestAdditional(tx, product);
  checkPrices({ salePriceWon: product.salePriceWon, discount, lowestAdditionalWon }, koreanDate(tx.at));
}

function touch(product: Product, at: number): void {
  product.version++;
  product.updatedAt = new Date(at);
}

/** PUT: clears descriptive fields and refund overrides that are not sent; stock, options, inventory mode and fulfillment stay. */
export async function replaceProduct(tx: Tx, key: Key, wanted: NewProduct, basis: Basis): Promise<ProductWithVariants> {
  const product = await lockProduct(tx, key, basis.ifMatch, wanted);
  const { description = null, images = [], originalPrice = null, pointEarnRateBp = null, flowId = null, refundPolicy = null } = wanted;
  const whole = { ...wanted, description, images, originalPrice, pointEarnRateBp, flowId };
  await apply(tx, product, whole, { fulfillment: 'whole', refundPolicy }, basis.reference);
  return finish(tx, product);
}

/** PATCH: merges by key; null clears. */
export async function patchProduct(tx: Tx, key: Key, patch: ProductPatch, basis: Basis): Promise<ProductWithVariants> {
  const product = await lockProduct(tx, key, basis.ifMatch, patch);
  if (patch.status !== undefined) product.status = patch.status;
  await apply(tx, product, patch, { fulfillment: 'merged', refundPolicy: patch.refundPolicy }, basis.reference);
  return finish(tx, product);
}

/** The entity's field for each field of a request. */
const PLAIN = {
  name: 'name',
  description: 'description',
  salePrice: 'salePriceWon',
  originalPrice: 'originalPriceWon',
  pointEarnRateBp: 'pointEarnRateBp',
  flowId: 'flowId',
} as const satisfies Partial<Record<keyof ProductPatch, keyof Product>>;

async function apply(
  tx: Tx,
  product: Product,
  wanted: ProductPatch,
  how: { readonly fulfillment: 'whole' | 'merged'; readonly refundPolicy: NewProduct['refundPolicy'] },
  reference: string,
): Promise<void> {
  if (wanted.salePrice !== undefined) checkPriceUnit(wanted.salePrice);
  if (wanted.flowId) await checkAssignable(tx, wanted.flowId);
  for (const [sent, field] of Object.entries(PLAIN))
    if (wanted[sent as keyof typeof PLAIN] !== undefined) Object.assign(product, { [field]: wanted[sent as keyof typeof PLAIN] });
  if (wanted.images !== undefined) product.images = [...wanted.images];
  if (wanted.categoryId !== undefined && wanted.categoryId !== product.categoryId)
    product.categoryId = (await openCategory(tx, wanted.categoryId)).categoryId;
  await setFulfillment(tx, product, wanted, how);
  await setStock(tx, product, wanted, reference);
  if (wanted.salePrice !== undefined) await checkProductPrices(tx, product, product.discount ?? null);
  if (wanted.name !== undefined) await indexName(tx, product.productId, wanted.name);
}

async function setFulfillment(
  tx: Tx,
  product: Product,
  { fulfillment }: ProductPatch,
  { fulfillment: how, refundPolicy }: { readonly fulfillment: 'whole' | 'merged'; readonly refundPolicy: NewProduct['refundPolicy'] },
): Promise<void> {
  const type = product.fulfillmentType;
  if (fulfillment !== undefined) {
    const defaults = await storeDefaults(tx);
    const next =
      how === 'whole' ? wholeFulfillment(fulfillment, defaults) : mergedFulfillment(fulfillmentOf(product), fulfillment, defaults);
    if (next.fulfillmentType !== type && (await isHeld(tx, product))) throw new Fault('FULFILLMENT_TYPE_LOCKED');
    await checkAddresses(tx, fulfillment);
    Object.assign(product, next);
  }
  const stored = how === 'merged' && refundPolicy !== null ? (product.refundPolicy ?? null) : null;
  product.refundPolicy = refundOverrides(product.fulfillmentType, refundPolicy, stored);
}
/** It was ordered, or is being paid for: its buyers keep the product that they chose. */
const isHeld = async (tx: Tx, product: Product): Promise<boolean> => (await isSold(tx, product)) || isTakenByPayment(tx, product);
const fulfillmentOf = (product: Product): Fulfillment => ({
  fulfillmentType: product.fulfillmentType,
  methods: [...product.methods],
  deliveryType: product.deliveryType,
  deliveryFeeWon: product.deliveryFeeWon,
  conditionalFreeWon: product.conditionalFreeWon ?? null,
  shippingAddressId: product.shippingAddressId ?? null,
  returnAddressId: product.returnAddressId ?? null,
});

/** Applies inventory mode, options and stock. */
async function setStock(tx: Tx, product: Product, wanted: ProductPatch, reference: string): Promise<void> {
  const { inventoryMode, optionGroups, variants, stockQuantity } = wanted;
  if (inventoryMode !== undefined && inventoryMode !== product.inventoryMode) {
    if (await isHeld(tx, product)) throw new Fault('INVENTORY_MODE_LOCKED');
    product.inventoryMode = inventoryMode;
  }
  if (optionGroups === undefined && variants === undefined && stockQuantity === undefined) return;
  const groups = optionGroups ?? product.optionGroups;
  // Variants without option groups are validated against the product's current ones.
  const fieldErrors = optionProblems({
    optionGroups: groups,
    variants: variants ?? [],
    ...(stockQuantity !== undefined && { stockQuantity }),
  });
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
  await setVariants(
    tx,
    product,
    { optionGroups: groups, variants: variants ?? [], ...(stockQuantity !== undefined && { stockQuantity }) },
    reference,
  );
}

async function finish(tx: Tx, product: Product): Promise<ProductWithVariants> {
  const { em, at } = tx;
  touch(product, at);
  await em.flush();
  return readProduct(tx, product.productId);
}

/** PUT …/options: replaces all options and variants. */
export async function replaceOptions(tx: Tx, key: Key, wanted: WantedOptions, basis: Basis): Promise<ProductWithVariants> {
  const product = await lockProduct(tx, key, basis.ifMatch, wanted);
  await setVariants(tx, product, wanted, basis.reference);
  return finish(tx, product);
}

/** Sets or removes (null) a discount. An AMOUNT has to be less than the sale price. */
export async function setDiscount(tx: Tx, key: Key, discount: Discount | null, ifMatch: Precondition): Promise<Product> {
  const { at } = tx;
  const product = await lockProduct(tx, key, ifMatch);
  if (discount?.method === 'AMOUNT' && discount.value >= product.salePriceWon)
    throw invalid('value', 'OUT_OF_RANGE', 'It must stay below the sale price.');
  await checkProductPrices(tx, product, discount);
  product.discount = discount;
  touch(product, at);
  return product;
}

/** Sets the status of products in one statement; returns the ids that exist. Any status may follow any other. */
export async function setStatuses({ sql, storeId, at }: Tx, productIds: readonly string[], status: SalesStatus): Promise<Set<string>> {
  const rows = await sql<{ product_id: string }>`
    UPDATE product SET status = ${status}, version = version + 1, updated_at = ${new Date(at)} WHERE store_id = ${storeId}
    AND product_id IN (
       SELECT product_id FROM product WHERE store_id = ${storeId} AND product_id = ANY(${productIds}::text[]) AND deleted_at IS NULL
         ORDER BY product_id
         FOR UPDATE)
     RETURNING product_id`;
  return new Set(rows.map((row) => row.product_id));
}

/** Soft delete: orders keep their copies, the product number is never reused. */
export async function deleteProduct(tx: Tx, key: Key, ifMatch: Basis['ifMatch']): Promise<void> {
  const { sql, at } = tx;
  const product = await lockProduct(tx, key, ifMatch);
  Object.assign(product, { deletedAt: new Date(at), categoryId: null, shippingAddressId: null, returnAddressId: null });
  touch(product, at);
  await sql`DELETE FROM product_gram WHERE store_id = ${key.storeId} AND product_id = ${key.productId}`;
}
