/** Ownership of orders: lookup by guests, and the customer of an item. */
import type { Buyer } from '../../domain/checkout/rules.ts';
import { type Em, sql } from '../kernel/tx.ts';

export interface GuestOrder {
  readonly orderId: string;
  readonly passwordHash: string;
  readonly buyer: Buyer;
}
/** A guest's order by id or number, hyphens allowed; null, also for a customer's order, which has no password. */
export async function findGuestOrder(em: Em, storeId: string, idOrNo: string): Promise<GuestOrder | null> {
  const [row] = await sql<{ order_id: string; order_password_hash: string; buyer: Buyer }>(
    em,
    `SELECT order_id, order_password_hash, buyer FROM orders WHERE store_id = ? AND order_id = ? AND order_password_hash IS NOT NULL
     UNION ALL SELECT order_id, order_password_hash, buyer FROM orders WHERE store_id = ? AND order_no = ?
       AND order_password_hash IS NOT NULL`,
    [storeId, idOrNo, storeId, idOrNo.replaceAll('-', '')],
  );
  return row ? { orderId: row.order_id, passwordHash: row.order_password_hash, buyer: row.buyer } : null;
}

/** The customer id of an item; null for guests and unknown items. */
export async function customerOf(em: Em, storeId: string, orderItemId: string): Promise<string | null> {
  const [row] = await sql<{ customer_id: string | null }>(
    em,
    'SELECT o.customer_id FROM order_item i JOIN orders o USING (store_id, order_id) WHERE store_id = ? AND i.order_item_id = ?',
    [storeId, orderItemId],
  );
  return row?.customer_id ?? null;
}
