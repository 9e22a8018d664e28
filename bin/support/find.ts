import type { RunRow, Support } from './context.ts';

const RUNS = `SELECT r.*, s.store_code FROM run r JOIN store s USING (store_id)`;

/**
 * The runs behind any number that a person may have: order number (hyphens allowed) or id, item number or id, payment id,
 * provider order id, refund, delivery or event id, workflow id.
 */
export function find({ rows }: Support, text: string): Promise<RunRow[]> {
  // 14 digits, a hyphen and two more are a provider order id; without the hyphen they would be an item's number.
  const isNumber = /^[\d-]+$/.test(text) && !/^\d{14}-\d{2,3}$/.test(text);
  const plain = isNumber ? text.replaceAll('-', '') : text;
  return rows<RunRow>(
    `${RUNS} WHERE r.workflow_id = $1 OR r.run_id = $1 OR r.order_no = $2 OR r.workflow_id LIKE 'order-item/%/' || $2
       OR r.run_id IN (SELECT payment_id FROM payment_attempt WHERE pg_order_id = $1 OR attempt_id = $1
         UNION SELECT payment_id FROM refund WHERE refund_id = $1
         UNION SELECT payment_id FROM orders WHERE order_id = $1 OR order_no = $2
         UNION SELECT order_item_id FROM order_item WHERE order_id = $1
         UNION SELECT delivery_id FROM webhook_delivery WHERE event_id = $1 OR webhook_id = $1)
     ORDER BY r.created_at, r.workflow_id LIMIT 100`,
    [text, plain],
  );
}
