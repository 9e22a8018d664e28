/** The time of lists in a store with few orders and in one with many, measured in alternation: X22 allows a difference of 20 %. */
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
/** Orders in the two stores. */
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
