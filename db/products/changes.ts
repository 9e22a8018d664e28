/** Changes of products: replace, patch, status, discount, delete (docs/contract.md#products, D57, D58). */
import type { Moment } from '../kernel/clock.ts';
import { LockMode } from '@mikro-orm/core';
import { type Fulfillment, mergedFulfillment, refundOverrides, wholeFulfillment } from '../../domain/products/fulfillment.ts';
import { optionProblems } from '../../domain/products/options.ts';
import { checkPrices, type Discount } from '../../domain/products/prices.ts';
import { checkPriceUnit, type SalesStatus } from '../../domain/products/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { type Em, sql, textArray } from '../kernel/tx.ts';
import { type Product, ProductEntity } from './entities.ts';
import { setVariants, type WantedOptions } from './options.ts';
import { checkAddresses, isSold, type NewProduct, openCategory, storeDefaults } from './registration.ts';
import { type ProductWithVariants, readProduct } from './queries.ts';
import { indexName } from './search.ts';

interface Key {
  readonly storeId: string;
  readonly productId: string;
}
export type ProductPatch = Partial<NewProduct> & { readonly status?: SalesStatus };
/** Preconditions and identity of a change. */
interface Basis {
  /** `If-Match`: the version that must still hold; null when none was sent. */
  readonly ifMatch: readonly number[] | null;
  /** Identifies the request in stock movements. */
  readonly reference: string;
}

/** Parses `If-Match`: `"7"`, `W/"7"` and lists of them; null when it is empty or `*`. */
export function versionsOf(ifMatch: string): number[] | null {
  if (ifMatch === '' || ifMatch.trim() === '*') return null;
  return ifMatch.split(',').map((tag) => Number(/^(?:W\/)?"(\d{1,9})"$/.exec(tag.trim())?.[1] ?? Number.NaN));
}

/**
 * The product, locked. PRODUCT_CHANGED when its type changed while this request waited for the lock, PRECONDITION_FAILED when the version
 * is not one of `ifMatch`, PRODUCT_NOT_FOUND when it is deleted or another store's.
 */
async function lockProduct(em: Em, { storeId, productId }: Key, ifMatch: Basis['ifMatch'] = null): Promise<Product> {
  const [seen] = await sql<{ fulfillment_type: string }>(
    em,
    'SELECT fulfillment_type FROM product WHERE store_id = ? AND product_id = ? AND deleted_at IS NULL',
    [storeId, productId],
  );
  const product =
    seen && (await em.findOne(ProductEntity, { storeId, productId, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE }));
  if (!seen || !product) throw new Fault('PRODUCT_NOT_FOUND');
  if (seen.fulfillment_type !== product.fulfillmentType) throw new Fault('PRODUCT_CHANGED');
  if (ifMatch && !ifMatch.includes(product.version)) throw new Fault('PRECONDITION_FAILED', { details: { version: product.version } });
  return product;
}

/** The prices of a product and its delivery, FOR UPDATE; null when there is no such product. */
export async function pricesOf(em: Em, storeId: string, productId: string): Promise<object | null> {
  const [row] = await sql<object>(
    em,
    `SELECT sale_price_won, delivery_type, delivery_fee_won, conditional_free_won FROM product
     WHERE store_id = ? AND product_id = ? AND deleted_at IS NULL FOR UPDATE`,
    [storeId, productId],
  );
  return row ?? null;
}

const lowestAdditional = async (em: Em, { storeId, productId }: Product): Promise<number> => {
  const [row] = await sql<{ won: number | null }>(
    em,
    'SELECT min(additional_price_won) AS won FROM variant WHERE store_id = ? AND product_id = ? AND deleted_at IS NULL',
    [storeId, productId],
  );
  return row?.won ?? 0;
};

function touch(product: Product, at: number): void {
  product.version++;
  product.updatedAt = new Date(at);
}

/** PUT: clears descriptive fields and refund overrides that are not sent; stock, options, inventory mode and fulfillment stay. */
export async function replaceProduct(em: Em, key: Key, wanted: NewProduct, basis: Basis, moment: Moment): Promise<ProductWithVariants> {
  const product = await lockProduct(em, key, basis.ifMatch);
  const { description = null, images = [], originalPrice = null, pointEarnRateBp = null, refundPolicy = null } = wanted;
  const whole = { ...wanted, description, images, originalPrice, pointEarnRateBp };
  await apply(em, product, whole, { fulfillment: 'whole', refundPolicy }, basis.reference, moment);
  return finish(em, product, moment);
}

/** PATCH: merges by key; null clears. */
export async function patchProduct(em: Em, key: Key, patch: ProductPatch, basis: Basis, moment: Moment): Promise<ProductWithVariants> {
  const product = await lockProduct(em, key, basis.ifMatch);
  if (patch.status !== undefined) product.status = patch.status;
  await apply(em, product, patch, { fulfillment: 'merged', refundPolicy: patch.refundPolicy }, basis.reference, moment);
  return finish(em, product, moment);
}

/** The entity's field for each field of a request. */
const PLAIN = {
  name: 'name',
  description: 'description',
  salePrice: 'salePriceWon',
  originalPrice: 'originalPriceWon',
  pointEarnRateBp: 'pointEarnRateBp',
} as const satisfies Partial<Record<keyof ProductPatch, keyof Product>>;

async function apply(
  em: Em,
  product: Product,
  wanted: ProductPatch,
  how: { readonly fulfillment: 'whole' | 'merged'; readonly refundPolicy: NewProduct['refundPolicy'] },
  reference: string,
  moment: Moment,
): Promise<void> {
  if (wanted.salePrice !== undefined) checkPriceUnit(wanted.salePrice);
  if (wanted.flowId) throw new Fault('FLOW_NOT_FOUND');
  for (const [sent, field] of Object.entries(PLAIN))
    if (wanted[sent as keyof typeof PLAIN] !== undefined) Object.assign(product, { [field]: wanted[sent as keyof typeof PLAIN] });
  if (wanted.images !== undefined) product.images = [...wanted.images];
  if (wanted.categoryId !== undefined && wanted.categoryId !== product.categoryId)
    product.categoryId = (await openCategory(em, product.storeId, wanted.categoryId)).categoryId;
  await fulfill(em, product, wanted, how);
  await count(em, product, wanted, reference, moment);
  checkPrices(product.salePriceWon, product.discount ?? null, await lowestAdditional(em, product));
  if (wanted.name !== undefined) await indexName(em, product.storeId, product.productId, wanted.name);
}

async function fulfill(
  em: Em,
  product: Product,
  { fulfillment }: ProductPatch,
  { fulfillment: how, refundPolicy }: { readonly fulfillment: 'whole' | 'merged'; readonly refundPolicy: NewProduct['refundPolicy'] },
): Promise<void> {
  const type = product.fulfillmentType;
  if (fulfillment !== undefined) {
    const defaults = await storeDefaults(em, product.storeId);
    const next =
      how === 'whole' ? wholeFulfillment(fulfillment, defaults) : mergedFulfillment(fulfillmentOf(product), fulfillment, defaults);
    if (next.fulfillmentType !== type && (await isSold(em, product))) throw new Fault('FULFILLMENT_TYPE_LOCKED');
    await checkAddresses(em, product.storeId, fulfillment);
    Object.assign(product, next);
  }
  const stored = how === 'merged' && refundPolicy !== null ? (product.refundPolicy ?? null) : null;
  product.refundPolicy = refundOverrides(product.fulfillmentType, refundPolicy, stored);
}
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
async function count(em: Em, product: Product, wanted: ProductPatch, reference: string, moment: Moment): Promise<void> {
  const { inventoryMode, optionGroups, variants, stockQuantity } = wanted;
  if (inventoryMode !== undefined && inventoryMode !== product.inventoryMode) {
    if (await isSold(em, product)) throw new Fault('INVENTORY_MODE_LOCKED');
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
    em,
    product,
    { optionGroups: groups, variants: variants ?? [], ...(stockQuantity !== undefined && { stockQuantity }) },
    reference,
    moment,
  );
}

async function finish(em: Em, product: Product, { at }: Moment): Promise<ProductWithVariants> {
  touch(product, at);
  await em.flush();
  return readProduct(em, product.storeId, product.productId);
}

/** PUT …/options: replaces all options and variants. */
export async function replaceOptions(em: Em, key: Key, wanted: WantedOptions, basis: Basis, moment: Moment): Promise<ProductWithVariants> {
  const product = await lockProduct(em, key, basis.ifMatch);
  await setVariants(em, product, wanted, basis.reference, moment);
  return finish(em, product, moment);
}

/** Sets or removes (null) a discount. An AMOUNT has to be less than the sale price. */
export async function setDiscount(em: Em, key: Key, discount: Discount | null, at: number): Promise<Product> {
  const product = await lockProduct(em, key);
  if (discount?.method === 'AMOUNT' && discount.value >= product.salePriceWon)
    throw invalid('value', 'OUT_OF_RANGE', 'It must stay below the sale price.');
  checkPrices(product.salePriceWon, discount, await lowestAdditional(em, product));
  product.discount = discount;
  touch(product, at);
  return product;
}

/** Sets the status of products in one statement; returns the ids that exist. Any status may follow any other (D57). */
export async function setStatuses(
  em: Em,
  storeId: string,
  productIds: readonly string[],
  status: SalesStatus,
  at: number,
): Promise<Set<string>> {
  const rows = await sql<{ product_id: string }>(
    em,
    `UPDATE product SET status = ?, version = version + 1, updated_at = ? WHERE store_id = ? AND product_id IN (
       SELECT product_id FROM product WHERE store_id = ? AND product_id = ANY(?::text[]) AND deleted_at IS NULL ORDER BY product_id
         FOR UPDATE)
     RETURNING product_id`,
    [status, new Date(at), storeId, storeId, textArray(productIds)],
  );
  return new Set(rows.map((row) => row.product_id));
}

/** Soft delete: orders keep their copies, the product number is never reused (D61). */
export async function deleteProduct(em: Em, key: Key, ifMatch: Basis['ifMatch'], at: number): Promise<void> {
  const product = await lockProduct(em, key, ifMatch);
  Object.assign(product, { deletedAt: new Date(at), categoryId: null, shippingAddressId: null, returnAddressId: null });
  touch(product, at);
  await sql(em, 'DELETE FROM product_gram WHERE store_id = ? AND product_id = ?', [key.storeId, key.productId]);
}
