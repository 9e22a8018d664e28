/** Reports over a year of a store's visits, beside counting the distinct visitors of the year. */
import type { Pool } from 'pg';
import type { Seller } from '../bin/dev/client.ts';
import { type Figures, load } from './measure.ts';

const [PRODUCTS, SOURCES, VISITORS] = [1000, 50, 2000];

/** `year`: the period, as a query. A year of 2000 visitors a day, a tenth of whom come back on any of the days before. */
export async function visits(pool: Pool, seller: Seller, storeId: string, year: string): Promise<Figures[]> {
  await fill(pool, storeId);
  const read = (path: string) => async () => {
    const { status } = await seller.call('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  };
  const report = (name: string) => load(`/v1/analytics/${name}`, 1, 100, read(`/v1/analytics/${name}?${year}`));
  const plain = `SELECT count(DISTINCT who) FROM visit_member WHERE store_id = $1 AND list = 'VISITOR'`;
  return [
    await report('overview'),
    await report('products'),
    await report('sources'),
    await load('bare Postgres: the visitors of the year counted', 1, 5, () => pool.query(plain, [storeId])),
  ];
}

/** What counting leaves behind: sums of each day, and how many had been there last on which day before. */
async function fill(pool: Pool, storeId: string): Promise<void> {
  const days = `generate_series(0, 365) d, LATERAL (SELECT current_date - d AS day) x`;
  await pool.query(
    `INSERT INTO visit_sum (store_id, list, key, medium, day, is_test, page_views, product_views, cart_adds, purchases, quantity,
      amount_won)
     SELECT $1, list, key, medium, day, false, 9, 5, 2, 1, 1, 10000 FROM ${days}, LATERAL (
       SELECT 'ALL' AS list, '' AS key, '' AS medium
       UNION ALL SELECT 'PRODUCT', 'prd_' || n, '' FROM generate_series(1, $2::int) n
       UNION ALL SELECT 'SOURCE', 'source-' || n, 'cpc' FROM generate_series(1, $3::int) n) cell
     ON CONFLICT DO NOTHING`,
    [storeId, PRODUCTS, SOURCES],
  );
  await pool.query(
    `INSERT INTO visit_distinct (store_id, list, key, medium, day, day_before, n)
     SELECT $1, list, key, medium, day, CASE WHEN gap = 0 THEN '-infinity'::date ELSE day - gap END, 1 + $2::int / (1 + gap)
     FROM ${days}, LATERAL (
       SELECT l AS list, '' AS key, '' AS medium, gap FROM unnest(ARRAY['VISITOR', 'SESSION']) l, generate_series(0, 365) gap
       UNION ALL SELECT 'PRODUCT_VISITOR', 'prd_' || n, '', gap FROM generate_series(1, $3::int) n, generate_series(0, 3) gap
       UNION ALL SELECT l, 'source-' || n, 'cpc', gap
         FROM unnest(ARRAY['SOURCE_VISITOR', 'SOURCE_SESSION']) l, generate_series(1, $4::int) n, generate_series(0, 20) gap) cell
     ON CONFLICT DO NOTHING`,
    [storeId, VISITORS, PRODUCTS, SOURCES],
  );
  await pool.query(
    `INSERT INTO visit_member (store_id, list, key, medium, who, day, n, created_at)
     SELECT $1, 'VISITOR', '', '', visit_key((d * $2 * 9 / 10 + n)::text), day, 1, now() FROM ${days}, generate_series(1, $2::int) n`,
    [storeId, VISITORS],
  );
  await pool.query('VACUUM ANALYZE visit_sum, visit_distinct, visit_member');
}
