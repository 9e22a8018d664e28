/** What points cost: the policy, a checkout's preview, and starts with points beside the same without. */
import { Pool } from 'pg';
import { Buyer, call, Seller } from '../bin/dev/client.ts';
import type { System } from '../bin/dev/system.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import { type Cost, loadWithCost } from './cost.ts';

const CODE = 'points';
const CALLERS = [1, 16] as const;
/** Each member has so many lots: the purchases of years. */
const LOTS = 30;
const LOT_WON = 100_000;
const USED = 3000;

/** `count`: requests of each kind for each number of callers. */
export async function points(system: System, count: number, print: (text: string) => void): Promise<void> {
  const wanted = { code: CODE, name: 'bench', sandbox: true, withProduct: true };
  const store = await makeStore(system.databaseUrl, wanted, system.env['SEALING_KEYS']);
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  await seller.call('PUT', '/v1/store/point-policy', {
    purchaseEarn: { enabled: true, rateBp: 100 },
    use: { enabled: true, unit: 10 },
    expiryDays: 365,
  });
  const members = await Promise.all(Array.from({ length: 16 }, () => Buyer.join(system.api, CODE)));
  await grantAll(system, seller);
  const kinds = kindsOf(system, seller, members, productId);
  for (const { work, prepare } of kinds) for (let i = 0; i < 16; i++) await work(i, (await prepare?.(i)) ?? '');
  for (const callers of CALLERS) {
    print(`\n${count} requests of each, ${callers === 1 ? 'one after the other' : `${callers} at a time`}; a member has ${LOTS} lots:`);
    for (const { name, work, prepare } of kinds) {
      const ids: string[] = [];
      if (prepare) for (let i = 0; i < count; i++) ids.push(await prepare(i));
      printCost(await loadWithCost(system.processes, name, callers, count, (i) => work(i, ids[i] ?? '')), print);
    }
  }
}

interface Kind {
  readonly name: string;
  /** What has to be there before, by its id. */
  readonly prepare?: (i: number) => Promise<string>;
  readonly work: (i: number, id: string) => Promise<unknown>;
}
function kindsOf(system: System, seller: Seller, members: readonly Buyer[], productId: string): readonly Kind[] {
  const member = (i: number) => members[i % members.length]!;
  const checkout = async (i: number): Promise<string> => checked(await member(i).checkout(productId))['checkoutId'] as string;
  const start = (i: number, checkoutId: string, pointAmount: number) => member(i).start(checkoutId, { guest: undefined, pointAmount });
  const shop = { headers: { 'x-store-code': CODE } };
  return [
    { name: 'policy, the seller’s', work: async () => checked(await seller.call('GET', '/v1/store/point-policy')) },
    { name: 'policy, the shop’s', work: async () => checked(await call(system.api, 'GET', '/storefront/v1/point-policy', shop)) },
    {
      name: 'policy, a change of it',
      work: async (i) => checked(await seller.call('PUT', '/v1/store/point-policy', { use: { minBalance: i } })),
    },
    { name: 'my points', work: async (i) => checked(await member(i).call('GET', '/storefront/v1/me/points')) },
    {
      name: 'preview with points',
      prepare: checkout,
      work: async (i, id) => checked(await member(i).call('POST', `/storefront/v1/checkout/${id}/pricing`, { pointAmount: USED })),
    },
    { name: 'start without points', prepare: checkout, work: async (i, id) => checked(await start(i, id, 0)) },
    { name: 'start with points', prepare: checkout, work: async (i, id) => checked(await start(i, id, USED)) },
  ];
}

/** Fails where points ran out, or a start was refused. */
function checked({ status, body }: { status: number; body: { data: unknown; error: object | null } }): Readonly<Record<string, unknown>> {
  if (status >= 300) throw new Error(JSON.stringify([status, body.error]));
  return body.data as Readonly<Record<string, unknown>>;
}

/** Gives every member their lots, by the seller, as any lot is given. */
async function grantAll(system: System, seller: Seller): Promise<void> {
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  const { rows } = await pool.query<{ id: string }>(
    'SELECT customer_id AS id FROM customer JOIN store USING (store_id) WHERE store_code = $1',
    [CODE],
  );
  await pool.end();
  for (const { id } of rows)
    for (let lot = 0; lot < LOTS; lot++) {
      const key = { 'idempotency-key': `${id}-${lot}` };
      checked(await seller.call('POST', `/v1/customers/${id}/points/adjustments`, { amount: LOT_WON, reason: 'bench' }, key));
    }
}

function printCost({ name, perSecond, p50, p95, coreMs }: Cost, print: (text: string) => void): void {
  const parts = ['api', 'postgres'].map((process) => `${process} ${coreMs[process] ?? 0}`).join(', ');
  print(`  ${name.padEnd(24)} ${perSecond}/s, p50 ${p50} ms, p95 ${p95} ms; ms of a core: ${parts}`);
}
