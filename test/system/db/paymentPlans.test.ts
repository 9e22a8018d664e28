/** Every filter of the list of payments, and the sales report, is served by its index, among stores that each have many. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { listPayments, type PaymentFilter } from '../../../db/payments/list.ts';
import { openOrm } from '../../../db/orm.ts';
import { readSales } from '../../../db/salesReport/queries.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { DAY, HOUR, koreanDate } from '../../../domain/kernel/time.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { indexesOf, scansOf } from './plan.ts';

const LARGE: ReadonlySet<string> = new Set(['payment', 'refund', 'sales_sum']);
const STORES = 4;
const PAYMENTS = 6000;
const NOW = Date.now();
let orm: MikroORM;
let storeId: string;

beforeAll(async () => {
  const url = await migratedDatabase('paymentplans');
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query('SET session_replication_role = replica');
  for (let s = 0; s < STORES; s++) {
    ({ storeId } = await makeStore(url, { code: `plans-${s}`, name: 'n', sandbox: false, withProduct: false }));
    const at = `to_timestamp(${NOW / 1000}) - n * interval '20 minutes'`;
    await owner.query(
      `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url,
         buyer, current_attempt_id, attempt_count, test_payment, environment, expires_at, created_at, started_at, completed_at, pg, method)
       SELECT $1, 'p' || n || $1, 'c' || n, '${s}-' || n, (ARRAY['completed', 'failed'])[1 + (n % 100 = 0)::int], '', '[]', '{}', '{}', 1,
         '', '{}', '', 1, n % 3 = 0, CASE WHEN n % 3 = 0 THEN 'TEST' ELSE 'LIVE' END, ${at}, ${at}, ${at}, ${at},
         (ARRAY['tosspayments', 'portone'])[1 + (n % 100 = 1)::int], (ARRAY['CARD', 'MOBILE'])[1 + (n % 100 = 2)::int]
       FROM generate_series(1, ${PAYMENTS}) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO refund (store_id, refund_id, payment_id, order_id, order_item_id, amount_won, cause, status, created_at, settled_at)
       SELECT $1, 'r' || n || $1, 'p' || n || $1, 'o', 'i', 1, 'CLAIM', (ARRAY['DONE', 'HELD'])[1 + (n % 200 = 0)::int], now(), now()
       FROM generate_series(1, ${PAYMENTS}) n WHERE n % 4 = 0`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO sales_sum (store_id, day, pg, method, is_test, slot) SELECT $1, d, pg, m, false, 0
       FROM generate_series(date '2024-01-01', date '2026-12-31', interval '1 day') d, unnest('{tosspayments,portone}'::text[]) pg,
         unnest('{CARD,MOBILE}'::text[]) m`,
      [storeId],
    );
  }
  await owner.query('VACUUM ANALYZE payment, refund, sales_sum');
  await owner.end();
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 120_000);
afterAll(() => orm.close());

const month = { since: NOW - 30 * DAY, until: NOW + HOUR };
const list = (filter: Partial<PaymentFilter>) => (tx: Tx) =>
  listPayments(tx, { page: 1, size: 20, started: month, includeTest: false, isRefundHeld: false, ...filter });
test.each<[string, (tx: Tx) => Promise<unknown>, string]>([
  ['payments', list({}), 'payment_newest_real'],
  ['… with tests', list({ includeTest: true }), 'payment_newest'],
  ['… of a quarter', list({ started: { since: NOW - 92 * DAY, until: NOW } }), 'payment_newest_real'],
  ['… by status', list({ statuses: ['failed'] }), 'payment_status'],
  ['… by status, with tests', list({ statuses: ['failed'], includeTest: true }), 'payment_status'],
  ['… by two', list({ statuses: ['failed', 'expired'] }), 'payment_status'],
  ['… by provider', list({ pgs: ['portone'] }), 'payment_pg'],
  ['… by method', list({ methods: ['MOBILE'] }), 'payment_method'],
  ['… by number', list({ orderNo: '3-7' }), 'payment_number'],
  ['… with a refund that is held, of all times', list({ started: null, isRefundHeld: true, includeTest: true }), 'refund_held'],
  ['what went back of each', list({}), 'refund_payment'],
  [
    'the sales report',
    (tx) => readSales(tx, { from: koreanDate(NOW - 29 * DAY), to: koreanDate(NOW), groupBy: 'DAY', includeTest: false }),
    'sales_sum_pkey',
  ],
])('%s', async (_, work, index) => {
  expect(await scansOf(orm, storeId, LARGE, work)).toEqual([]);
  expect(await indexesOf(orm, storeId, work)).toContain(index);
});
