/** Test data: copies of a real order under new ids, with all rows that belong to it. */
import type { Pool, PoolClient } from 'pg';
import type { System } from '../bin/dev/system.ts';
import type { Seller } from '../bin/dev/client.ts';
import { buy } from './flows.ts';

/** Buys, confirms and dispatches one item; returns its order. */
export async function shipped(system: System, seller: Seller, { productId, code }: { productId: string; code: string }): Promise<string> {
  await buy(system, productId, undefined, code);
  const [order] = (await seller.call('GET', '/v1/orders?size=1')).body.data.items as { orderId: string }[];
  const { items } = (await seller.call('GET', `/v1/orders/${order!.orderId}`)).body.data as { items: { orderItemId: string }[] };
  const act = (action: string, body: object) => seller.call('POST', `/v1/order-items/${items[0]!.orderItemId}/${action}`, body);
  await act('confirm', {});
  await act('dispatch', { deliveryMethod: 'NONE' });
  return order!.orderId;
}

/** SQL of a copy's id: the real one's prefix and the copy's number, of the same length. */
const id = (column: string) => `left(x.${column}, 8) || lpad(n::text, length(x.${column}) - 8, '0')`;
const no = (column: string, tail = '') => `left(x.${column}, 6) || lpad((n + 10000000)::text, 8, '0') || '${tail}'`;
const ago = (column: string) => `x.${column} - n * interval '7 seconds'`;
const THE_ORDER = 'SELECT * FROM orders WHERE order_id = $1';

/** The rows of one order that are copied, and the columns that differ in a copy. */
const TABLES: readonly (readonly [table: string, where: string, columns: Readonly<Record<string, string>>])[] = [
  ['checkout', `x.checkout_id = (SELECT checkout_id FROM (${THE_ORDER}) o)`, { checkout_id: id('checkout_id') }],
  [
    'payment',
    'x.order_id = $1',
    {
      payment_id: id('payment_id'),
      checkout_id: id('checkout_id'),
      order_no: no('order_no'),
      order_id: id('order_id'),
      current_attempt_id: id('current_attempt_id'),
    },
  ],
  [
    'payment_attempt',
    `x.payment_id = (SELECT payment_id FROM (${THE_ORDER}) o)`,
    {
      attempt_id: id('attempt_id'),
      payment_id: id('payment_id'),
      pg_order_id: no('pg_order_id', '-01'),
      payment_key: `x.payment_key || '-' || n`,
    },
  ],
  [
    'orders',
    'x.order_id = $1',
    {
      order_id: id('order_id'),
      order_no: no('order_no'),
      checkout_id: id('checkout_id'),
      payment_id: id('payment_id'),
      ordered_at: ago('ordered_at'),
      last_changed_at: ago('last_changed_at'),
    },
  ],
  [
    'order_item',
    'x.order_id = $1',
    {
      order_item_id: id('order_item_id'),
      order_item_no: no('order_item_no', '01'),
      order_id: id('order_id'),
      last_changed_at: ago('last_changed_at'),
    },
  ],
  ['order_bundle', 'x.order_id = $1', { order_id: id('order_id') }],
  ['flow_step', 'x.order_item_id IN (SELECT order_item_id FROM order_item WHERE order_id = $1)', { order_item_id: id('order_item_id') }],
  [
    'event',
    `x.type = 'ORDER.PAID' AND (x.body::json -> 'data' ->> 'orderId') = $1`,
    { event_id: id('event_id'), event_no: 'x.event_no + n' },
  ],
  [
    'run',
    'x.entity_id IN (SELECT order_item_id FROM order_item WHERE order_id = $1)',
    {
      entity_id: id('entity_id'),
      order_no: no('order_no'),
      workflow_id: `'order-item/' || x.store_id || '/' || ${no('order_no', '01')}`,
    },
  ],
];

/** A range of copy numbers, from 1. Ranges of two stores must not overlap: order numbers are unique across stores. */
export interface Copies {
  readonly orderId: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Copies an order and its run. Triggers and foreign keys are disabled; totals are counted once at the end. `afterwards`: SQL that is
 * executed in the same transaction.
 */
export async function copy(pool: Pool, copies: readonly Copies[], afterwards = ''): Promise<void> {
  const tx = await pool.connect();
  let broken = true;
  try {
    await tx.query('BEGIN');
    await fill(tx, copies);
    if (afterwards) await tx.query(afterwards);
    await tx.query('COMMIT');
    broken = false;
  } finally {
    tx.release(broken);
  }
  await pool.query('VACUUM ANALYZE');
}

async function fill(tx: PoolClient, copies: readonly Copies[]): Promise<void> {
  await tx.query(`SET LOCAL session_replication_role = replica`);
  for (const { orderId, from, to } of copies)
    for (const [table, where, columns] of TABLES) {
      const changes = Object.entries(columns).map(([column, value]) => `'${column}', ${value}`);
      await tx.query(
        `INSERT INTO ${table} SELECT r.* FROM ${table} x CROSS JOIN generate_series($2::int, $3::int) n
         CROSS JOIN LATERAL jsonb_populate_record(x, jsonb_build_object(${changes.join(', ')})) r WHERE ${where}`,
        [orderId, from, to],
      );
    }
  await tx.query('SET LOCAL session_replication_role = origin');
  const counted = `SELECT store_id, 'orders', progress_status, test_payment, count(*) FROM orders GROUP BY 1, 3, 4
    UNION ALL SELECT store_id, 'order_item', status, false, count(*) FROM order_item GROUP BY 1, 3`;
  await tx.query(
    `INSERT INTO list_count (store_id, list, status, is_test, n) ${counted} ON CONFLICT (store_id, list, status, is_test) DO UPDATE
     SET n = excluded.n`,
  );
  await tx.query(
    `UPDATE feed SET event_no = greatest(event_no, (SELECT coalesce(max(event_no), 0) FROM event e WHERE e.store_id = feed.store_id))`,
  );
}
