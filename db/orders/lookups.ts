/** Guests who look for their order: how many wrong attempts an order has seen. Real time. */
import type { Buyer } from '../../workflows/checkout/rules.ts';
import { MINUTE } from '../../workflows/kernel/time.ts';
import { type Em, sql } from '../orm.ts';

export const MOST_WRONG = 10;
const WINDOW_MS = 15 * MINUTE;

export interface GuestOrder {
  readonly orderId: string;
  readonly passwordHash: string;
  readonly buyer: Buyer;
}
/** A guest's order by its id or its number, hyphens allowed. A member's has no password and is nobody's here. */
export async function findGuestOrder(em: Em, storeId: string, idOrNo: string): Promise<GuestOrder | null> {
  const [row] = await sql<{ order_id: string; order_password_hash: string; buyer: Buyer }>(
    em,
    `SELECT order_id, order_password_hash, buyer FROM orders WHERE store_id = ? AND order_id = ? AND order_password_hash IS NOT NULL
     UNION ALL SELECT order_id, order_password_hash, buyer FROM orders WHERE store_id = ? AND order_no = ? AND order_password_hash IS NOT NULL`,
    [storeId, idOrNo, storeId, idOrNo.replaceAll('-', '')],
  );
  return row ? { orderId: row.order_id, passwordHash: row.order_password_hash, buyer: row.buyer } : null;
}

/** Counts an attempt as wrong until it is known to be right. Answers until when the subject is locked, or null: it may be judged. */
export async function countAttempt(em: Em, storeId: string, subject: string, realNow: number): Promise<number | null> {
  const [now, since] = [new Date(realNow), new Date(realNow - WINDOW_MS)];
  await sql(em, 'DELETE FROM order_lookup WHERE store_id = ? AND last_at < ?', [storeId, since]);
  const counted = await sql(
    em,
    `INSERT INTO order_lookup AS l (store_id, subject, failed_at, last_at) VALUES (?, ?, ARRAY[?::timestamptz], ?)
     ON CONFLICT (store_id, subject) DO UPDATE SET last_at = excluded.last_at,
       failed_at = array(SELECT t FROM unnest(l.failed_at) t WHERE t > ?) || excluded.failed_at
     WHERE (SELECT count(*) FROM unnest(l.failed_at) t WHERE t > ?) < ${MOST_WRONG} RETURNING 1 AS ok`,
    [storeId, subject, now, now, since, since],
  );
  if (counted.length > 0) return null;
  const [row] = await sql<{ oldest: string }>(
    em,
    `SELECT min(t) AS oldest FROM order_lookup, unnest(failed_at) t WHERE store_id = ? AND subject = ? AND t > ?`,
    [storeId, subject, since],
  );
  return row?.oldest ? Date.parse(row.oldest) + WINDOW_MS : realNow;
}

export const forgetAttempts = (em: Em, storeId: string, subject: string): Promise<object[]> =>
  sql(em, 'DELETE FROM order_lookup WHERE store_id = ? AND subject = ?', [storeId, subject]);

/** What an item's wish from its buyer needs to know: whose it is. */
export async function customerOf(em: Em, storeId: string, orderItemId: string): Promise<string | null> {
  const [row] = await sql<{ customer_id: string | null }>(
    em,
    'SELECT o.customer_id FROM order_item i JOIN orders o USING (store_id, order_id) WHERE store_id = ? AND i.order_item_id = ?',
    [storeId, orderItemId],
  );
  return row?.customer_id ?? null;
}
