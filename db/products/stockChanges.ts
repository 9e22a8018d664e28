/** Changes of a variant's stock by the seller. */
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { ProductEntity } from './entities.ts';
import { emitSoldOut, record } from './stock.ts';

export interface StockChange {
  readonly stockQuantity?: number;
  readonly adjustment?: number;
  readonly expectedStockQuantity?: number;
  readonly reason?: string;
}

/** Sets a variant's stock, absolutely or by a difference; CONCURRENT_UPDATE when it is not `expectedStockQuantity`. */
export async function changeStock(
  tx: Tx,
  key: { storeId: string; productId: string; variantId: string },
  change: StockChange,
  reference: string,
) {
  const { sql, at } = tx;
  const { storeId, variantId } = key;
  const row = await lockVariant(tx, key);
  if (change.expectedStockQuantity !== undefined && change.expectedStockQuantity !== row.stock_quantity)
    throw new Fault('CONCURRENT_UPDATE', { details: { stockQuantity: row.stock_quantity } });
  const stockQuantity = change.stockQuantity ?? row.stock_quantity + (change.adjustment ?? 0);
  if (stockQuantity < 0) throw new Fault('OUT_OF_STOCK', { details: { stockQuantity: row.stock_quantity } });
  // Units come back beyond the largest stock: from there it may stay, or fall.
  if (stockQuantity > Math.max(MAX_STOCK, row.stock_quantity))
    throw invalid(change.adjustment === undefined ? 'stockQuantity' : 'adjustment', 'OUT_OF_RANGE', `At most ${MAX_STOCK} in all.`);
  await sql`UPDATE variant SET stock_quantity = ${stockQuantity} WHERE store_id = ${storeId} AND variant_id = ${variantId}`;
  const quantity = stockQuantity - row.stock_quantity;
  const note = change.reason === undefined ? {} : { note: change.reason };
  if (quantity !== 0) await record(tx, { storeId, variantId, quantity, reason: 'SELLER', reference, at, ...note });
  if (quantity < 0 && stockQuantity === 0) await emitSoldOut(tx, [variantId]);
  return { variantId, variantNo: row.variant_no, stockQuantity, isSoldOut: !row.is_sellable || stockQuantity === 0 };
}

/** A variant of a STANDARD product, locked. PRODUCT_NOT_FOUND, VARIANT_NOT_FOUND, INVENTORY_MODE_MISMATCH. */
async function lockVariant({ em, sql }: Tx, { storeId, productId, variantId }: { storeId: string; productId: string; variantId: string }) {
  const [row] = await sql<{ stock_quantity: number; variant_no: string; is_sellable: boolean; inventory_mode: string }>`
    SELECT v.stock_quantity, v.variant_no, v.is_sellable, p.inventory_mode FROM variant v JOIN product p USING (store_id, product_id)
     WHERE v.store_id = ${storeId} AND v.product_id = ${productId} AND v.variant_id = ${variantId} AND v.deleted_at IS NULL
       AND p.deleted_at IS NULL FOR UPDATE OF v`;
  if (row) {
    if (row.inventory_mode !== 'STANDARD') throw new Fault('INVENTORY_MODE_MISMATCH');
    return row;
  }
  const isThere = (await em.count(ProductEntity, { storeId, productId, deletedAt: null })) > 0;
  throw new Fault(isThere ? 'VARIANT_NOT_FOUND' : 'PRODUCT_NOT_FOUND');
}
export const MAX_STOCK = 100_000_000;
