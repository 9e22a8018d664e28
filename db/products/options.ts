/** Options of a product: a variant for each combination, written in one statement per table (docs/contract.md#options). */
import { type OptionGroup, variantsOf, type WantedVariant } from '../../domain/products/options.ts';
import { checkPrices, MIN_WON } from '../../domain/products/prices.ts';
import { variantNo } from '../../domain/products/rules.ts';
import { Fault, type FieldError, invalid } from '../../domain/kernel/errors.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Product, type Variant, VariantEntity } from './entities.ts';
import { emitSoldOut, recordAll } from './stock.ts';
import { MAX_STOCK } from './stockChanges.ts';

/** A variant in a request. The response of a read may be sent back unchanged: its ids are checked. */
export type SentVariant = WantedVariant & { readonly variantId?: string };
export interface WantedOptions {
  readonly optionGroups: readonly OptionGroup[];
  readonly variants: readonly SentVariant[];
  /** The stock of a product without option groups. */
  readonly stockQuantity?: number;
}
interface Row extends Pick<
  Variant,
  'variantId' | 'variantNo' | 'seq' | 'stockQuantity' | 'additionalPriceWon' | 'isSellable' | 'optionValues'
> {
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly sellerCode: string | null;
  readonly costPriceWon: number | null;
  readonly weightGram: number | null;
  readonly attributes: Readonly<Record<string, string>> | null;
}
const keyOf = (values: readonly string[]): string => JSON.stringify(values);

/**
 * Sets the variants of a product. An existing combination keeps the fields that are not sent; a combination that is not requested any more
 * is deleted, or VARIANT_IN_ORDER if it was sold. Numbers are never reused. The caller has locked the product's row.
 */
export async function setVariants(tx: Tx, product: Product, wanted: WantedOptions, reference: string): Promise<void> {
  const { at } = tx;
  const { productId } = product;
  const current = await lockVariants(tx, product);
  const byKey = new Map(current.map((variant) => [keyOf(variant.optionValues), variant]));
  checkIds(current, wanted.variants);
  checkCounts(byKey, wanted);
  let seq = product.nextVariantSeq;
  const rows = variantsOf(wanted.optionGroups, wanted.variants).map((variant) => {
    const known = byKey.get(keyOf(variant.optionValues)) ?? null;
    const ownStock = variant.optionValues.length === 0 ? wanted.stockQuantity : undefined;
    return rowOf(product, known, { ...(ownStock !== undefined && { stockQuantity: ownStock }), ...variant }, known?.seq ?? seq++, at);
  });
  checkAttributes(current, rows);
  const lowestAdditionalWon = Math.min(...rows.map((row) => row.additionalPriceWon));
  checkPrices({ salePriceWon: product.salePriceWon, discount: product.discount ?? null, lowestAdditionalWon }, koreanDate(at));
  const remaining = new Set(rows.map((row) => row.variantId));
  await drop(
    tx,
    current.filter(({ variantId }) => !remaining.has(variantId)),
  );
  await write(tx, productId, rows);
  if (lowestAdditionalWon < 0) await checkNightPrices(tx, productId);
  Object.assign(product, {
    nextVariantSeq: seq,
    optionGroups: wanted.optionGroups.map(({ name, values }) => ({ name, values: [...values] })),
  });
  await recordStockChanges(tx, product, current, rows, reference);
}

/** PRICE_CONFLICT when a night that is still to come would cost less than 10 won with its variant's additional price. */
async function checkNightPrices({ sql, storeId, at }: Tx, productId: string): Promise<void> {
  const [tooCheap] = await sql`
    SELECT 1 AS ok FROM variant v JOIN variant_night n USING (store_id, variant_id)
     WHERE v.store_id = ${storeId} AND v.product_id = ${productId} AND v.deleted_at IS NULL AND v.additional_price_won < 0
       AND n.night >= ${koreanDate(at)}::date AND n.price_won + v.additional_price_won < ${MIN_WON} LIMIT 1`;
  if (tooCheap) throw new Fault('PRICE_CONFLICT');
}

/** Locks the variants in order of their ids, like sales do. */
export async function lockVariants({ em, sql }: Tx, { storeId, productId }: Product): Promise<Variant[]> {
  await sql`SELECT 1 FROM variant WHERE store_id = ${storeId} AND product_id = ${productId} AND deleted_at IS NULL ORDER BY variant_id
    FOR UPDATE`;
  return em.find(VariantEntity, { storeId, productId, deletedAt: null }, { orderBy: { seq: 'asc' }, refresh: true });
}

/** A sent id has to belong to its combination: VARIANT_NOT_FOUND, VALIDATION_FAILED. */
function checkIds(current: readonly Variant[], sent: readonly SentVariant[]): void {
  const byId = new Map(current.map((variant) => [variant.variantId, variant]));
  const fieldErrors: FieldError[] = [];
  for (const [i, { variantId, optionValues }] of sent.entries()) {
    if (variantId === undefined) continue;
    const known = byId.get(variantId);
    if (!known) throw new Fault('VARIANT_NOT_FOUND');
    if (keyOf(known.optionValues) !== keyOf(optionValues))
      fieldErrors.push({ field: `variants[${i}].variantId`, code: 'INVALID', message: 'It is the id of another combination.' });
  }
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
}

/** OUT_OF_RANGE over the largest stock, unless so much is there: units come back beyond it, and an answer may be sent back as it is. */
function checkCounts(current: ReadonlyMap<string, Variant>, { variants, stockQuantity }: WantedOptions): void {
  const sent = variants.map((variant, i) => ({ ...variant, field: `variants[${i}].stockQuantity` }));
  const all = [...sent, { optionValues: [], stockQuantity, field: 'stockQuantity' }];
  const fieldErrors = all.flatMap(({ optionValues, stockQuantity: wanted = 0, field }) =>
    wanted > Math.max(MAX_STOCK, current.get(keyOf(optionValues))?.stockQuantity ?? 0)
      ? [{ field, code: 'OUT_OF_RANGE', message: `At most ${MAX_STOCK}.` }]
      : [],
  );
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
}

/** Of all variants of a product together, as JSON: many requests may not make what no reader can hold. */
const MAX_ATTRIBUTE_BYTES = 512 * 1024;
type WithAttributes = Pick<Variant, 'attributes'>;
const attributeBytes = (variants: readonly WithAttributes[]): number =>
  variants.reduce((all, { attributes }) => all + (attributes ? Buffer.byteLength(JSON.stringify(attributes)) : 0), 0);

/** TOO_LONG over the largest size, unless it was as large before. */
function checkAttributes(current: readonly WithAttributes[], rows: readonly WithAttributes[]): void {
  const bytes = attributeBytes(rows);
  if (bytes > MAX_ATTRIBUTE_BYTES && bytes > attributeBytes(current))
    throw invalid('variants', 'TOO_LONG', 'The attributes of all variants together have at most 512 KiB.');
}

/** Defaults of a new combination. */
const FRESH = {
  stockQuantity: 0,
  additionalPriceWon: 0,
  isSellable: true,
  sku: null,
  barcode: null,
  sellerCode: null,
  costPriceWon: null,
  weightGram: null,
  attributes: null,
} as const;
/** The sent value, null included, or else the stored one. */
const sentOr = <T>(sent: T | null | undefined, before: T | null | undefined): T | null => (sent === undefined ? (before ?? null) : sent);

function rowOf(product: Product, known: Variant | null, sent: WantedVariant, seq: number, at: number): Row {
  const before = known ?? FRESH;
  const { stockQuantity = before.stockQuantity, additionalPrice = before.additionalPriceWon, isSellable = before.isSellable } = sent;
  if (product.inventoryMode === 'DATED' && stockQuantity !== before.stockQuantity) throw new Fault('INVENTORY_MODE_MISMATCH');
  return {
    stockQuantity,
    isSellable,
    seq,
    additionalPriceWon: additionalPrice,
    variantId: known?.variantId ?? newId('var', at),
    variantNo: known?.variantNo ?? variantNo(product.productNo, seq),
    optionValues: [...sent.optionValues],
    sku: sentOr(sent.sku, before.sku),
    barcode: sentOr(sent.barcode, before.barcode),
    sellerCode: sentOr(sent.sellerCode, before.sellerCode),
    costPriceWon: sentOr(sent.costPrice, before.costPriceWon),
    weightGram: sentOr(sent.weightGram, before.weightGram),
    attributes: sentOr(sent.attributes, before.attributes),
  };
}

/** Whether a payment has taken units of variant `id`, pieces or nights, and has not given them back: a sale, or one that may still be. */
const takenByPayment = (storeId: string, id: Fragment): Fragment => fragment`(
    EXISTS (SELECT 1 FROM stock_movement m WHERE m.store_id = ${storeId} AND m.variant_id = ${id} AND m.reason = 'SALE' AND NOT EXISTS (
      SELECT 1 FROM stock_movement u WHERE u.store_id = m.store_id AND u.variant_id = m.variant_id AND u.reason = 'SALE_UNDONE'
        AND u.reference = m.reference))
    OR EXISTS (SELECT 1 FROM night_movement m WHERE m.store_id = ${storeId} AND m.variant_id = ${id} AND m.reason = 'SALE' AND NOT EXISTS (
      SELECT 1 FROM night_movement u WHERE u.store_id = m.store_id AND u.variant_id = m.variant_id AND u.night = m.night
        AND u.reason = 'SALE_UNDONE' AND u.reference = m.reference)))`;
/** Whether an open exchange asks for variant `id`, or one has sent units of it out. */
const inExchange = (storeId: string, id: Fragment): Fragment => fragment`(
    EXISTS (SELECT 1 FROM claim c WHERE c.store_id = ${storeId} AND c.exchange_option_id = ${id} AND c.closed_at IS NULL)
    OR EXISTS (SELECT 1 FROM stock_movement m WHERE m.store_id = ${storeId} AND m.variant_id = ${id} AND m.reason = 'EXCHANGE')
    OR EXISTS (SELECT 1 FROM night_movement m WHERE m.store_id = ${storeId} AND m.variant_id = ${id} AND m.reason = 'EXCHANGE'))`;

/** A payment has taken units of the product, and has neither become an order nor given them back. */
export async function isTakenByPayment({ sql, storeId }: Tx, { productId }: Product): Promise<boolean> {
  const rows = await sql`
    SELECT 1 AS ok FROM variant v WHERE v.store_id = ${storeId} AND v.product_id = ${productId}
      AND ${takenByPayment(storeId, fragment`v.variant_id`)} LIMIT 1`;
  return rows.length > 0;
}

/** Deletes variants; VARIANT_IN_ORDER when one was ever sold, is being paid for, or is what an exchange sends. */
async function drop({ sql, storeId, at }: Tx, gone: readonly Variant[]): Promise<void> {
  if (gone.length === 0) return;
  const ids = gone.map(({ variantId }) => variantId);
  const held = await sql<{ variant_id: string }>`
    SELECT id AS variant_id FROM unnest(${ids}::text[]) id
     WHERE EXISTS (SELECT 1 FROM order_item i WHERE i.store_id = ${storeId} AND i.variant_id = id)
        OR ${takenByPayment(storeId, fragment`id`)} OR ${inExchange(storeId, fragment`id`)}`;
  if (held.length > 0) throw new Fault('VARIANT_IN_ORDER', { details: { variantIds: held.map((row) => row.variant_id) } });
  await sql`UPDATE variant SET deleted_at = ${new Date(at)} WHERE store_id = ${storeId} AND variant_id = ANY(${ids}::text[])`;
}

async function write({ sql, storeId }: Tx, productId: string, rows: readonly Row[]): Promise<void> {
  const json = rows.map((row) => ({
    variant_id: row.variantId,
    variant_no: row.variantNo,
    seq: row.seq,
    option_values: row.optionValues,
    stock_quantity: row.stockQuantity,
    additional_price_won: row.additionalPriceWon,
    is_sellable: row.isSellable,
    sku: row.sku,
    barcode: row.barcode,
    seller_code: row.sellerCode,
    cost_price_won: row.costPriceWon,
    weight_gram: row.weightGram,
    attributes: row.attributes,
  }));
  await sql`INSERT INTO variant (store_id, product_id, variant_id, variant_no, seq, option_values, stock_quantity, additional_price_won,
     is_sellable,
       sku, barcode, seller_code, cost_price_won, weight_gram, attributes)
     SELECT ${storeId}, ${productId}, v.variant_id, v.variant_no, v.seq, v.option_values, v.stock_quantity, v.additional_price_won,
       v.is_sellable, v.sku,
       v.barcode,
       v.seller_code, v.cost_price_won, v.weight_gram, v.attributes
     FROM jsonb_to_recordset(${JSON.stringify(json)}::jsonb) AS v (variant_id text, variant_no text, seq int, option_values text[],
       stock_quantity int,
       additional_price_won int, is_sellable boolean, sku text, barcode text, seller_code text, cost_price_won int, weight_gram int,
         attributes jsonb)
     ON CONFLICT (store_id, variant_id) DO UPDATE SET stock_quantity = excluded.stock_quantity,
       additional_price_won = excluded.additional_price_won, is_sellable = excluded.is_sellable, sku = excluded.sku,
         barcode = excluded.barcode,
       seller_code = excluded.seller_code, cost_price_won = excluded.cost_price_won, weight_gram = excluded.weight_gram,
         attributes = excluded.attributes`;
}

/** Records initial stock and changes as movements, and emits PRODUCT.OUT_OF_STOCK for stock that has become 0. */
async function recordStockChanges(
  tx: Tx,
  { productId }: Product,
  before: readonly Variant[],
  rows: readonly Row[],
  reference: string,
): Promise<void> {
  const { at } = tx;
  const former = new Map(before.map(({ variantId, stockQuantity }) => [variantId, stockQuantity]));
  const moved = rows
    .map(({ variantId, stockQuantity }) => ({ variantId, was: former.get(variantId) ?? null, stockQuantity }))
    .map((one) => ({ ...one, quantity: one.stockQuantity - (one.was ?? 0) }))
    .filter(({ quantity }) => quantity !== 0);
  const fresh = moved.filter(({ was }) => was === null);
  const changed = moved.filter(({ was }) => was !== null);
  await recordAll(tx, fresh, { reason: 'INITIAL', reference: productId, at });
  await recordAll(tx, changed, { reason: 'SELLER', reference, at });
  await emitSoldOut(
    tx,
    changed.filter(({ stockQuantity }) => stockQuantity === 0).map(({ variantId }) => variantId),
  );
}
