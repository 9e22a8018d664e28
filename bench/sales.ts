/** Reports over a year of a store with many payments, of sales and of visits, and its list of payments, beside adding up one by one. */
import { Pool } from 'pg';
import { Seller } from '../bin/dev/client.ts';
import { until } from '../bin/dev/until.ts';
import type { System } from '../bin/dev/system.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import { DAY, koreanDate } from '../domain/kernel/time.ts';
import { buy } from './flows.ts';
import { type Figures, load } from './measure.ts';
import { visits } from './visits.ts';

const CODE = 'sales';
/** Bought for real: their sums are written by the triggers. */
const REAL = 20;
/** Transactions at once, which a busy day's sums are spread over. */
const SLOTS = 4;
const AIM_MS = 300;

/** `count`: payments of the year. */
export async function sales(system: System, count: number, print: (text: string) => void): Promise<void> {
  const wanted = { code: CODE, name: CODE, sandbox: true, live: true, withProduct: true };
  const store = await makeStore(system.databaseUrl, wanted, system.env['SEALING_KEYS']);
  const seller = await Seller.login(system.api, store);
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  pool.on('error', () => {});
  try {
    await sell(system, seller, pool);
    print(`filling a year with ${count} payments`);
    await fill(pool, store.storeId, count);
    const to = koreanDate(Date.now());
    const year = `from=${koreanDate(Date.parse(to) - 365 * DAY)}&to=${to}`;
    const quarter = `from=${koreanDate(Date.parse(to) - 91 * DAY)}&to=${to}`;
    const { totals } = (await seller.call('GET', `/v1/sales-report?${year}`)).body.data as { totals: { paymentCount: number } };
    if (totals.paymentCount !== count + REAL) throw new Error(`the report has ${totals.paymentCount} payments`);
    const read = (path: string) => async () => {
      const { status } = await seller.call('GET', path);
      if (status !== 200) throw new Error(`${path}: ${status}`);
    };
    const report = (search: string) => load(`/v1/sales-report ${search}`, 1, 100, read(`/v1/sales-report?${year}&${search}`));
    const list = (search: string) => load(`/v1/payments ${search}`, 1, 100, read(`/v1/payments?${search}`));
    const plain = `SELECT pg, method, count(*), sum(total_won) FROM payment WHERE store_id = $1 AND status = 'completed' GROUP BY 1, 2`;
    const figures = [
      await report('groupBy=DAY'),
      await report('groupBy=MONTH'),
      await report('groupBy=DAY&pg=portone&method=CARD,EASY_PAY'),
      await list(''),
      await list(quarter),
      await list(`${quarter}&status=failed`),
      await list(`${quarter}&method=EASY_PAY`),
      await list('refundHeld=true'),
      await load('bare Postgres: the year added up', 1, 5, () => pool.query(plain, [store.storeId])),
      ...(await visits(pool, seller, store.storeId, year)),
    ];
    print(`\na year of ${count} payments, one caller; the aim for a report is ${AIM_MS} ms:`);
    for (const { name, p50, p95 } of figures satisfies Figures[]) print(`  ${name.padEnd(76)} p50 ${p50} ms, p95 ${p95} ms`);
  } finally {
    await pool.end();
  }
}

/** Orders of today, the last of which is canceled and paid back. */
async function sell(system: System, seller: Seller, pool: Pool): Promise<void> {
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  for (let i = 0; i < REAL; i++) await buy(system, productId, undefined, CODE);
  const { items } = (await seller.call('GET', '/v1/order-items?size=1')).body.data as { items: { orderItemId: string }[] };
  await seller.call('POST', `/v1/order-items/${items[0]!.orderItemId}/cancel`, { reason: 'OTHER' });
  await until('refunded', async () => (await pool.query(`SELECT 1 FROM refund WHERE status = 'DONE'`)).rows[0] !== undefined, 30_000);
}

/** Rows as a year leaves them: five methods of two providers, each twentieth paid back, a few held, each hundredth failed as well. */
async function fill(pool: Pool, storeId: string, count: number): Promise<void> {
  const at = `now() - (n % 365) * interval '1 day' - (n % 3600) * interval '1 second'`;
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(
      `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, order_id, status, result, lines, amounts, delivery, total_won,
         return_url, buyer, current_attempt_id, attempt_count, test_payment, environment, expires_at, created_at, started_at, completed_at,
         pg, method)
       SELECT $1, 'pay_bench' || n, 'chk_bench' || n, 'bench-' || n, 'ord_bench' || n, s, upper(s), '[]',
         '{"productAmount":10000,"deliveryFee":0,
           "couponDiscountAmount":0,"pointAmount":0,"totalAmount":10000}', '{}', 10000, '', '{}', '', 1, false, 'LIVE', at, at, at,
         CASE s WHEN 'completed' THEN at END, (ARRAY['tosspayments', 'portone'])[1 + n % 2],
         (ARRAY['CARD', 'EASY_PAY', 'BANK_TRANSFER', 'MOBILE', 'CARD'])[1 + n % 5]
       FROM generate_series(1, $2::int * 101 / 100) n,
         LATERAL (SELECT ${at} AS at, CASE WHEN n <= $2 THEN 'completed' ELSE 'failed' END AS s) x`,
      [storeId, count],
    );
    await client.query(
      `INSERT INTO refund (store_id, refund_id, payment_id, order_id, order_item_id, amount_won, cause, status, created_at, settled_at)
       SELECT $1, 'rfd_bench' || n, 'pay_bench' || n, 'ord_bench' || n, 'oit_bench' || n, 10000, 'CLAIM', s, ${at},
         CASE s WHEN 'DONE' THEN ${at} END
       FROM generate_series(20, $2::int, 20) n, LATERAL (SELECT CASE WHEN n % 20000 = 0 THEN 'HELD' ELSE 'DONE' END AS s) x`,
      [storeId, count],
    );
    await client.query(
      `INSERT INTO sales_sum (store_id, day, pg, method, is_test, slot, payment_count, payment_won, refund_count, refund_won)
       SELECT $1, day, pg, method, false, slot, sum(paid), sum(paid_won), sum(back), sum(back_won) FROM (
         SELECT korean_day(completed_at) AS day, pg, method, right(payment_id, 1)::int % ${SLOTS} AS slot, 1 AS paid, total_won AS paid_won,
           0 AS back, 0 AS back_won
         FROM payment WHERE store_id = $1 AND status = 'completed' AND starts_with(payment_id, 'pay_bench')
         UNION ALL
         SELECT korean_day(settled_at), pg, method, 0, 0, 0, 1, amount_won FROM refund r JOIN payment p USING (store_id, payment_id)
         WHERE r.store_id = $1 AND r.status = 'DONE' AND starts_with(payment_id, 'pay_bench')) one GROUP BY day, pg, method, slot`,
      [storeId],
    );
    await client.query('COMMIT');
    await client.query('VACUUM ANALYZE payment, refund, sales_sum');
  } finally {
    client.release();
  }
}
