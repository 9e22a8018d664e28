/** The calendar of a DATED product, sold by the night: written, read, and shown to buyers (docs/contract.md#nights). */
import { LockMode } from '@mikro-orm/core';
import { daysBetween, MAX_CELLS_SHOWN } from '../../domain/products/calendar.ts';
import { buyerPriceWon, isSellableAt, MIN_WON } from '../../domain/products/prices.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { ProductEntity } from './entities.ts';
import { MAX_STOCK } from './stockChanges.ts';

export interface CalendarChange {
  readonly variantIds: readonly string[];
  readonly from: string;
  readonly to: string;
  /** Nights of these weekdays only; 0 is Sunday. */
  readonly daysOfWeek?: readonly number[];
  readonly stock?: number;
  /** Won; null: the sale price. */
  readonly price?: number | null;
}
interface Key {
  readonly storeId: string;
  readonly productId: string;
}
/** The limit of nights times variants of one write: about a second of Postgres, within the time that a statement has. */
const MAX_CELLS = 10_000;

/** A DATED product: PRODUCT_NOT_FOUND, INVENTORY_MODE_MISMATCH. */
async function datedProduct({ em }: Tx, { storeId, productId }: Key, lockMode = LockMode.NONE) {
  const product = await em.findOne(ProductEntity, { storeId, productId, deletedAt: null }, { lockMode });
  if (!product) throw new Fault('PRODUCT_NOT_FOUND');
  if (product.inventoryMode !== 'DATED') throw new Fault('INVENTORY_MODE_MISMATCH');
  return product;
}

/** Writes stock, price or both of these nights; what is not sent stays. Returns the number of days. Past days are refused. */
export async function writeCalendar(tx: Tx, key: Key, change: CalendarChange, reference: string): Promise<number> {
  const { sql, at } = tx;
  const { storeId, productId } = key;
  // Serializes writes: a movement is the difference to the previous stock.
  await datedProduct(tx, key, LockMode.PESSIMISTIC_WRITE);
  const days = daysBetween(change.from, change.to, change.daysOfWeek ?? null);
  const variantIds = [...new Set(change.variantIds)];
  if (change.from < koreanDate(at)) throw invalid('from', 'OUT_OF_RANGE', 'It lies in the past.');
  if (days.length === 0) throw invalid('daysOfWeek', 'INVALID', 'No day of the span is one of these weekdays.');
  if (days.length * variantIds.length > MAX_CELLS)
    throw invalid('to', 'OUT_OF_RANGE', `At most ${MAX_CELLS} nights of all variants at once.`);
  const known = await sql`SELECT 1 AS ok FROM variant WHERE store_id = ${storeId} AND product_id = ${productId}
      AND variant_id = ANY(${variantIds}::text[]) AND deleted_at IS NULL`;
  if (known.length < variantIds.length) throw new Fault('VARIANT_NOT_FOUND');
  if (typeof change.price === 'number') await checkNightPrice(tx, key, variantIds, change.price);
  await upsert(tx, variantIds, days, change, reference);
  return days.length;
}

/** PRICE_CONFLICT when a night would cost less than 10 won with a variant's additional price. */
async function checkNightPrice({ sql }: Tx, { storeId }: Key, variantIds: readonly string[], priceWon: number): Promise<void> {
  const [row] = await sql<{ lowest: number }>`
    SELECT min(additional_price_won) AS lowest FROM variant WHERE store_id = ${storeId} AND variant_id = ANY(${variantIds}::text[])`;
  if (priceWon + row!.lowest < MIN_WON) throw new Fault('PRICE_CONFLICT');
}

async function upsert(
  { sql, storeId, at }: Tx,
  variantIds: readonly string[],
  days: readonly string[],
  { stock, price }: CalendarChange,
  reference: string,
): Promise<void> {
  const ids = [...variantIds].toSorted();
  const wanted = stock ?? null;
  const rows = await sql<{ stock: number }>`SELECT stock FROM variant_night WHERE store_id = ${storeId} AND variant_id = ANY(${ids}::text[])
     AND night = ANY(${days}::date[]) ORDER BY variant_id, night FOR UPDATE`;
  // Units come back beyond the largest stock: where every night has as many, they may stay, or fall.
  const min = rows.length < ids.length * days.length ? 0 : Math.min(...rows.map((row) => row.stock));
  if (wanted !== null && wanted > Math.max(MAX_STOCK, min)) throw invalid('stock', 'OUT_OF_RANGE', `At most ${MAX_STOCK}.`);
  await sql`WITH cell AS (SELECT v AS variant_id, d AS night FROM unnest(${ids}::text[]) v, unnest(${days}::date[]) d),
     was AS (SELECT c.variant_id, c.night, coalesce(n.stock, 0) AS stock FROM cell c
       LEFT JOIN variant_night n ON n.store_id = ${storeId} AND n.variant_id = c.variant_id AND n.night = c.night),
     moved AS (
       INSERT INTO night_movement (store_id, movement_id, variant_id, night, quantity, reason, reference, at)
       SELECT ${storeId}, gen_random_uuid()::text, variant_id, night, ${wanted}::int - stock, 'SELLER', ${reference}, ${new Date(at)}
         FROM was WHERE ${wanted}::int <> stock)
     INSERT INTO variant_night AS n (store_id, variant_id, night, stock, price_won)
     SELECT ${storeId}, variant_id, night, coalesce(${wanted}::int, 0), ${price ?? null}::int FROM cell ORDER BY variant_id, night
     ON CONFLICT (store_id, variant_id, night) DO UPDATE SET stock = coalesce(${wanted}::int, n.stock),
       price_won = CASE WHEN ${price !== undefined}::boolean THEN excluded.price_won ELSE n.price_won END`;
}

export interface CalendarDay {
  readonly date: string;
  readonly variantId: string;
  readonly stock: number;
  readonly price: number | null;
}
/** What of a calendar is read: days, both inclusive, and the variant, all when it is left out. */
export interface CalendarSpan {
  readonly from: string;
  readonly to: string;
  readonly variantId?: string | undefined;
}
/** VALIDATION_FAILED: more nights than one answer tells. */
function checkCells(days: number, variants: number): void {
  const max = Math.max(1, Math.floor(MAX_CELLS_SHOWN / Math.max(1, variants)));
  if (days > max)
    throw invalid('to', 'OUT_OF_RANGE', `At most ${max} days of ${variants} variants at once; a variantId shows one for longer.`);
}

/** The nights that were written, in order; absent days have no stock. `max`: more of them are VALIDATION_FAILED. */
export async function readCalendar(
  tx: Tx,
  key: Key,
  { from, to, variantId }: CalendarSpan,
  max: number | null = null,
): Promise<CalendarDay[]> {
  const { sql } = tx;
  await datedProduct(tx, key);
  const rows = await sql<{ night: string; variant_id: string; stock: number; price_won: number | null }>`
    SELECT n.night::text, n.variant_id, n.stock, n.price_won FROM variant v JOIN variant_night n USING (store_id, variant_id)
     WHERE v.store_id = ${key.storeId} AND v.product_id = ${key.productId} AND v.deleted_at IS NULL AND n.night BETWEEN ${from}::date
       AND ${to}::date AND (${variantId ?? null}::text IS NULL OR v.variant_id = ${variantId ?? null}) ORDER BY n.night, v.seq
     LIMIT ${max === null ? null : max + 1}::integer`;
  // Only what was written counts: a product of many variants may have few nights.
  if (max !== null && rows.length > max) checkCells(daysBetween(from, to).length, new Set(rows.map((row) => row.variant_id)).size);
  return rows.map((row) => ({ date: row.night, variantId: row.variant_id, stock: row.stock, price: row.price_won }));
}

export interface Night {
  readonly stock: number;
  readonly price: number | null;
}
/** The nights of these variants that were written, by variant and date, as plain JSON. */
export async function nightsOf(
  tx: Tx,
  key: Key,
  variantIds: readonly string[],
  { from, to }: CalendarSpan,
): Promise<Record<string, Record<string, Night>>> {
  const { sql } = tx;
  await datedProduct(tx, key);
  const rows = await sql<{ variant_id: string; nights: Record<string, Night> }>`
    SELECT v.variant_id, json_object_agg(n.night, json_build_object('stock', n.stock, 'price', n.price_won) ORDER BY n.night) AS nights
      FROM variant v JOIN variant_night n USING (store_id, variant_id)
     WHERE v.store_id = ${key.storeId} AND v.product_id = ${key.productId} AND v.deleted_at IS NULL
       AND v.variant_id = ANY(${[...variantIds]}::text[]) AND n.night BETWEEN ${from}::date AND ${to}::date
     GROUP BY v.variant_id, v.seq ORDER BY v.seq`;
  return Object.fromEntries(rows.map((row) => [row.variant_id, row.nights]));
}

export interface ShownDay {
  readonly date: string;
  readonly variantId: string;
  readonly isAvailable: boolean;
  readonly price: number;
}
/** Price and availability of every variant on every day of a span, without stock counts. PRODUCT_NOT_FOUND, INVENTORY_MODE_MISMATCH. */
export async function shownCalendar(
  { em, sql, storeId, at }: Tx,
  productNoOrId: string,
  { from, to, variantId }: CalendarSpan,
): Promise<ShownDay[]> {
  const number = /^\d{1,9}$/.test(productNoOrId) ? Number(productNoOrId) : null;
  const key = number === null ? { productId: productNoOrId } : { productNo: number };
  const product = await em.findOne(ProductEntity, { storeId, ...key, status: 'ON_SALE', deletedAt: null });
  if (!product) throw new Fault('PRODUCT_NOT_FOUND');
  if (product.inventoryMode !== 'DATED') throw new Fault('INVENTORY_MODE_MISMATCH');
  const today = koreanDate(at);
  const [shown] = await sql<{
    variants: number;
  }>`SELECT count(*)::int AS variants FROM variant v WHERE ${isOf(storeId, product, variantId)}`;
  const days = daysBetween(from, to);
  checkCells(days.length, shown!.variants);
  const defaultPrice = buyerPriceWon(product.salePriceWon, product.discount ?? null, today);
  const variants = await sql<{
    variant_id: string;
    more: number;
    is_sellable: boolean;
    nights: Record<string, [number, number | null]> | null;
  }>`SELECT v.variant_id, v.additional_price_won AS more, v.is_sellable,
       (SELECT json_object_agg(n.night, json_build_array(n.stock, n.price_won)) FROM variant_night n
        WHERE n.store_id = v.store_id AND n.variant_id = v.variant_id AND n.night BETWEEN ${from}::date AND ${to}::date) AS nights
     FROM variant v WHERE ${isOf(storeId, product, variantId)} ORDER BY v.seq`;
  return days.flatMap((date) =>
    variants.map(({ variant_id: variantId, more, is_sellable: isSellable, nights }) => {
      const [stock, priceWon] = nights?.[date] ?? [0, null];
      const price = (priceWon ?? defaultPrice) + more;
      return { date, variantId, isAvailable: isSellable && stock > 0 && date >= today && isSellableAt(price), price: Math.max(price, 0) };
    }),
  );
}
/** `variant v` is the product's, and the one that is asked for. */
const isOf = (storeId: string, { productId }: { readonly productId: string }, variantId: string | undefined): Fragment =>
  fragment`v.store_id = ${storeId} AND v.product_id = ${productId} AND v.deleted_at IS NULL
    AND (${variantId ?? null}::text IS NULL OR v.variant_id = ${variantId ?? null})`;
