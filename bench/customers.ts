/** The list of customers in a store with many, beside one with few: its orders, filters and searches. */
import { Pool, type PoolClient } from 'pg';
import { Seller } from '../bin/dev/client.ts';
import type { System } from '../bin/dev/system.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import { CUSTOMER_SORTS } from '../domain/customers/rules.ts';
import { DAY, koreanDate } from '../domain/kernel/time.ts';
import { percentile } from './measure.ts';

const FEW = 1000;
const ROUNDS = 60;
const WARM = 2;
/** A search that takes long is asked for less often. */
const BUDGET_MS = 12_000;
const SURNAMES = ['김', '이', '박', '최', '정', '강', '조', '윤', '장', '임'];
const GIVEN = ['민준', '서연', '도윤', '하은', '시우', '지유', '예준', '서윤', '주원', '수아'];
const HOSTS = ['naver.com', 'gmail.com', 'daum.net', 'kakao.com'];
const RARE = '희귀한이름';

/** `count`: customers of the large store. */
export async function customers(system: System, count: number, print: (text: string) => void): Promise<void> {
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  pool.on('error', () => {});
  try {
    const sellers: Seller[] = [];
    for (const [code, size] of [
      ['few', FEW],
      ['many', count],
    ] as const) {
      print(`filling a store with ${size} customers`);
      const store = await makeStore(
        system.databaseUrl,
        { code, name: code, sandbox: true, withProduct: false },
        system.env['SEALING_KEYS'],
      );
      await fill(pool, store.storeId, size);
      sellers.push(await Seller.login(system.api, store));
      const { total } = (await sellers.at(-1)!.call('GET', '/v1/customers')).body.data as { total: number };
      if (total !== size) throw new Error(`the list has ${total} customers`);
    }
    const head = ['p50', 'p95', 'p50', 'p95'].map((text) => text.padStart(8)).join('');
    print(`\n${`GET /v1/customers, one caller, ms; ${FEW} customers, and ${count}`.padEnd(72)}${head}`);
    for (const [what, search] of searches(count)) {
      const figures: string[] = [];
      for (const seller of sellers) figures.push(...(await measured(seller, search)));
      print(`  ${what.padEnd(70)}${figures.map((text) => text.padStart(8)).join('')}`);
    }
    const { rows } = await pool.query<{ relation: string; mb: string }>(
      `SELECT relname AS relation, pg_total_relation_size(oid) / 1000000 AS mb FROM pg_class
       WHERE relname IN ('customer', 'customer_stats', 'customer_gram', 'customer_count', 'point_account')`,
    );
    print(`\nMB with indexes: ${rows.map(({ relation, mb }) => `${relation} ${mb}`).join(', ')}`);
  } finally {
    await pool.end();
  }
}

/** What is asked for, and how. */
function searches(count: number): readonly (readonly [string, string])[] {
  const ago = (days: number) => koreanDate(Date.now() - days * DAY);
  const month = `joinedFrom=${ago(60)}&joinedTo=${ago(30)}`;
  const keyword = (text: string) => `keyword=${encodeURIComponent(text)}`;
  return [
    ...CUSTOMER_SORTS.map((sort) => [`sort=${sort}`, `sort=${sort}`] as const),
    ['sort=-purchaseAmount, includeTest', 'sort=-purchaseAmount&includeTest=true'],
    ['a month', month],
    ['a month, sort=-purchaseAmount', `${month}&sort=-purchaseAmount`],
    ['marketingConsent=true', 'marketingConsent=true'],
    ['marketingConsent=false, all days, sort=name', `joinedFrom=2020-01-01&marketingConsent=false&sort=name`],
    ['keyword: a name that twenty have', keyword(RARE)],
    ['keyword: a name that one in a hundred has', keyword('김민준')],
    ['keyword: a surname that one in ten has', keyword('김')],
    ['keyword: a surname that one in ten has, sort=-purchaseAmount', `${keyword('김')}&sort=-purchaseAmount`],
    ['keyword: an e-mail provider that one in four has', keyword('@naver.com')],
    ['keyword: the beginning of one e-mail', keyword('m1a2b')],
    ['keyword: the end of a phone', keyword('0042')],
    [
      'keyword, a month, marketingConsent=true, sort=-purchaseAmount',
      `${keyword('김민')}&${month}&marketingConsent=true&sort=-purchaseAmount`,
    ],
    ['the last page that there is', `page=${Math.min(count, 100_000) / 20}`],
  ];
}

/** p50 and p95; refused calls are told in place of the second. */
async function measured(seller: Seller, search: string): Promise<readonly [string, string]> {
  const times: number[] = [];
  let refused = 0;
  const end = performance.now() + BUDGET_MS;
  for (let i = -WARM; i < ROUNDS && (times.length === 0 || performance.now() < end); i++) {
    const at = performance.now();
    const { status } = await seller.call('GET', `/v1/customers?size=20&${search}`);
    if (i < 0) continue;
    times.push(performance.now() - at);
    if (status !== 200) refused++;
  }
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  return [String(p50), refused > 0 ? `${refused}×503` : String(p95)];
}

/**
 * Customers who joined a minute after the other, with what triggers write of each; written directly, because one after the other would take
 * hours. Indexes are built afterwards.
 */
async function fill(pool: Pool, storeId: string, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`SET synchronous_commit = off`);
    await client.query(`SET maintenance_work_mem = '1GB'`);
    await client.query('SET session_replication_role = replica');
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
       WHERE i.indrelid::regclass::text IN ('customer', 'customer_stats', 'customer_gram')
         AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
    );
    for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
    await client.query('ALTER TABLE customer_gram DROP CONSTRAINT customer_gram_pkey');
    await insertCustomers(client, storeId, count);
    await client.query('ALTER TABLE customer_gram ADD PRIMARY KEY (store_id, gram, customer_id)');
    for (const { definition } of indexes) await client.query(definition);
    await client.query('SET session_replication_role = origin');
    await client.query('VACUUM ANALYZE customer, customer_stats, customer_gram, customer_count, point_account');
  } finally {
    client.release();
  }
}

async function insertCustomers(client: PoolClient, storeId: string, count: number): Promise<void> {
  await client.query(
    `INSERT INTO customer (store_id, customer_id, email, name, phone, marketing_agreed, created_at)
     SELECT $1, 'cus_bench' || lpad(n::text, 17, '0'), 'm' || left(md5(n::text), 10) || '@' || ($4::text[])[1 + n % 4],
       CASE WHEN n <= 20 THEN '${RARE}' ELSE ($2::text[])[1 + n % 10] || ($3::text[])[1 + (n / 10) % 10] END,
       '010-' || lpad((n % 9973)::text, 4, '0') || '-' || lpad((n % 10000)::text, 4, '0'), n % 5 = 0, now() - n * interval '1 minute'
     FROM generate_series(1, $5::int) n`,
    [storeId, SURNAMES, GIVEN, HOSTS, count],
  );
  // Each hundredth has bought in sandbox mode too.
  await client.query(
    `INSERT INTO customer_stats (store_id, customer_id, with_test, order_count, paid_won, refunded_won, last_ordered_at)
     SELECT store_id, customer_id, with_test, x % 97 + (with_test AND x % 100 = 0)::int, (x * 7919::bigint % 100003) * 100, (x % 7) * 100,
       CASE WHEN x % 97 > 0 THEN created_at + (x % 40) * interval '1 hour' END
     FROM customer CROSS JOIN (VALUES (false), (true)) AS t (with_test) CROSS JOIN LATERAL (SELECT right(customer_id, 8)::int AS x) y
     WHERE store_id = $1`,
    [storeId],
  );
  await client.query(`INSERT INTO point_account (store_id, customer_id) SELECT store_id, customer_id FROM customer WHERE store_id = $1`, [
    storeId,
  ]);
  await client.query(
    `INSERT INTO customer_count (store_id, joined_on, marketing, n)
     SELECT store_id, (created_at AT TIME ZONE 'Asia/Seoul')::date, marketing_agreed, count(*) FROM customer WHERE store_id = $1
     GROUP BY 1, 2, 3`,
    [storeId],
  );
  await client.query(
    `INSERT INTO customer_gram (store_id, gram, customer_id)
     SELECT store_id, gram, customer_id FROM customer, customer_grams(name, email, phone) gram WHERE store_id = $1`,
    [storeId],
  );
}
