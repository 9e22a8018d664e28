/** A store that has grown: two real orders, copied under new ids, and a real run for each copy that is still open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import type { System } from '../bin/setup/system.ts';
import type { Seller } from '../test/kernel/http.ts';
import { buy, type Shelf } from './flows.ts';

export interface Growth {
  /** Orders in all. */
  readonly past: number;
  /** Of these, how many are dispatched and wait for their delivery deadline. */
  readonly openRuns: number;
}

/** Seeds the orders and waits until every open run has been started and has seen its row. */
export async function grow(
  system: System,
  seller: Seller,
  shelf: Shelf,
  { past, openRuns }: Growth,
): Promise<{ seedSeconds: number; startSeconds: number }> {
  const decided = await shipped(system, seller, shelf);
  await seller.call('POST', '/v1/sandbox/clock', { advance: 'P30D' });
  const open = await shipped(system, seller, shelf);
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  const began = Date.now();
  await copies(pool, decided, 1, past - openRuns);
  await copies(pool, open, past - openRuns + 1, past);
  await pool.query(`INSERT INTO outbox (store_id, message, kind, workflow_id, run_id, order_no, status, wake_at, created_at)
    SELECT store_id, 'start', kind, workflow_id, run_id, order_no, 'DISPATCHED', wake_at, created_at FROM run WHERE done_at IS NULL AND loaded_at IS NULL`);
  await pool.query('ANALYZE');
  const seeded = Date.now();
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      'SELECT count(*)::int AS left FROM run WHERE done_at IS NULL AND loaded_at IS NULL',
    );
    if (rows[0]!.left === 0) break;
    process.stdout.write(`  ${rows[0]!.left} runs are still to start\n`);
    await sleep(15_000);
  }
  await pool.end();
  return { seedSeconds: Math.round((seeded - began) / 1000), startSeconds: Math.round((Date.now() - seeded) / 1000) };
}

/** Buys, confirms and dispatches one item; answers its order. */
async function shipped(system: System, seller: Seller, { productId }: Shelf): Promise<string> {
  await buy(system, productId);
  const [order] = (await seller.call('GET', '/v1/orders?size=1')).body.data.items as { orderId: string }[];
  const { items } = (await seller.call('GET', `/v1/orders/${order!.orderId}`)).body.data as { items: { orderItemId: string }[] };
  const act = (action: string, body: object) => seller.call('POST', `/v1/order-items/${items[0]!.orderItemId}/${action}`, body);
  await act('confirm', {});
  await act('dispatch', { deliveryMethod: 'NONE' });
  return order!.orderId;
}

/** A copy's id: as long as the real one, and counted. */
const id = (column: string) => `left(x.${column}, 8) || lpad(n::text, length(x.${column}) - 8, '0')`;
const no = (column: string, tail = '') => `left(x.${column}, 6) || lpad((n + 10000000)::text, 8, '0') || '${tail}'`;
const ago = (column: string) => `x.${column} - n * interval '7 seconds'`;
const THE_ORDER = 'SELECT * FROM orders WHERE order_id = $1';

/** What is copied of one order, and which columns are new in a copy. */
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
    { attempt_id: id('attempt_id'), payment_id: id('payment_id'), pg_order_id: no('pg_order_id', '-01') },
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
    'run',
    'x.run_id IN (SELECT order_item_id FROM order_item WHERE order_id = $1)',
    {
      run_id: id('run_id'),
      order_no: no('order_no'),
      workflow_id: `'order-item/' || x.store_id || '/' || ${no('order_no', '01')}`,
      loaded_at: 'CASE WHEN x.done_at IS NULL THEN NULL ELSE x.loaded_at END',
    },
  ],
];

async function copies(pool: Pool, orderId: string, from: number, to: number): Promise<void> {
  for (const [table, where, columns] of TABLES) {
    const changes = Object.entries(columns).map(([column, value]) => `'${column}', ${value}`);
    await pool.query(
      `INSERT INTO ${table} SELECT r.* FROM ${table} x CROSS JOIN generate_series($2::int, $3::int) n
       CROSS JOIN LATERAL jsonb_populate_record(x, jsonb_build_object(${changes.join(', ')})) r WHERE ${where}`,
      [orderId, from, to],
    );
  }
}
