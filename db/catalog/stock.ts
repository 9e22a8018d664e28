/** Stock: conditional updates in id order, and a movement with a unique reason for each, so that no retry counts twice (D17). */
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';

export interface Quantity {
  readonly variantId: string;
  readonly quantity: number;
}

/** Lines of one variant count together (D37); in id order, so that two buyers never wait for each other in a circle. */
const byVariant = (lines: readonly Quantity[]): Quantity[] =>
  [...Map.groupBy(lines, (line) => line.variantId)]
    .map(([variantId, same]) => ({ variantId, quantity: same.reduce((sum, line) => sum + line.quantity, 0) }))
    .toSorted((a, b) => (a.variantId < b.variantId ? -1 : 1));

/** Takes all lines or none: false when one of them is short. `reference` is the payment attempt. */
export async function takeStock(em: Em, storeId: string, lines: readonly Quantity[], reference: string, at: number): Promise<boolean> {
  const taken: Quantity[] = [];
  for (const { variantId, quantity } of byVariant(lines)) {
    const rows = await sql(
      em,
      `UPDATE variant SET stock_quantity = stock_quantity - ? WHERE store_id = ? AND variant_id = ? AND is_sellable AND stock_quantity >= ? RETURNING 1 AS ok`,
      [quantity, storeId, variantId, quantity],
    );
    if (rows.length === 0) {
      for (const back of taken) await add(em, storeId, back);
      return false;
    }
    taken.push({ variantId, quantity });
  }
  for (const { variantId, quantity } of taken) await record(em, { storeId, variantId, quantity: -quantity, reason: 'SALE', reference, at });
  return true;
}

/** Gives back what `reference` took; a second call changes nothing. */
export async function returnStock(em: Em, storeId: string, lines: readonly Quantity[], reference: string, at: number): Promise<void> {
  for (const { variantId, quantity } of byVariant(lines)) {
    const isNew = await record(em, { storeId, variantId, quantity, reason: 'SALE_UNDONE', reference, at });
    if (isNew) await add(em, storeId, { variantId, quantity });
  }
}

const add = (em: Em, storeId: string, { variantId, quantity }: Quantity) =>
  sql(em, 'UPDATE variant SET stock_quantity = stock_quantity + ? WHERE store_id = ? AND variant_id = ?', [quantity, storeId, variantId]);

export interface Movement {
  readonly storeId: string;
  readonly variantId: string;
  readonly quantity: number;
  readonly reason: 'INITIAL' | 'SALE' | 'SALE_UNDONE' | 'SELLER';
  readonly reference: string;
  readonly at: number;
  readonly note?: string;
}

/** Records a movement; false when this very movement is recorded already. */
export async function record(em: Em, m: Movement): Promise<boolean> {
  const rows = await sql(
    em,
    `INSERT INTO stock_movement (store_id, movement_id, variant_id, quantity, reason, reference, note, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, variant_id, reason, reference) DO NOTHING RETURNING 1 AS ok`,
    [m.storeId, newId('mov', m.at), m.variantId, m.quantity, m.reason, m.reference, m.note ?? null, new Date(m.at)],
  );
  return rows.length > 0;
}
