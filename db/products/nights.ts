/**
 * Stock per night. Nights are locked in order of variant and date, so that buyers cannot deadlock; every change is a movement with a unique
 * reason and reference, so that retries are idempotent (D17, docs/contract.md#nights).
 */
import { nightsOf, type Stay } from '../../domain/products/calendar.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../kernel/tx.ts';

/** A line with a stay. */
export interface NightLine {
  readonly variantId: string;
  readonly quantity: number;
  readonly stay: Stay;
}
export interface Night {
  readonly stock: number;
  /** Null: the sale price. */
  readonly priceWon: number | null;
}
interface Wanted {
  readonly variant_id: string;
  readonly night: string;
  readonly quantity: number;
}
export const nightKey = (variantId: string, date: string): string => `${variantId}/${date}`;

/** The quantity per variant and night, summed over lines. */
function wantedOf(lines: readonly NightLine[]): Wanted[] {
  const sums = new Map<string, Wanted>();
  for (const { variantId, quantity, stay } of lines)
    for (const night of nightsOf(stay)) {
      const key = nightKey(variantId, night);
      sums.set(key, { variant_id: variantId, night, quantity: quantity + (sums.get(key)?.quantity ?? 0) });
    }
  return [...sums.values()];
}
const WANTED = `jsonb_to_recordset(?::jsonb) AS w (variant_id text, night date, quantity int)`;

/** Stock and price of the nights of these lines; a missing night has no stock. */
export async function readNights(em: Em, storeId: string, lines: readonly NightLine[]): Promise<Map<string, Night>> {
  if (lines.length === 0) return new Map();
  const rows = await sql<{ variant_id: string; night: string; stock: number; price_won: number | null }>(
    em,
    `SELECT n.variant_id, n.night::text, n.stock, n.price_won FROM variant_night n JOIN ${WANTED} USING (variant_id, night)
     WHERE n.store_id = ?`,
    [JSON.stringify(wantedOf(lines)), storeId],
  );
  return new Map(rows.map((row) => [nightKey(row.variant_id, row.night), { stock: row.stock, priceWon: row.price_won }]));
}

/** Locks the nights in order; returns how many of them have enough stock. */
async function lock(em: Em, storeId: string, wanted: readonly Wanted[]): Promise<number> {
  const [row] = await sql<{ enough: number }>(
    em,
    `WITH locked AS (
       SELECT n.stock, w.quantity FROM variant_night n JOIN ${WANTED} USING (variant_id, night)
       JOIN variant v ON v.store_id = n.store_id AND v.variant_id = n.variant_id AND v.is_sellable AND v.deleted_at IS NULL
       WHERE n.store_id = ? ORDER BY n.variant_id, n.night FOR UPDATE OF n)
     SELECT count(*) FILTER (WHERE stock >= quantity)::int AS enough FROM locked`,
    [JSON.stringify(wanted), storeId],
  );
  return row!.enough;
}

/** Takes all nights of all lines, or none: false when one lacks stock. `reference`: the payment attempt. */
export async function takeNights(em: Em, storeId: string, lines: readonly NightLine[], reference: string, at: number): Promise<boolean> {
  const wanted = wantedOf(lines);
  if ((await lock(em, storeId, wanted)) < wanted.length) return false;
  await recordMovements(em, storeId, wanted, -1, { reason: 'SALE', reference, at });
  return true;
}

/** Returns nights that an attempt took or a cancel freed; idempotent. */
export async function returnNights(
  em: Em,
  storeId: string,
  lines: readonly NightLine[],
  cause: { readonly reason: 'SALE_UNDONE' | 'CANCEL'; readonly reference: string; readonly at: number },
): Promise<void> {
  const wanted = wantedOf(lines);
  // Also nights of variants that are no longer sellable.
  await sql(
    em,
    `SELECT 1 FROM variant_night n JOIN ${WANTED} USING (variant_id, night) WHERE n.store_id = ? ORDER BY n.variant_id, n.night
     FOR UPDATE OF n`,
    [JSON.stringify(wanted), storeId],
  );
  await recordMovements(em, storeId, wanted, 1, cause);
}

/** Inserts the movements that do not exist yet and updates their stock, in one statement. */
async function recordMovements(
  em: Em,
  storeId: string,
  wanted: readonly Wanted[],
  sign: 1 | -1,
  { reason, reference, at }: { readonly reason: string; readonly reference: string; readonly at: number },
): Promise<void> {
  const rows = wanted.map((one) => ({ ...one, quantity: sign * one.quantity, movement_id: newId('mov', at) }));
  await sql(
    em,
    `WITH moved AS (
       INSERT INTO night_movement (store_id, movement_id, variant_id, night, quantity, reason, reference, at)
       SELECT ?, m.movement_id, m.variant_id, m.night, m.quantity, ?, ?, ?
       FROM jsonb_to_recordset(?::jsonb) AS m (movement_id text, variant_id text, night date, quantity int)
       ON CONFLICT (store_id, variant_id, night, reason, reference) DO NOTHING RETURNING variant_id, night, quantity)
     UPDATE variant_night n SET stock = n.stock + m.quantity FROM moved m
     WHERE n.store_id = ? AND n.variant_id = m.variant_id AND n.night = m.night`,
    [storeId, reason, reference, new Date(at), JSON.stringify(rows), storeId],
  );
}
