/**
 * The sums of the sales report are those of payments and refunds, whatever is written at once, on both sides of Korean midnight.
 * SALES_CASES=1000 for more; a failure is shrunk and prints its seed.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Pool } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { migrate } from '../../../db/migrate.ts';
import { openOrm } from '../../../db/orm.ts';
import { readSales, type SalesFilter } from '../../../db/salesReport/queries.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';
import { complete, filterAt, live, moved, type Payment, plainRows, someFilters, somePayments, started } from './books.ts';

const CASES = Number(process.env['SALES_CASES'] ?? 40);
let url: string;
let pool: Pool;
let orm: MikroORM;
let storeId: string;

beforeAll(async () => {
  url = await migratedDatabase('sales');
  ({ storeId } = await makeStore(url, { code: 'sales', name: 'n', sandbox: false, withProduct: false }));
  pool = new Pool({ connectionString: url, max: 6 });
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 60_000);
afterAll(async () => {
  await Promise.all([pool.end(), orm.close()]);
});

const report = (filter: SalesFilter) => inTenant(orm, tenancy(storeId), REQUEST, (tx) => readSales(tx, filter));
/** The first Korean midnight of a month: each case has its own, and so has the days around it to itself. */
const midnightOf = (month: number): number =>
  Date.parse(`${2001 + Math.floor(month / 12)}-${String(1 + (month % 12)).padStart(2, '0')}-01T00:00:00+09:00`);

test('a report is what adding up payments and refunds one by one makes, by any filter', async () => {
  let month = 0;
  await fc.assert(
    fc.asyncProperty(somePayments, someFilters, async (some, filters) => {
      const midnight = midnightOf(month++);
      const payments = moved(some, midnight);
      await Promise.all(payments.map((payment) => live(pool, storeId, payment)));
      for (const filter of filters.map((one) => filterAt(one, midnight))) expect(await report(filter)).toEqual(plainRows(payments, filter));
    }),
    { numRuns: CASES },
  );
}, 600_000);

test('a payment is of its last attempt, of the approved one, or of points', async () => {
  const wrong = await pool.query(`SELECT p.payment_id, p.status, p.pg, p.method FROM payment p
    LEFT JOIN LATERAL (SELECT * FROM payment_attempt a WHERE a.store_id = p.store_id AND a.payment_id = p.payment_id
      ORDER BY status = 'APPROVED' DESC, seq DESC LIMIT 1) a ON NOT (p.status = 'completed' AND p.total_won = 0)
    WHERE (p.pg, p.method) IS DISTINCT FROM (a.pg, coalesce(CASE a.status WHEN 'APPROVED' THEN a.approved_method END, a.method, 'POINT'))`);
  expect(wrong.rows).toEqual([]);
  const { rows } = await pool.query('SELECT status, pg FROM payment GROUP BY 1, 2');
  expect(rows.length).toBeGreaterThan(6);
});

describe('nobody waits', () => {
  const day = Date.parse('2100-01-01T12:00:00+09:00');
  const paid: Payment = {
    status: 'completed',
    at: day,
    cashWon: 1000,
    pointWon: 0,
    isTest: false,
    pg: 'portone',
    method: 'CARD',
    approvedMethod: null,
    isSecond: false,
    isFirstVoided: false,
    isAttemptFirst: true,
    refunds: [],
  };
  test('for another transaction with the same rows, in whatever order they have them', async () => {
    const other: Payment = { ...paid, method: 'MOBILE' };
    const [one, two] = [await pool.connect(), await pool.connect()];
    try {
      for (const client of [one, two]) await client.query(`BEGIN; SET LOCAL lock_timeout = '1s'; SET CONSTRAINTS ALL IMMEDIATE`);
      const steps: readonly (readonly [typeof one, Payment])[] = [
        [one, paid],
        [two, other],
        [one, other],
        [two, paid],
      ];
      for (const [client, payment] of steps) await complete(client, { storeId, paymentId: await started(pool, storeId, payment) }, payment);
      await Promise.all([one.query('COMMIT'), two.query('COMMIT')]);
    } finally {
      for (const client of [one, two]) client.release();
    }
    const filter = { from: '2100-01-01', to: '2100-01-01', groupBy: 'DAY', includeTest: false } as const;
    expect(await report(filter)).toMatchObject([
      { method: 'CARD', paymentCount: 2, paymentAmount: 2000 },
      { method: 'MOBILE', paymentCount: 2, paymentAmount: 2000 },
    ]);
    // The next one finds a free row.
    const { rows } = await pool.query(`SELECT count(*)::int AS slots FROM sales_sum WHERE day = '2100-01-01'`);
    await live(pool, storeId, paid);
    expect((await pool.query(`SELECT count(*)::int AS slots FROM sales_sum WHERE day = '2100-01-01'`)).rows).toEqual(rows);
    expect(rows).toEqual([{ slots: 4 }]);
  });
  test('what rolls back was never counted', async () => {
    const client = await pool.connect();
    await client.query('BEGIN; SET CONSTRAINTS ALL IMMEDIATE');
    const at = day + 86_400_000;
    await complete(client, { storeId, paymentId: await started(pool, storeId, { ...paid, at }) }, { ...paid, at });
    await client.query('ROLLBACK');
    client.release();
    expect(await report({ from: '2100-01-02', to: '2100-01-02', groupBy: 'DAY', includeTest: true })).toEqual([]);
  });
});

describe('what was counted is final', () => {
  const final = { code: '23000', message: expect.stringMatching(/is in the sales report and final/) as unknown };
  test.each([
    ['payment', `status = 'failed'`],
    ['payment', `completed_at = completed_at + interval '1 day'`],
    ['payment', 'total_won = total_won + 1'],
    ['payment', `amounts = '{"pointAmount": 7777777}'`],
    ['refund', `status = 'PENDING'`],
    ['refund', 'amount_won = amount_won + 1'],
    ['refund', `settled_at = settled_at + interval '1 day'`],
  ])('%s: %s', async (table, change) => {
    const status = table === 'payment' ? 'completed' : 'DONE';
    await expect(pool.query(`UPDATE ${table} SET ${change} WHERE status = $1`, [status])).rejects.toMatchObject(final);
  });
  test('and a payment has one approved attempt', async () => {
    await expect(
      pool.query(`UPDATE payment_attempt SET status = 'APPROVED' WHERE payment_id IN (SELECT payment_id FROM payment_attempt
        WHERE status = 'APPROVED' AND seq = 2) AND seq = 1`),
    ).rejects.toMatchObject({ code: '23505', constraint: 'payment_attempt_approved' });
  });
});

test('a database of before is counted when it is migrated', async () => {
  const sums = async () =>
    (
      await pool.query(`SELECT day::text, pg, method, is_test, sum(payment_count) AS payments, sum(payment_won) AS paid,
        sum(point_won) AS points, sum(refund_count) AS refunds, sum(refund_won) AS refunded FROM sales_sum GROUP BY 1, 2, 3, 4
          ORDER BY 1, 2, 3, 4`)
    ).rows as object[];
  const methods = async () => (await pool.query('SELECT payment_id, pg, method FROM payment ORDER BY 1')).rows as object[];
  const [counted, shown] = [await sums(), await methods()];
  expect(counted.length).toBeGreaterThan(CASES);
  await pool.query(`
    DROP FUNCTION payment_paid_by, payment_after_attempt, payment_by_points, payment_sold, refund_done, refuse_recount CASCADE;
    DROP FUNCTION add_sale; DROP TABLE sales_sum; DROP FUNCTION korean_day;
    DROP INDEX payment_attempt_approved, payment_newest, payment_newest_real, payment_status, refund_held;
    ALTER TABLE payment DROP COLUMN pg, DROP COLUMN method;
    DELETE FROM mikro_orm_migrations WHERE name = '0033_sales'`);
  await migrate(url);
  expect(await sums()).toEqual(counted);
  expect(await methods()).toEqual(shown);
}, 60_000);
