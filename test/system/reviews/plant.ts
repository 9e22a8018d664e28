/** A review of an item that was paid in sandbox mode: for tests of shops whose payments are tests, which have none. */
import { query } from '../../kernel/world.ts';

/** Of the store's first item that a member bought. */
export async function plantReview(storeId: string, content = '따뜻합니다'): Promise<void> {
  await query(
    `INSERT INTO review (store_id, review_id, product_id, product_name, order_id, order_item_id, customer_id, rating, content, images,
       created_at, updated_at) SELECT store_id, 'rev_' || substr(order_item_id, 5), i.product_id, i.product_name, o.order_id,
       i.order_item_id, o.customer_id, 5, $2, '{}', o.ordered_at, o.ordered_at FROM order_item i JOIN orders o USING (store_id, order_id)
     WHERE store_id = $1 AND o.customer_id IS NOT NULL ORDER BY order_item_id LIMIT 1`,
    [storeId, content],
  );
}
