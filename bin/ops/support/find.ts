import { fragment } from '../../../db/kernel/sql.ts';
import type { RunRow, Support } from './context.ts';

const LINE = fragment`store_id, workflow_id, workflow_type, entity_id, order_no, wake_at, loaded_at, done_at, wakes, created_at`;
/** The columns of a run whose row was swept; its payment, item or claim still exists. */
const SWEPT = fragment`NULL::text AS order_no, NULL::timestamptz AS wake_at, NULL::timestamptz AS loaded_at, NULL::timestamptz AS done_at,
   0 AS wakes, NULL::timestamptz AS created_at`;

/**
 * The runs of any number that a person may have: order number (hyphens allowed) or id, item number or id, claim number or id, payment id,
 * provider order id, refund, delivery or event id, workflow id. Also runs whose rows were swept.
 */
export function find({ sql }: Support, text: string): Promise<RunRow[]> {
  // 14 digits, a hyphen and two or three more: a provider order id. Without the hyphen: an item's number.
  const isNumber = /^[\d-]+$/.test(text) && !/^\d{14}-\d{2,3}$/.test(text);
  const plain = isNumber ? text.replaceAll('-', '') : text;
  return sql<RunRow>`WITH payments AS (
       SELECT payment_id FROM payment_attempt WHERE pg_order_id = ${text} OR attempt_id = ${text}
       UNION SELECT payment_id FROM refund WHERE refund_id = ${text}
       UNION SELECT payment_id FROM orders WHERE order_id = ${text} OR order_no = ${plain}
     ), found AS (
       SELECT ${LINE}, false AS is_swept FROM run
       WHERE workflow_id = ${text} OR entity_id = ${text} OR order_no = ${plain} OR workflow_id LIKE 'order-item/%/' || ${plain}
         OR workflow_id LIKE 'claim/%/' || ${text}
         OR entity_id IN (SELECT payment_id FROM payments UNION SELECT order_item_id FROM order_item WHERE order_id = ${text}
           UNION SELECT claim_id FROM claim WHERE order_id = ${text}
           UNION SELECT delivery_id FROM webhook_delivery WHERE event_id = ${text} OR webhook_id = ${text})
     ), swept AS (
       SELECT store_id, 'payment/' || store_id || '/' || payment_id AS workflow_id, 'payment' AS workflow_type, payment_id AS entity_id,
         ${SWEPT}, true AS is_swept
       FROM payment WHERE payment_id = ${text} OR 'payment/' || store_id || '/' || payment_id = ${text} OR payment_id IN (
         SELECT payment_id FROM payments)
       UNION ALL
       SELECT i.store_id, 'order-item/' || i.store_id || '/' || order_item_no, 'orderItem', order_item_id, ${SWEPT}, true
       FROM order_item i JOIN orders o USING (store_id, order_id)
       WHERE order_item_id = ${text} OR order_item_no = ${plain} OR 'order-item/' || i.store_id || '/' || order_item_no = ${text}
         OR order_id = ${text}
         OR o.order_no = ${plain}
       UNION ALL
       SELECT store_id, 'claim/' || store_id || '/' || claim_no, 'claim', claim_id, ${SWEPT}, true
       FROM claim WHERE claim_id = ${text} OR claim_no = ${text} OR 'claim/' || store_id || '/' || claim_no = ${text} OR order_id = ${text}
         OR order_no = ${plain}
     )
     SELECT r.*, s.store_code FROM (
       SELECT * FROM found
       UNION ALL SELECT * FROM swept WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.store_id = swept.store_id
         AND run.workflow_id = swept.workflow_id)
     ) r JOIN store s USING (store_id) ORDER BY r.created_at NULLS FIRST, r.workflow_id LIMIT 100`;
}
