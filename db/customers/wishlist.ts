/** Products that a member has marked. Shown are those that buyers can see now; one that comes back is there again. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { PageRequest } from '../kernel/page.ts';
import { fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

export interface WishlistEntry {
  readonly productId: string;
  readonly productName: string;
  readonly salePriceWon: number;
  readonly addedAt: Date;
}
interface Row {
  readonly product_id: string;
  readonly name: string;
  readonly sale_price_won: number;
  readonly added_at: Date | string;
}
const entryOf = (row: Row): WishlistEntry => ({
  productId: row.product_id,
  productName: row.name,
  salePriceWon: row.sale_price_won,
  addedAt: new Date(row.added_at),
});
const VISIBLE = fragment`p.status = 'ON_SALE' AND p.deleted_at IS NULL`;

/** Newest first, with the total, in one query. */
export async function listWishlist(
  { sql, storeId }: Tx,
  customerId: string,
  { page, size }: PageRequest,
): Promise<{ readonly items: WishlistEntry[]; readonly total: number }> {
  const shown = fragment`wishlist_item w JOIN product p USING (store_id, product_id)
    WHERE store_id = ${storeId} AND w.customer_id = ${customerId} AND ${VISIBLE}`;
  const [row] = await sql<{ total: string; items: Row[] | null }>`
    SELECT (SELECT count(*) FROM ${shown}) AS total, (SELECT json_agg(e ORDER BY e.added_at DESC, e.product_id DESC) FROM (
      SELECT product_id, p.name, p.sale_price_won, w.added_at FROM ${shown}
      ORDER BY w.added_at DESC, product_id DESC LIMIT ${size} OFFSET ${(page - 1) * size}) e) AS items`;
  return { items: (row!.items ?? []).map(entryOf), total: Number(row!.total) };
}

/** Adds a product; `isNew`: it was not there. PRODUCT_NOT_FOUND, hidden ones too. */
export async function addToWishlist(
  { sql, storeId, at }: Tx,
  customerId: string,
  productId: string,
): Promise<{ readonly entry: WishlistEntry; readonly isNew: boolean }> {
  const [row] = await sql<Row & { is_new: boolean }>`
    WITH p AS (SELECT * FROM product p WHERE p.store_id = ${storeId} AND p.product_id = ${productId} AND ${VISIBLE}),
    added AS (INSERT INTO wishlist_item (store_id, customer_id, product_id, added_at)
      SELECT store_id, ${customerId}, product_id, ${new Date(at)} FROM p
      ON CONFLICT (store_id, customer_id, product_id) DO UPDATE SET added_at = wishlist_item.added_at
      RETURNING added_at, (xmax = 0) AS is_new)
    SELECT p.product_id, p.name, p.sale_price_won, added.added_at, added.is_new FROM p, added`;
  if (!row) throw new Fault('PRODUCT_NOT_FOUND');
  return { entry: entryOf(row), isNew: row.is_new };
}

/** PRODUCT_NOT_FOUND: it is not there. */
export async function removeFromWishlist({ sql, storeId }: Tx, customerId: string, productId: string): Promise<void> {
  const [row] = await sql`DELETE FROM wishlist_item WHERE store_id = ${storeId} AND customer_id = ${customerId}
    AND product_id = ${productId} RETURNING 1 AS ok`;
  if (!row) throw new Fault('PRODUCT_NOT_FOUND');
}
