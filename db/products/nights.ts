/**
 * Stock by the night. Nights are locked in order of variant and date, so that two buyers never wait for each other in a circle; every
 * change is a movement with a unique reason, so that no retry counts twice (D17, docs/contract.md#nights).
 */
import { nightsOf, type Stay } from '../../domain/products/calendar.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../kernel/tx.ts';

/** A line that is sold by the night. */
export interface NightLine {
  readonly variantId: string;
  readonly quantity: number;
  readonly stay: Stay;
}
export interface Night {
  readonly stock: number;
  /** Null: follows the sale price. */
  readonly priceWon: number | null;
}
interface Wanted {
  readonly variant_id: string;
  readonly night: string;
  readonly quantity: number;
}
export const nightKey = (variantId: string, date: string): string => `${variantId}/${date}`;

/** Lines of one variant and night count together. */
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

/** The nights of these lines as they stand; a night that is not there has no stock. */
export async function readNights(em: Em, storeId: string, lines: readonly NightLine[]): Promise<Map<string, Night>> {
  if (lines.length === 0) return new Map();
  const rows = await sql<{ variant_id: string; night: string; stock: number; price_won: number | null }>(
    em,
    `SELECT n.variant_id, n.night::text, n.stock, n.price_won FROM variant_night n JOIN ${WANTED} USING (variant_id, night) WHERE n.store_id = ?`,
    [JSON.stringify(wantedOf(lines)), storeId],
  );
  return new Map(rows.map((row) => [nightKey(row.variant_id, row.night), { stock: row.stock, priceWon: row.price_won }]));
}

/** Locks the nights in order; answers how many of them have enough. */
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

/** Takes every night of every line, or none: false when one of them is short. `reference` is the payment attempt. */
export async function takeNights(em: Em, storeId: string, lines: readonly NightLine[], reference: string, at: number): Promise<boolean> {
  const wanted = wantedOf(lines);
  if ((await lock(em, storeId, wanted)) < wanted.length) return false;
  await move(em, storeId, wanted, -1, { reason: 'SALE', reference, at });
  return true;
}

/** Gives nights back: what an attempt took, or what a cancel took away; a second call changes nothing. */
export async function returnNights(
  em: Em,
  storeId: string,
  lines: readonly NightLine[],
  cause: { readonly reason: 'SALE_UNDONE' | 'CANCEL'; readonly reference: string; readonly at: number },
): Promise<void> {
  const wanted = wantedOf(lines);
  // A variant that was switched off meanwhile gets its nights back too.
  await sql(
    em,
    `SELECT 1 FROM variant_night n JOIN ${WANTED} USING (variant_id, night) WHERE n.store_id = ? ORDER BY n.variant_id, n.night FOR UPDATE OF n`,
    [JSON.stringify(wanted), storeId],
  );
  await move(em, storeId, wanted, 1, cause);
}

/** Movements that are not there yet, and the stock with them, in one statement. */
async function move(
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
