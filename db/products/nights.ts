/**
 * Stock per night. Nights are locked in order of variant and date, so that buyers cannot deadlock; every change is a movement with a unique
 * reason and reference, so that retries are idempotent (docs/contract.md#nights).
 */
import { type InventoryMode, nightsOf, type Stay } from '../../domain/products/calendar.ts';
import { newId } from '../kernel/clock.ts';
import { type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

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
const recordset = (wanted: readonly Wanted[]): Fragment =>
  fragment`jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS w (variant_id text, night date, quantity int)`;

/** Stock and price of the nights of these lines; a missing night has no stock. */
export async function readNights({ sql, storeId }: Tx, lines: readonly NightLine[]): Promise<Map<string, Night>> {
  if (lines.length === 0) return new Map();
  const rows = await sql<{ variant_id: string; night: string; stock: number; price_won: number | null }>`
    SELECT n.variant_id, n.night::text, n.stock, n.price_won
      FROM variant_night n JOIN ${recordset(wantedOf(lines))} USING (variant_id, night) WHERE n.store_id = ${storeId}`;
  return new Map(rows.map((row) => [nightKey(row.variant_id, row.night), { stock: row.stock, priceWon: row.price_won }]));
}

/** Whether the product of a row of `variant` is on sale, by the piece or by the night. */
export const isOnSale = (mode: InventoryMode): Fragment => fragment`EXISTS (
    SELECT 1 FROM product p WHERE p.store_id = variant.store_id AND p.product_id = variant.product_id AND p.deleted_at IS NULL
      AND p.status = 'ON_SALE' AND p.inventory_mode = ${mode})`;

/** Locks the nights in order; returns how many of them have enough stock. */
async function lock({ sql, storeId }: Tx, wanted: readonly Wanted[], reason: 'SALE' | 'EXCHANGE'): Promise<number> {
  const [row] = await sql<{ enough: number }>`
    WITH locked AS (
       SELECT n.stock, w.quantity FROM variant_night n JOIN ${recordset(wanted)} USING (variant_id, night)
       JOIN variant ON variant.store_id = n.store_id AND variant.variant_id = n.variant_id AND is_sellable AND deleted_at IS NULL
       WHERE n.store_id = ${storeId} AND ${reason === 'SALE' ? isOnSale('DATED') : fragment`true`}
         ORDER BY n.variant_id, n.night FOR UPDATE OF n)
     SELECT count(*) FILTER (WHERE stock >= quantity)::int AS enough FROM locked`;
  return row!.enough;
}

/** Takes all nights of all lines, or none: false when one lacks stock. `reference`: the payment attempt. */
export async function takeNights(
  tx: Tx,
  lines: readonly NightLine[],
  reference: string,
  reason: 'SALE' | 'EXCHANGE' = 'SALE',
): Promise<boolean> {
  const { at } = tx;
  const wanted = wantedOf(lines);
  if ((await lock(tx, wanted, reason)) < wanted.length) return false;
  await recordMovements(tx, wanted, -1, { reason, reference, at });
  return true;
}

/** Why stock comes back: a payment that failed, a cancel, a return, a flow on the way. */
export type ReturnReason = 'SALE_UNDONE' | 'CANCEL' | 'RETURN' | 'FLOW_RESTORED';
/** Why units that came back are taken again. */
export type RetakeReason = 'RETURN_REJECTED' | 'FLOW_CAPTURED';

/** Returns nights that an attempt took or a cancel freed; idempotent. */
export async function returnNights(
  tx: Tx,
  lines: readonly NightLine[],
  cause: { readonly reason: ReturnReason; readonly reference: string; readonly at: number },
): Promise<void> {
  const { sql, storeId } = tx;
  const wanted = wantedOf(lines);
  // Also nights of variants that are no longer sellable.
  await sql`SELECT 1 FROM variant_night n JOIN ${recordset(wanted)} USING (variant_id, night) WHERE n.store_id = ${storeId}
     ORDER BY n.variant_id, n.night FOR UPDATE OF n`;
  await recordMovements(tx, wanted, 1, cause);
}

/** Takes nights as far as they are in stock; returns how many units are missing in the night that lacks most. */
export async function takeNightsAtMost(
  tx: Tx,
  line: NightLine,
  cause: { readonly reason: RetakeReason; readonly reference: string; readonly at: number },
): Promise<number> {
  const { sql, storeId } = tx;
  const wanted = wantedOf([line]);
  const rows = await sql<{ night: string; stock: number }>`
    SELECT n.night::text, n.stock FROM variant_night n JOIN ${recordset(wanted)} USING (variant_id, night)
      WHERE n.store_id = ${storeId} ORDER BY n.night FOR UPDATE OF n`;
  const stock = new Map(rows.map((row) => [row.night, row.stock]));
  const taken = wanted.map((one) => ({ ...one, quantity: Math.min(one.quantity, stock.get(one.night) ?? 0) }));
  await recordMovements(
    tx,
    taken.filter(({ quantity }) => quantity > 0),
    -1,
    cause,
  );
  return Math.max(...taken.map(({ quantity }) => line.quantity - quantity));
}

/** Inserts the movements that do not exist yet and updates their stock, in one statement. */
async function recordMovements(
  { sql, storeId }: Tx,
  wanted: readonly Wanted[],
  sign: 1 | -1,
  { reason, reference, at }: { readonly reason: string; readonly reference: string; readonly at: number },
): Promise<void> {
  const rows = wanted.map((one) => ({ ...one, quantity: sign * one.quantity, movement_id: newId('mov', at) }));
  await sql`WITH moved AS (
       INSERT INTO night_movement (store_id, movement_id, variant_id, night, quantity, reason, reference, at)
       SELECT ${storeId}, m.movement_id, m.variant_id, m.night, m.quantity, ${reason}, ${reference}, ${new Date(at)}
       FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS m (movement_id text, variant_id text, night date, quantity int)
       ON CONFLICT (store_id, variant_id, night, reason, reference) DO NOTHING RETURNING variant_id, night, quantity)
     UPDATE variant_night n SET stock = n.stock + m.quantity FROM moved m
     WHERE n.store_id = ${storeId} AND n.variant_id = m.variant_id AND n.night = m.night`;
}
