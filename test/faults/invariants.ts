/** Invariants that hold after any kills, checked with SQL and the provider's ledger. */
import { Client, Pool } from 'pg';
import { call } from '../../bin/dev/client.ts';
import { claimsBroken } from './claiming.ts';
import { type Inviting, invitationsBroken } from './inviting.ts';
import type { Promised } from './load.ts';

export interface Seen {
  /** Ids of events to which the receiver responded 200. */
  readonly delivered: ReadonlySet<string>;
  readonly promised: Promised;
  /** The status in the latest response, by invitation. */
  readonly invitations: Inviting['answered'];
}

/**
 * Of each item: its units that the seller canceled, and those that were canceled at all; what went back for it, and what was charged of
 * that; whether a return at the buyer's expense took the last of it.
 */
const LEFT = `WITH paid AS (
    SELECT order_item_id, type, quantity, closed_at, reason NOT IN ('DEFECTIVE', 'WRONG_ITEM', 'DELIVERY_DELAY') AS is_buyers, amounts
    FROM claim WHERE status = 'COMPLETED'),
  gone AS (
    SELECT i.order_item_id, i.canceled_quantity - coalesce(sum(p.quantity), 0) AS by_seller,
      i.canceled_quantity - coalesce(sum(p.quantity) FILTER (WHERE p.type <> 'CANCEL'), 0) AS canceled,
      (SELECT coalesce(sum(r.amount_won), 0) FROM refund r WHERE r.order_item_id = i.order_item_id) AS refunded,
      coalesce(sum((p.amounts ->> 'deliveryFeeChargeAmount')::int + (p.amounts ->> 'couponChargeAmount')::int
        + (p.amounts ->> 'deductAmount')::int - (p.amounts ->> 'deliveryFeeChargeRefundAmount')::int
        - (p.amounts ->> 'couponChargeRefundAmount')::int), 0) AS charged,
      coalesce(bool_or(p.type = 'RETURN' AND p.is_buyers AND p.closed_at = (SELECT max(s.at) FROM flow_step s
        WHERE s.order_item_id = i.order_item_id AND s.event ->> 'type' = 'reduced')), false) AS is_last_returned
    FROM order_item i LEFT JOIN paid p USING (order_item_id) GROUP BY i.store_id, i.order_item_id)`;

/** All violations as sentences; empty when all invariants hold. */
export async function violations(databaseUrl: string, simulator: string, seen: Seen): Promise<string[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  const rows = async <Row extends object>(text: string) => (await pool.query<Row & Record<string, unknown>>(text)).rows;
  const none = async (what: string, text: string) =>
    (await rows(text)).length > 0 ? [`${what}: ${JSON.stringify((await rows(text)).slice(0, 3))}`] : [];
  try {
    return [
      ...(await none('a checkout has two orders', 'SELECT checkout_id FROM orders GROUP BY checkout_id HAVING count(*) > 1')),
      ...(await none(
        'a completed payment has no order',
        `SELECT payment_id FROM payment p WHERE status = 'completed' AND NOT EXISTS (SELECT 1 FROM orders o
         WHERE o.payment_id = p.payment_id)`,
      )),
      ...(await none(
        'an order has no completed payment',
        `SELECT o.order_id FROM orders o JOIN payment p USING (store_id, payment_id) WHERE p.status <> 'completed'`,
      )),
      ...(await none(
        'stock is not what the movements say',
        `SELECT v.variant_id, v.stock_quantity, sum(m.quantity) AS moved FROM variant v JOIN stock_movement m USING (store_id, variant_id)
         GROUP BY 1, 2 HAVING v.stock_quantity <> sum(m.quantity)`,
      )),
      ...(await none(
        'stock held for nothing',
        `SELECT a.attempt_id FROM stock_movement m JOIN payment_attempt a ON a.attempt_id = m.reference WHERE m.reason = 'SALE'
         AND a.status IN ('DECLINED', 'CANCELED', 'EXPIRED') AND NOT EXISTS (SELECT 1 FROM stock_movement u
           WHERE u.reference = m.reference AND u.reason = 'SALE_UNDONE')`,
      )),
      ...(await none(
        'an order took other than its stock',
        `SELECT o.order_id FROM orders o JOIN order_item i USING (store_id, order_id) JOIN payment p USING (store_id, payment_id)
         JOIN payment_attempt a ON a.payment_id = p.payment_id AND a.status = 'APPROVED' LEFT JOIN stock_movement m
           ON m.reference = a.attempt_id AND m.reason = 'SALE' WHERE m.quantity IS DISTINCT FROM -i.quantity`,
      )),
      ...(await none(
        'a change has no event',
        `SELECT i.order_item_id FROM order_item i WHERE (SELECT count(*) FROM event e
         WHERE e.body::jsonb -> 'data' ->> 'orderId' = i.order_id) < CASE i.status WHEN 'PAID' THEN 1 WHEN 'CONFIRMED'
           THEN 2 WHEN 'DISPATCHED' THEN 3 WHEN 'CANCELED' THEN 2 ELSE 4 END`,
      )),
      ...(await none(
        'an event was told twice',
        // Of an order with several items those that name none are told by each.
        `SELECT e.order_id, type, told_to FROM (SELECT type, body::jsonb -> 'data' ->> 'orderId' AS order_id,
           body::jsonb -> 'data' ->> 'orderItemId' AS order_item_id, body::jsonb -> 'data' ->> 'to' AS told_to FROM event) e
         WHERE type NOT IN ('ORDER.CANCELED', 'PRODUCT.OUT_OF_STOCK') AND type NOT LIKE 'CLAIM.%' GROUP BY e.order_id, order_item_id, 2, 3
         HAVING count(*) > CASE WHEN order_item_id IS NULL
           THEN greatest(1, (SELECT count(*) FROM order_item i WHERE i.order_id = e.order_id)) ELSE 1 END`,
      )),
      ...(await none(
        'cancels and their events differ',
        `${LEFT} SELECT * FROM gone WHERE canceled <> (SELECT coalesce(sum((e.body::jsonb -> 'data' ->> 'canceledQuantity')::int), 0)
           FROM event e WHERE e.type = 'ORDER.CANCELED' AND e.body::jsonb -> 'data' ->> 'orderItemId' = gone.order_item_id)`,
      )),
      ...(await none(
        'canceled stock did not come back once',
        `${LEFT} SELECT * FROM gone WHERE by_seller <> (SELECT coalesce(sum(m.quantity), 0)
           FROM stock_movement m WHERE m.reason = 'CANCEL' AND m.reference LIKE gone.order_item_id || '/%')`,
      )),
      ...(await none(
        'refunds are not the share of what left',
        // The fee of a bundle goes back with the last of its items.
        `${LEFT} SELECT i.order_id, i.bundle_no, json_agg(gone), b.fee_refunded_won FROM gone JOIN order_item i USING (order_item_id)
         LEFT JOIN order_bundle b ON b.order_id = i.order_id AND b.bundle_no = i.bundle_no
         GROUP BY i.order_id, i.bundle_no, b.fee_refunded_won HAVING sum(refunded + charged)
           <> sum(i.total_price_won * (i.canceled_quantity - i.exchanged_quantity) / i.quantity) + coalesce(b.fee_refunded_won, 0)`,
      )),
      ...(await none(
        'a bundle’s fee is not where it belongs',
        `${LEFT} SELECT b.order_id FROM order_bundle b WHERE b.base_fee_won > 0 AND (b.fee_refunded_won > 0) <> (
           SELECT bool_and(i.canceled_quantity = i.quantity AND i.exchanged_quantity = 0 AND NOT gone.is_last_returned)
           FROM order_item i JOIN gone USING (order_item_id) WHERE i.order_id = b.order_id AND i.bundle_no = b.bundle_no)`,
      )),
      ...(await none(
        'a refund or cancel has no audit record',
        `${LEFT} SELECT r.refund_id FROM refund r WHERE NOT EXISTS (SELECT 1 FROM audit_domain d WHERE d.refund_id = r.refund_id
           AND (d.metadata ->> 'refundAmount')::int = r.amount_won)
         UNION ALL SELECT order_item_id FROM gone WHERE by_seller <> (SELECT coalesce(sum((d.metadata ->> 'quantity')::int), 0)
           FROM audit_domain d WHERE d.action = 'ORDER_ITEM_CANCELED' AND d.target_id = gone.order_item_id)`,
      )),
      ...(await none('a refund is not settled', `SELECT refund_id, status, failure_code FROM refund WHERE status <> 'DONE'`)),
      ...(await none(
        'an event has no delivery',
        'SELECT event_id FROM event e WHERE NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = e.event_id)',
      )),
      ...(await none(
        'a delivery waits without a run',
        `SELECT delivery_id FROM webhook_delivery d WHERE status IN ('PENDING', 'PENDING_RETRY') AND NOT EXISTS (SELECT 1 FROM run r
         WHERE r.entity_id = d.delivery_id AND r.done_at IS NULL)`,
      )),
      ...(await none(
        'an item has no run',
        `SELECT order_item_id FROM order_item i WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.entity_id = i.order_item_id
         AND (r.done_at IS NULL) = (i.status NOT IN ('PURCHASE_DECIDED', 'CANCELED', 'RETURNED', 'EXCHANGED')))`,
      )),
      ...(await none('a run is not loaded', `SELECT workflow_id FROM run WHERE done_at IS NULL AND loaded_at IS NULL`)),
      ...(await none('the outbox is not empty', 'SELECT outbox_id FROM outbox')),
      ...(await promisesBroken(pool, seen)),
      ...(await undelivered(pool, seen)),
      ...(await ledgerDiffers(pool, simulator)),
      ...(await invitationsBroken(pool, simulator, seen.invitations)),
      ...(await claimsBroken(pool, seen.promised.claims)),
    ];
  } finally {
    await pool.end();
  }
}

async function promisesBroken(pool: Pool, { promised }: Seen): Promise<string[]> {
  const { rows: orders } = await pool.query<{ order_id: string; payment_id: string }>('SELECT order_id, payment_id FROM orders');
  const { rows: checkouts } = await pool.query<{ checkout_id: string }>('SELECT checkout_id FROM checkout');
  const opened = new Set(checkouts.map((row) => row.checkout_id));
  const { rows: payments } = await pool.query<{ payment_id: string }>('SELECT payment_id FROM payment');
  const started = new Set(payments.map((row) => row.payment_id));
  const { rows: items } = await pool.query<{ order_item_id: string; status: string; canceled_quantity: number }>(
    'SELECT order_item_id, status, canceled_quantity FROM order_item',
  );
  const canceledOf = new Map(items.map((row) => [row.order_item_id, row.canceled_quantity]));
  const orderOf = new Map(orders.map((row) => [row.payment_id, row.order_id]));
  const statusOf = new Map(items.map((row) => [row.order_item_id, row.status]));
  const rank = ['PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED', 'PURCHASE_DECIDED', 'CANCELED', 'RETURNED', 'EXCHANGED'];
  return [
    ...[...promised.checkouts].filter((id) => !opened.has(id)).map((id) => `a checkout that was promised is lost: ${id}`),
    ...[...promised.payments].filter((id) => !started.has(id)).map((id) => `a payment that was promised is lost: ${id}`),
    ...[...promised.orders]
      .filter(([payment, order]) => orderOf.get(payment) !== order)
      .map(([payment]) => `an order that was promised is lost: ${payment}`),
    ...[...promised.canceled]
      .filter(([item, quantity]) => (canceledOf.get(item) ?? 0) < quantity)
      .map(([item, quantity]) => `${item} was said to have ${quantity} canceled and has ${String(canceledOf.get(item))}`),
    ...[...promised.items]
      .filter(([item, status]) => rank.indexOf(statusOf.get(item) ?? '') < rank.indexOf(status))
      .map(([item, status]) => `${item} was said to be ${status} and is ${String(statusOf.get(item))}`),
  ];
}

async function undelivered(pool: Pool, { delivered }: Seen): Promise<string[]> {
  const { rows } = await pool.query<{ event_id: string }>(`SELECT event_id FROM webhook_delivery WHERE status = 'SUCCESS'`);
  return rows.filter(({ event_id: id }) => !delivered.has(id)).map(({ event_id: id }) => `marked as sent, never received: ${id}`);
}

/** A payment of which something is left, in the words of TossPayments and of PortOne. */
const HELD: ReadonlySet<string> = new Set(['DONE', 'PARTIAL_CANCELED', 'PAID', 'PARTIAL_CANCELLED']);

/** Σ charged − refunded at the provider = Σ orders: no money without an order, no order without money. */
async function ledgerDiffers(pool: Pool, simulator: string): Promise<string[]> {
  const ledger = (await call(simulator, 'GET', '/__sim/payments')).body as unknown as {
    status: string;
    balanceAmount: number;
    cancels: object[];
  }[];
  const held = ledger.filter(({ status }) => HELD.has(status)).reduce((sum, { balanceAmount }) => sum + balanceAmount, 0);
  // What a channel approved by itself for an attempt that had ended is voided.
  const { rows } = await pool.query<{ sum: string; refunds: string }>(
    `SELECT coalesce((SELECT sum(total_won) FROM orders), 0) - coalesce((SELECT sum(amount_won) FROM refund), 0) AS sum, (SELECT count(*)
     FROM refund) + (SELECT count(*) FROM payment_attempt WHERE status = 'VOIDED') AS refunds`,
  );
  const expected = Number(rows[0]!.sum);
  const given = ledger
    .filter(({ status }) => status !== 'ABORTED' && status !== 'FAILED')
    .reduce((sum, { cancels }) => sum + cancels.length, 0);
  return [
    ...(held === expected ? [] : [`the provider holds ${held} won, the orders say ${expected}`]),
    ...(given === Number(rows[0]!.refunds) ? [] : [`the provider paid back ${given} times, we expected it ${rows[0]!.refunds} times`]),
  ];
}

/** Waits until nothing is in progress: payments settled, runs loaded and none of them due, outbox empty, deliveries ended. */
export async function settle(databaseUrl: string, timeoutMs: number): Promise<string | null> {
  const end = Date.now() + timeoutMs;
  let left = 'no connection';
  while (Date.now() < end) {
    const client = new Client({ connectionString: databaseUrl });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<Record<string, number>>(
        `SELECT (SELECT count(*)::int FROM payment WHERE status = 'processing') AS processing,
           (SELECT count(*)::int FROM refund WHERE status = 'PENDING') AS refunding, (SELECT count(*)::int FROM outbox) AS outbox,
           (SELECT count(*)::int FROM run WHERE done_at IS NULL AND loaded_at IS NULL) AS unloaded,
           (SELECT count(*)::int FROM run r JOIN order_item i ON i.order_item_id = r.entity_id WHERE r.done_at IS NULL
             AND i.status IN ('PURCHASE_DECIDED', 'CANCELED', 'RETURNED', 'EXCHANGED')) AS ending,
           (SELECT count(*)::int FROM run r JOIN store s USING (store_id) WHERE r.done_at IS NULL
             AND r.wake_at <= now() + s.clock_offset_ms * interval '1 millisecond') AS due,
           (SELECT count(*)::int FROM invitation WHERE next_send_at IS NOT NULL) AS mailing,
           (SELECT count(*)::int FROM webhook_delivery WHERE status IN ('PENDING', 'PENDING_RETRY')) AS waiting`,
      );
      left = JSON.stringify(rows[0]);
      if (Object.values(rows[0]!).every((n) => n === 0)) return null;
    } catch {
      // still coming back
    } finally {
      await client.end().catch(() => {});
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return left;
}
