/** The buyer's flow at each payment provider, in turns on one system. */
import { createHash } from 'node:crypto';
import type { System } from '../bin/dev/system.ts';
import { Seller } from '../bin/dev/client.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import type { CreatedStore } from '../db/identity/createStore.ts';
import { createKeyring } from '../db/kernel/keyring.ts';
import { inTenant, realTime, REQUEST } from '../db/kernel/tx.ts';
import { withOrm } from '../db/orm.ts';
import { insertSet } from '../db/paymentSettings/credentials.ts';
import { type PortoneCredentials, PROVIDERS } from '../domain/payments/providers.ts';
import { type Cost, loadWithCost } from './cost.ts';
import { buy } from './flows.ts';

const CODE = 'providers';
const KEYS: PortoneCredentials = {
  provider: 'portone',
  environment: 'TEST',
  storeId: 'store-bench',
  channelKey: 'channel-key-bench',
  apiSecret: 'portone-bench-secret',
  webhookSecret: `whsec_${createHash('sha256').update('bench').digest('base64')}`,
};
const CALLERS = [1, 16] as const;
const ROUNDS = 2;

/** `count`: orders at each provider in each of the rounds, for each number of callers. */
export async function providers(system: System, count: number, print: (text: string) => void): Promise<void> {
  const store = await makeStore(
    system.databaseUrl,
    { code: CODE, name: 'bench', sandbox: true, withProduct: true },
    system.env['SEALING_KEYS'],
  );
  await usePortone(system, store);
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const order = (pg: string) => buy(system, productId, () => {}, CODE, pg);
  for (const pg of PROVIDERS) for (let i = 0; i < 20; i++) await order(pg);
  for (const callers of CALLERS) {
    print(`\n${count} orders at each provider in turns, ${callers === 1 ? 'one after the other' : `${callers} at a time`}:`);
    for (let round = 0; round < ROUNDS; round++)
      for (const pg of PROVIDERS) printCost(await loadWithCost(system.processes, pg, callers, count, () => order(pg)), print);
  }
}

/** PortOne beside TossPayments, which a development store has from the beginning. */
const usePortone = (system: System, { storeId }: CreatedStore): Promise<unknown> =>
  withOrm(system.databaseUrl, 1, (orm) =>
    inTenant(orm, realTime(storeId, Date.now()), REQUEST, (tx) =>
      insertSet(tx, createKeyring(system.env['SEALING_KEYS']!), { set: KEYS, status: 'VERIFIED', byName: null }),
    ),
  );

function printCost({ name, perSecond, p50, p95, coreMs }: Cost, print: (text: string) => void): void {
  const all = Object.values(coreMs).reduce((sum, ms) => sum + ms, 0);
  const by = Object.entries(coreMs).map(([process, ms]) => `${process} ${ms}`);
  print(`  ${name.padEnd(14)} p50 ${p50} ms, p95 ${p95} ms, ${perSecond}/s; ms of a core ${all.toFixed(1)}: ${by.join(', ')}`);
}
