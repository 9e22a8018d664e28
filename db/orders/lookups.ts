/** Ownership of orders: lookup by guests, and the customer of an item. */
import type { Buyer } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';

export interface GuestOrder {
  readonly orderId: string;
  readonly passwordHash: string;
  readonly buyer: Buyer;
}
/** A guest's order by id or number, hyphens allowed; null, also for a customer's order, which has no password. */
export async function findGuestOrder({ sql, storeId }: Tx, idOrNo: string): Promise<GuestOrder | null> {
  const [row] = await sql<{ order_id: string; order_password_hash: string; buyer: Buyer }>`
    SELECT order_id, order_password_hash, buyer FROM orders WHERE store_id = ${storeId} AND order_id = ${idOrNo}
    AND order_password_hash IS NOT NULL
     UNION ALL SELECT order_id, order_password_hash, buyer FROM orders WHERE store_id = ${storeId}
       AND order_no = ${idOrNo.replaceAll('-', '')}
       AND order_password_hash IS NOT NULL`;
  return row ? { orderId: row.order_id, passwordHash: row.order_password_hash, buyer: row.buyer } : null;
}

/** The customer id of an item; null for guests and unknown items. */
export async function customerOf({ sql, storeId }: Tx, orderItemId: string): Promise<string | null> {
  const [row] = await sql<{ customer_id: string | null }>`
    SELECT o.customer_id FROM order_item i JOIN orders o USING (store_id, order_id) WHERE store_id = ${storeId}
    AND i.order_item_id = ${orderItemId}`;
  return row?.customer_id ?? null;
}

/** ORDER_NOT_FOUND unless the order is the customer's. */
export async function checkOrderOf({ sql, storeId }: Tx, orderId: string, customerId: string): Promise<void> {
  const [row] = await sql`SELECT 1 AS ok FROM orders WHERE store_id = ${storeId} AND order_id = ${orderId} AND customer_id = ${customerId}`;
  if (!row) throw new Fault('ORDER_NOT_FOUND');
}
