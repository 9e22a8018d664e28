/**
 * Stock: conditional updates in order of ids, each with a movement of a unique reason and reference, so that retries are idempotent (D17).
 */
import type { Stay } from '../../domain/products/calendar.ts';
import { type Moment, newId } from '../kernel/clock.ts';
import { type Em, sql, textArray } from '../kernel/tx.ts';
import { emit } from '../webhooks/events.ts';
import { type NightLine, returnNights, takeNights } from './nights.ts';

/** A quantity of a variant. */
export interface Quantity {
  readonly variantId: string;
  readonly quantity: number;
}
/** A line of an order; with a stay it is sold by the night. */
export interface SoldLine extends Quantity {
  readonly stay?: Stay | null;
}
const pieces = (lines: readonly SoldLine[]): SoldLine[] => lines.filter(({ stay }) => !stay);
const nights = (lines: readonly SoldLine[]): NightLine[] => lines.flatMap(({ stay, ...line }) => (stay ? [{ ...line, stay }] : []));

/** Quantities per variant, summed over lines (D37), in order of ids, so that buyers cannot deadlock. */
const byVariant = (lines: readonly Quantity[]): Quantity[] =>
  [...Map.groupBy(lines, (line) => line.variantId)]
    .map(([variantId, same]) => ({ variantId, quantity: same.reduce((sum, line) => sum + line.quantity, 0) }))
    .toSorted((a, b) => (a.variantId < b.variantId ? -1 : 1));

/** Takes the stock of all lines, or none: false when one lacks stock. `reference`: the payment attempt. */
export async function takeStock(em: Em, storeId: string, lines: readonly SoldLine[], reference: string, moment: Moment): Promise<boolean> {
  const { at, realNow } = moment;
  const taken: Quantity[] = [];
  const soldOut: string[] = [];
  for (const { variantId, quantity } of byVariant(pieces(lines))) {
    const rows = await sql<{ stock_quantity: number }>(
      em,
      `UPDATE variant SET stock_quantity = stock_quantity - ? WHERE store_id = ? AND variant_id = ? AND is_sellable AND deleted_at IS NULL
       AND stock_quantity >= ? RETURNING stock_quantity`,
      [quantity, storeId, variantId, quantity],
    );
    if (rows.length === 0) return undoTaken(em, storeId, taken);
    taken.push({ variantId, quantity });
    if (rows[0]!.stock_quantity === 0) soldOut.push(variantId);
  }
  const byNight = nights(lines);
  if (byNight.length > 0 && !(await takeNights(em, storeId, byNight, reference, at))) return undoTaken(em, storeId, taken);
  const sold = taken.map(({ variantId, quantity }) => ({ variantId, quantity: -quantity }));
  await recordAll(em, storeId, sold, { reason: 'SALE', reference, at });
  await emitSoldOut(em, storeId, soldOut, at, realNow);
  return true;
}

async function undoTaken(em: Em, storeId: string, taken: readonly Quantity[]): Promise<false> {
  for (const back of taken) await add(em, storeId, back);
  return false;
}

/** Emits PRODUCT.OUT_OF_STOCK for variants whose stock has just become 0. */
export async function emitSoldOut(em: Em, storeId: string, variantIds: readonly string[], at: number, realNow: number): Promise<void> {
  if (variantIds.length === 0) return;
  const rows = await sql<{ product_id: string; variant_id: string }>(
    em,
    'SELECT product_id, variant_id FROM variant WHERE store_id = ? AND variant_id = ANY(?::text[]) ORDER BY variant_id',
    [storeId, textArray(variantIds)],
  );
  const events = rows.map((row) => ({
    type: 'PRODUCT.OUT_OF_STOCK' as const,
    at,
    data: { productId: row.product_id, variantId: row.variant_id },
  }));
  await emit(em, storeId, events, realNow);
}

/** Returns the stock that `reference` took (a failed payment attempt) or freed (a cancel); idempotent. */
export async function returnStock(
  em: Em,
  storeId: string,
  lines: readonly SoldLine[],
  cause: { readonly reason: 'SALE_UNDONE' | 'CANCEL'; readonly reference: string; readonly at: number },
): Promise<void> {
  const { reason, reference, at } = cause;
  const byNight = nights(lines);
  for (const { variantId, quantity } of byVariant(pieces(lines))) {
    const isNew = await record(em, { storeId, variantId, quantity, reason, reference, at });
    if (isNew) await add(em, storeId, { variantId, quantity });
  }
  if (byNight.length > 0) await returnNights(em, storeId, byNight, cause);
}

const add = (em: Em, storeId: string, { variantId, quantity }: Quantity) =>
  sql(em, 'UPDATE variant SET stock_quantity = stock_quantity + ? WHERE store_id = ? AND variant_id = ?', [quantity, storeId, variantId]);

export interface Movement {
  readonly storeId: string;
  readonly variantId: string;
  readonly quantity: number;
  readonly reason: 'INITIAL' | 'SALE' | 'SALE_UNDONE' | 'CANCEL' | 'SELLER';
  readonly reference: string;
  readonly at: number;
  readonly note?: string;
}

/** Records a movement; false when it exists already. */
export async function record(em: Em, m: Movement): Promise<boolean> {
  const rows = await sql(
    em,
    `INSERT INTO stock_movement (store_id, movement_id, variant_id, quantity, reason, reference, note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, variant_id, reason, reference) DO NOTHING RETURNING 1 AS ok`,
    [m.storeId, newId('mov', m.at), m.variantId, m.quantity, m.reason, m.reference, m.note ?? null, new Date(m.at)],
  );
  return rows.length > 0;
}

/** Records the same movement of several variants in one insert. */
export async function recordAll(
  em: Em,
  storeId: string,
  moved: readonly Quantity[],
  { reason, reference, at }: Pick<Movement, 'reason' | 'reference' | 'at'>,
): Promise<void> {
  if (moved.length === 0) return;
  const rows = moved.map(({ variantId, quantity }) => ({ movement_id: newId('mov', at), variant_id: variantId, quantity }));
  await sql(
    em,
    `INSERT INTO stock_movement (store_id, movement_id, variant_id, quantity, reason, reference, at)
     SELECT ?, m.movement_id, m.variant_id, m.quantity, ?, ?, ?
       FROM jsonb_to_recordset(?::jsonb) AS m (movement_id text, variant_id text, quantity int)`,
    [storeId, reason, reference, new Date(at), JSON.stringify(rows)],
  );
}
