/**
 * Stock: conditional updates in order of ids, each with a movement of a unique reason and reference, so that retries are idempotent (D17).
 */
import type { Stay } from '../../domain/products/calendar.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { emit } from '../webhooks/events.ts';
import type { MovementReason, UnsellableReason } from './entities.ts';
import { isOnSale, type NightLine, type RetakeReason, returnNights, type ReturnReason, takeNights, takeNightsAtMost } from './nights.ts';

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

/**
 * Takes the stock of all lines, or none: false when one lacks stock, or is no longer sold as it was chosen. `reference`: the payment
 * attempt.
 */
export async function takeStock(tx: Tx, lines: readonly SoldLine[], reference: string): Promise<boolean> {
  const { sql, at, storeId } = tx;
  const taken: Quantity[] = [];
  const soldOut: string[] = [];
  for (const { variantId, quantity } of byVariant(pieces(lines))) {
    const rows = await sql<{ stock_quantity: number }>`
      UPDATE variant SET stock_quantity = stock_quantity - ${quantity} WHERE store_id = ${storeId} AND variant_id = ${variantId}
      AND is_sellable AND deleted_at IS NULL AND stock_quantity >= ${quantity} AND ${isOnSale('STANDARD')} RETURNING stock_quantity`;
    if (rows.length === 0) return undoTaken(tx, taken);
    taken.push({ variantId, quantity });
    if (rows[0]!.stock_quantity === 0) soldOut.push(variantId);
  }
  const byNight = nights(lines);
  if (byNight.length > 0 && !(await takeNights(tx, byNight, reference))) return undoTaken(tx, taken);
  const sold = taken.map(({ variantId, quantity }) => ({ variantId, quantity: -quantity }));
  await recordAll(tx, sold, { reason: 'SALE', reference, at });
  await emitSoldOut(tx, soldOut);
  return true;
}

async function undoTaken(tx: Tx, taken: readonly Quantity[]): Promise<false> {
  for (const back of taken) await add(tx, back);
  return false;
}

/** Emits PRODUCT.OUT_OF_STOCK for variants whose stock has just become 0. */
export async function emitSoldOut(tx: Tx, variantIds: readonly string[]): Promise<void> {
  const { sql, storeId, at } = tx;
  if (variantIds.length === 0) return;
  const rows = await sql<{ product_id: string; variant_id: string }>`
    SELECT product_id, variant_id FROM variant WHERE store_id = ${storeId} AND variant_id = ANY(${variantIds}::text[])
    ORDER BY variant_id`;
  const events = rows.map((row) => ({
    type: 'PRODUCT.OUT_OF_STOCK' as const,
    at,
    data: { productId: row.product_id, variantId: row.variant_id },
  }));
  await emit(tx, events);
}

/** Returns the stock that `reference` took (a failed payment attempt) or freed (a cancel, a return); idempotent. */
export async function returnStock(
  tx: Tx,
  lines: readonly SoldLine[],
  cause: { readonly reason: ReturnReason; readonly reference: string; readonly at: number },
): Promise<void> {
  const { storeId } = tx;
  const { reason, reference, at } = cause;
  const byNight = nights(lines);
  for (const { variantId, quantity } of byVariant(pieces(lines))) {
    const isNew = await record(tx, { storeId, variantId, quantity, reason, reference, at });
    if (isNew) await add(tx, { variantId, quantity });
  }
  if (byNight.length > 0) await returnNights(tx, byNight, cause);
}

const add = ({ sql, storeId }: Tx, { variantId, quantity }: Quantity) =>
  sql`UPDATE variant SET stock_quantity = stock_quantity + ${quantity} WHERE store_id = ${storeId} AND variant_id = ${variantId}`;

export interface Movement {
  readonly storeId: string;
  readonly variantId: string;
  readonly quantity: number;
  readonly reason: MovementReason;
  readonly reference: string;
  readonly at: number;
  readonly note?: string;
}

/** Records a movement; false when it exists already. */
export async function record({ sql }: Tx, m: Movement): Promise<boolean> {
  const rows = await sql`INSERT INTO stock_movement (store_id, movement_id, variant_id, quantity, reason, reference, note, at)
      VALUES (${m.storeId}, ${newId('mov', m.at)}, ${m.variantId}, ${m.quantity}, ${m.reason}, ${m.reference}, ${m.note ?? null},
      ${new Date(m.at)})
     ON CONFLICT (store_id, variant_id, reason, reference) DO NOTHING RETURNING 1 AS ok`;
  return rows.length > 0;
}

/** Records the same movement of several variants in one insert. */
export async function recordAll(
  { sql, storeId }: Tx,
  moved: readonly Quantity[],
  { reason, reference, at }: Pick<Movement, 'reason' | 'reference' | 'at'>,
): Promise<void> {
  if (moved.length === 0) return;
  const rows = moved.map(({ variantId, quantity }) => ({ movement_id: newId('mov', at), variant_id: variantId, quantity }));
  await sql`INSERT INTO stock_movement (store_id, movement_id, variant_id, quantity, reason, reference, at)
     SELECT ${storeId}, m.movement_id, m.variant_id, m.quantity, ${reason}, ${reference}, ${new Date(at)}
       FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS m (movement_id text, variant_id text, quantity int)`;
}

/** Takes units that a seller sends for others, whether or not the variant is still offered; false when there are too few. */
export async function takeUnits(
  tx: Tx,
  { variantId, quantity, stay }: SoldLine,
  { reason, reference }: { readonly reason: 'EXCHANGE'; readonly reference: string },
): Promise<boolean> {
  const { sql, storeId, at } = tx;
  if (stay) return takeNights(tx, [{ variantId, quantity, stay }], reference, reason);
  const [row] = await sql<{ stock_quantity: number }>`
    UPDATE variant SET stock_quantity = stock_quantity - ${quantity} WHERE store_id = ${storeId} AND variant_id = ${variantId}
      AND deleted_at IS NULL AND stock_quantity >= ${quantity} RETURNING stock_quantity`;
  if (!row) return false;
  await recordAll(tx, [{ variantId, quantity: -quantity }], { reason, reference, at });
  if (row.stock_quantity === 0) await emitSoldOut(tx, [variantId]);
  return true;
}

/** Takes what was restocked, as far as it has not been sold; returns how many units are missing. */
export async function takeAtMost(
  tx: Tx,
  { variantId, quantity, stay }: SoldLine,
  { reason, reference }: { readonly reason: RetakeReason; readonly reference: string },
): Promise<number> {
  const { sql, storeId, at } = tx;
  if (stay) return takeNightsAtMost(tx, { variantId, quantity, stay }, { reason, reference, at });
  const [row] = await sql<{ stock_quantity: number }>`
    SELECT stock_quantity FROM variant WHERE store_id = ${storeId} AND variant_id = ${variantId} FOR UPDATE`;
  const inStock = row?.stock_quantity ?? 0;
  const taken = Math.min(quantity, inStock);
  if (taken > 0) {
    await add(tx, { variantId, quantity: -taken });
    await recordAll(tx, [{ variantId, quantity: -taken }], { reason, reference, at });
    if (taken === inStock) await emitSoldOut(tx, [variantId]);
  }
  return quantity - taken;
}

/** Records units that came back, or should have, and are no stock: they change no count. */
export async function recordUnsellable(
  { sql, storeId, at }: Tx,
  { variantId, quantity, reason, reference }: Quantity & { readonly reason: UnsellableReason; readonly reference: string },
): Promise<void> {
  if (quantity === 0) return;
  await sql`INSERT INTO stock_movement (store_id, movement_id, variant_id, quantity, unsellable_quantity, reason, reference, at)
     VALUES (${storeId}, ${newId('mov', at)}, ${variantId}, 0, ${quantity}, ${reason}, ${reference}, ${new Date(at)})
     ON CONFLICT (store_id, variant_id, reason, reference) DO NOTHING`;
}
