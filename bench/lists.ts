/** The time of lists in a store with few orders and in one with many, measured in alternation: at most 20 % more is allowed. */
import { Pool } from 'pg';
import { makeStore } from '../bin/ops/store/make.ts';
import type { System } from '../bin/dev/system.ts';
import { Seller } from '../bin/dev/client.ts';
import { copy, shipped } from './copies.ts';
import { buy } from './flows.ts';
import { percentile } from './measure.ts';

export interface Compared {
  readonly path: string;
  /** Medians in ms. */
  readonly few: number;
  readonly many: number;
  readonly ratio: number;
}
/** Orders in the two stores; as many customers. */
export interface Sizes {
  readonly few: number;
  readonly many: number;
}
const PAIRS = 200;
const WARM = 20;

/** Calls `report` after each comparison. */
export async function lists(system: System, { few, many }: Sizes, report: (compared: Compared) => void): Promise<void> {
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  pool.on('error', () => {});
  // Order numbers are unique across stores: the second store's begin after those of the first.
  const small = await filled(system, pool, { code: 'few', from: 1, orders: few });
  const large = await filled(system, pool, { code: 'many', from: few + 1, orders: many });
  await pool.end();
  const last = Math.max(1, Math.floor(few / 20) - 1);
  const paths = [
    '/v1/orders?size=20',
    '/v1/orders?size=20&status=DISPATCHED',
    '/v1/orders?size=20&status=PAID',
    `/v1/orders?size=20&page=${last}`,
    `/v1/orders?size=20&page=${Math.max(1, Math.floor(last / 2))}&status=PAID`,
    '/v1/order-items?size=20',
    '/v1/order-items?size=20&status=DISPATCHED',
    `/v1/order-items?size=20&page=${last}`,
    '/v1/events?size=20',
    '/v1/events?size=20&type=ORDER.PAID',
    '/v1/events?size=20&type=ORDER.DISPATCHED',
    '/v1/customers?size=20',
    '/v1/customers?size=20&sort=-purchaseAmount',
    '/v1/customers?size=20&joinedFrom=2026-01-01&marketingConsent=false&sort=name',
    // A name that few have in both.
    `/v1/customers?size=20&keyword=${encodeURIComponent('희귀한이름')}`,
  ];
  for (const path of paths) report(await compare(path, [small, path], [large, path]));
  const deepest = Math.floor(Math.min(many, 100_000) / 20) - 1;
  report(
    await compare(
      `/v1/orders?size=20&page=${last} beside page=${deepest}, the last`,
      [small, paths[3]!],
      [large, `/v1/orders?size=20&page=${deepest}`],
    ),
  );
}

const SURNAMES = ['김', '이', '박', '최', '정', '강', '조', '윤', '장', '임'];
const GIVEN = ['민준', '서연', '도윤', '하은', '시우', '지유', '예준', '서윤', '주원', '수아'];
/** Customers who joined a minute after the other; what was bought is the same for every hundredth. */
async function addCustomers(pool: Pool, storeId: string, customers: number): Promise<void> {
  await pool.query(
    `INSERT INTO customer (store_id, customer_id, email, name, phone, created_at)
     SELECT $1, 'cus_bench' || lpad(n::text, 17, '0'), 'm' || md5(n::text) || '@example.com',
       CASE WHEN n <= 20 THEN '희귀한이름' ELSE ($2::text[])[1 + n % 10] || ($3::text[])[1 + (n / 10) % 10] END,
       '010-' || lpad((n % 10000)::text, 4, '0') || '-' || lpad((n % 9973)::text, 4, '0'), now() - n * interval '1 minute'
     FROM generate_series(1, $4::int) n`,
    [storeId, SURNAMES, GIVEN, customers],
  );
  await pool.query(
    `UPDATE customer_stats SET order_count = right(customer_id, 2)::int, paid_won = right(customer_id, 2)::int * 1000,
       last_ordered_at = now() - right(customer_id, 4)::int * interval '1 hour' WHERE store_id = $1`,
    [storeId],
  );
  await pool.query('ANALYZE customer, customer_stats, customer_gram, customer_count');
}

/** Half of its orders are paid and half are dispatched; one event for each that was paid. */
async function filled(system: System, pool: Pool, { code, from, orders }: { code: string; from: number; orders: number }): Promise<Seller> {
  const store = await makeStore(system.databaseUrl, { code, name: code, sandbox: true, withProduct: true }, system.env['SEALING_KEYS']);
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const dispatched = await shipped(system, seller, { productId, code });
  await buy(system, productId, undefined, code);
  const { items } = (await seller.call('GET', '/v1/orders?size=1')).body.data as { items: { orderId: string }[] };
  const half = from + Math.floor(orders / 2);
  await copy(pool, [
    { orderId: dispatched, from, to: half - 1 },
    { orderId: items[0]!.orderId, from: half, to: from + orders - 1 },
  ]);
  await addCustomers(pool, store.storeId, orders);
  return seller;
}

type ListRequest = readonly [seller: Seller, path: string];

async function compare(path: string, few: ListRequest, many: ListRequest): Promise<Compared> {
  const times: readonly [number[], number[]] = [[], []];
  for (let i = -WARM; i < PAIRS; i++)
    for (const which of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const [seller, path] = which === 0 ? few : many;
      const at = performance.now();
      const { status, body } = await seller.call('GET', path);
      if (status !== 200 || body.data.items.length === 0) throw new Error(`${path}: ${status}`);
      if (i >= 0) times[which].push(performance.now() - at);
    }
  const [a, b] = [percentile(times[0], 0.5), percentile(times[1], 0.5)];
  return { path, few: a, many: b, ratio: Math.round((b / a) * 100) / 100 };
}
