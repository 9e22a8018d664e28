/** Every filter of orders, order items, events and deliveries is served by an index, among stores that each have many. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { customerOf, findGuestOrder } from '../../../db/orders/lookups.ts';
import { listItems, listOrders, type OrderFilter, type OrdersBy } from '../../../db/orders/queries.ts';
import { openOrm } from '../../../db/orm.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { beginAttempt } from '../../../db/webhooks/attempts.ts';
import { listDeliveries, redeliverFailed } from '../../../db/webhooks/deliveries.ts';
import { listEvents } from '../../../db/webhooks/events.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { scansOf } from './plan.ts';

const LARGE: ReadonlySet<string> = new Set(['orders', 'order_item', 'event', 'webhook_delivery', 'payment']);
const STORES = 12;
const ORDERS = 1500;
const NOW = Date.now();
let orm: MikroORM;
let storeId: string;

beforeAll(async () => {
  const url = await migratedDatabase('orderplans');
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query('SET session_replication_role = replica');
  for (let s = 0; s < STORES; s++) {
    ({ storeId } = await makeStore(url, { code: `plans-${s}`, name: 'n', sandbox: true, withProduct: false }));
    const at = `to_timestamp(${NOW / 1000}) - n * interval '1 minute'`;
    await owner.query(
      `INSERT INTO orders (store_id, order_id, order_no, checkout_id, payment_id, pg, method, buyer, amounts, delivery, total_won,
       test_payment,
         requires_shipping, representative_status, progress_status, ordered_at, last_changed_at, customer_id, order_password_hash)
       SELECT $1, 'ord_' || n, (26010100000000 + n)::text, 'c' || n, 'p' || n, 'x', 'CARD', '{}', '{}', '{}', 1, n % 500 = 0, true, 'PAID',
         (ARRAY['PAID', 'DELIVERED'])[1 + (n % 40 = 0)::int], ${at}, ${at}, CASE WHEN n % 3 = 0 THEN 'cus_' || n % 300 END, 'h'
       FROM generate_series(1, ${ORDERS}) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO order_item (store_id, order_item_id, order_item_no, order_id, position, product_id, variant_id, product_name,
       unit_price_won, quantity,
         total_price_won, status, bundle_no, fulfillment_snapshot, flow_key, flow_version, flow_state, last_changed_at)
       SELECT $1, 'oit_' || n, (2601010000000000 + n)::text, 'ord_' || n, 1, 'p', 'v', 'n', 1, 1, 1, (ARRAY['PAID',
         'DISPATCHED'])[1 + (n % 40 = 0)::int], 1,
         '{"type":"SHIPPING"}', 'shipping-standard', 1, '{}', ${at} FROM generate_series(1, ${ORDERS}) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url,
       buyer,
         current_attempt_id, attempt_count, test_payment, expires_at, created_at, started_at, completed_at)
       SELECT $1, 'p' || n || $1, 'c' || n,
         '${s}-' || n, 'completed', 'COMPLETED', '[]', '{}', '{}', 1, '', '{}', '', 1, true, ${at}, ${at}, ${at}, ${at}
       FROM generate_series(1, ${ORDERS}) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO event (store_id, event_id, type, body, created_at, event_no) SELECT $1, 'evt_00' || n, 'ORDER.PAID', '{}', ${at}, n
       FROM generate_series(1, ${ORDERS}) n`,
      [storeId],
    );
    for (let w = 0; w < 3; w++)
      await owner.query(
        `INSERT INTO webhook_delivery (store_id, delivery_id, webhook_id, event_id, event_type, url, status, created_at)
         SELECT $1, 'dlv_00' || $2 || n, $2, 'evt_00' || n, 'ORDER.PAID', 'u', (ARRAY['SUCCESS', 'FAILED',
           'PENDING_RETRY'])[1 + (n % 50 = 0)::int + (n % 100 = 0)::int],
           ${at} FROM generate_series(1, ${ORDERS}) n`,
        [storeId, `whk_${w}`],
      );
    await owner.query(
      `INSERT INTO webhook (store_id, webhook_id, url, event_types, status, secret_sealed, secret_prefix, created_at)
       VALUES ($1, 'whk_1', 'u', '{}', 'ACTIVE', '', '', now())`,
      [storeId],
    );
  }
  await owner.query('ANALYZE');
  await owner.end();
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 120_000);
afterAll(() => orm.close());

const page = { page: 1, size: 20 };
const after = { at: NOW - 3_600_000, id: 'ord_60' };
const orders = (by: OrdersBy, filter: Partial<OrderFilter>) => (tx: Tx) => listOrders(tx, by, { ...page, ...filter });
test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['orders', orders('orderedAt', {})],
  ['… by cursor', orders('orderedAt', { after })],
  ['… by number', orders('orderedAt', { orderNo: '26010100000007' })],
  ['… by keyword', orders('orderedAt', { keyword: '260101000000', orderedFrom: NOW - 86_400_000 })],
  ['… by period', orders('orderedAt', { orderedFrom: NOW - 7_200_000, orderedTo: NOW - 3_600_000 })],
  ['… by status', orders('orderedAt', { status: 'DELIVERED' })],
  ['… of tests', orders('orderedAt', { testPayment: true })],
  ['… of a member', orders('orderedAt', { customerId: 'cus_3' })],
  ['… changed', orders('lastChangedAt', { lastChangedFrom: NOW - 3_600_000 })],
  ['… changed, by cursor', orders('lastChangedAt', { after })],
  ['items', (tx) => listItems(tx, { ...page, lastChangedFrom: NOW - 3_600_000 })],
  ['… by cursor', (tx) => listItems(tx, { ...page, after })],
  ['… by status', (tx) => listItems(tx, { ...page, status: 'DISPATCHED', after })],
  ['… by order', (tx) => listItems(tx, { ...page, orderId: 'ord_7' })],
  ['a guest’s order', (tx) => findGuestOrder(tx, '26010100000007')],
  ['whose an item is', (tx) => customerOf(tx, 'oit_7')],
  ['events', (tx) => listEvents(tx, { after: 1400, since: NOW - 86_400_000, types: [], size: 20 })],
  ['… of a type', (tx) => listEvents(tx, { after: 0, since: 0, types: ['ORDER.CANCELED', 'ORDER.PAID'], size: 20 })],
  ['deliveries', (tx) => listDeliveries(tx, 'whk_1', { limit: 50, at: NOW })],
  ['… by status', (tx) => listDeliveries(tx, 'whk_1', { limit: 50, at: NOW, status: 'FAILED' })],
  ['what failed', (tx) => redeliverFailed(tx, 'whk_1')],
  ['a claim', (tx) => beginAttempt(tx, null as never, { deliveryId: 'dlv_00whk_1100', n: 1 })],
])('%s', async (_, work) => expect(await scansOf(orm, storeId, LARGE, work)).toEqual([]));
