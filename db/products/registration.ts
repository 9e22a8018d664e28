/** Registration of products (docs/contract.md#products). Reads: queries.ts; changes: changes.ts. */
import type { InventoryMode } from '../../domain/products/calendar.ts';
import { type FulfillmentRequest, refundOverrides, type RefundPolicyRequest, wholeFulfillment } from '../../domain/products/fulfillment.ts';
import type { OptionGroup, WantedVariant } from '../../domain/products/options.ts';
import { checkPriceUnit } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { checkAddress, defaultAddresses } from '../addresses/queries.ts';
import { checkAssignable } from '../flows/assignment.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { readStore } from '../stores/queries.ts';
import { lockCategory } from '../categories/commands.ts';
import { type Product, ProductEntity } from './entities.ts';
import { setVariants } from './options.ts';
import { type ProductWithVariants, readProduct } from './queries.ts';
import { indexName } from './search.ts';

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
/**
 * Registers a product with a variant for each combination of its options. Numbers are assigned in the same transaction, so that a failed
 * registration uses none up. One insert per table, whatever the number of variants.
 */
export async function createProduct(tx: Tx, wanted: NewProduct, reference: string): Promise<ProductWithVariants> {
  const { em, at, storeId } = tx;
  checkPriceUnit(wanted.salePrice);
  if (wanted.flowId) await checkAssignable(tx, wanted.flowId);
  const category = await openCategory(tx, wanted.categoryId);
  const fulfillment = wholeFulfillment(wanted.fulfillment ?? {}, await storeDefaults(tx));
  await checkAddresses(tx, wanted.fulfillment);
  const refundPolicy = refundOverrides(fulfillment.fulfillmentType, wanted.refundPolicy, null);
  const productId = newId('prd', at);
  const now = new Date(at);
  const product = em.create(ProductEntity, {
    ...fulfillment,
    refundPolicy,
    storeId,
    productId,
    productNo: await nextNumber(tx),
    name: wanted.name,
    description: wanted.description ?? null,
    images: [...(wanted.images ?? [])],
    salePriceWon: wanted.salePrice,
    originalPriceWon: wanted.originalPrice ?? null,
    categoryId: category.categoryId,
    status: 'ON_SALE',
    inventoryMode: wanted.inventoryMode ?? 'STANDARD',
    pointEarnRateBp: wanted.pointEarnRateBp ?? null,
    flowId: wanted.flowId ?? null,
    optionGroups: [],
    nextVariantSeq: 1,
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  em.persist(product);
  await em.flush();
  const { optionGroups = [], variants = [], stockQuantity } = wanted;
  await setVariants(tx, product, { optionGroups, variants, ...(stockQuantity !== undefined && { stockQuantity }) }, reference);
  await indexName(tx, productId, wanted.name);
  await em.flush();
  return readProduct(tx, productId);
}

async function nextNumber({ sql, storeId }: Tx): Promise<number> {
  const [taken] = await sql<{ no: number }>`
    UPDATE store SET next_product_no = next_product_no + 1 WHERE store_id = ${storeId} RETURNING next_product_no - 1 AS no`;
  return taken!.no;
}

/** A category, locked; CATEGORY_NOT_LEAF unless it may have products. */
export async function openCategory(tx: Tx, categoryId: string) {
  const category = await lockCategory(tx, categoryId);
  if (!category.isLeaf) throw new Fault('CATEGORY_NOT_LEAF');
  return category;
}
/** The store's defaults for a fulfillment. */
export async function storeDefaults(tx: Tx) {
  const store = await readStore(tx);
  const { SHIPPING, RETURN } = await defaultAddresses(tx);
  return {
    deliveryFeeWon: store.baseDeliveryFeeWon,
    addressIds: { SHIPPING: SHIPPING?.addressId ?? null, RETURN: RETURN?.addressId ?? null },
  };
}
export async function checkAddresses(tx: Tx, request: FulfillmentRequest | undefined): Promise<void> {
  const { shippingAddressId, returnAddressId } = request?.shipping ?? {};
  if (shippingAddressId) await checkAddress(tx, shippingAddressId, 'SHIPPING');
  if (returnAddressId) await checkAddress(tx, returnAddressId, 'RETURN');
}

/** Whether it was ever ordered, sandbox orders included. */
export const isSold = async ({ sql }: Tx, { storeId, productId }: Product): Promise<boolean> =>
  (await sql`SELECT 1 AS ok FROM order_item WHERE store_id = ${storeId} AND product_id = ${productId} LIMIT 1`).length > 0;
