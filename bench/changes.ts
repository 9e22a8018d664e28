/** What a read, a change and a dry run of the management API cost, audit record and request log included. */
import { Seller } from '../bin/dev/client.ts';
import type { System } from '../bin/dev/system.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import { loadWithCost } from './cost.ts';

/** `count`: requests of each kind, one after the other. Prints milliseconds of a core of API and Postgres for each request, and p50. */
export async function changes(system: System, count: number, print: (text: string) => void): Promise<void> {
  const store = await makeStore(
    system.databaseUrl,
    { code: 'changes', name: 'bench', sandbox: true, withProduct: true },
    system.env['SEALING_KEYS'],
  );
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const { categoryId } = (await seller.call('POST', '/v1/categories', { name: 'bench' })).body.data as { categoryId: string };
  const [category, product] = [`/v1/categories/${categoryId}`, `/v1/products/${productId}`];
  const dry = { 'x-svc-dry-run': '1' };
  const kinds: readonly (readonly [string, (i: number) => Promise<unknown>])[] = [
    ['read a category', () => seller.call('GET', category)],
    ['rename a category', (i) => seller.call('PATCH', category, { name: `bench ${i}` })],
    ['… dry', (i) => seller.call('PATCH', category, { name: `bench ${i}` }, dry)],
    ['read a product', () => seller.call('GET', product)],
    ['rename a product', (i) => seller.call('PATCH', product, { name: `bench ${i}` })],
    ['… dry', (i) => seller.call('PATCH', product, { name: `bench ${i}` }, dry)],
  ];
  print(`\nms of a core for each of ${count} requests, one after the other:`);
  for (const isCounted of [false, true])
    for (const [name, work] of kinds) {
      const { coreMs, p50 } = await loadWithCost(system.processes, name, 1, isCounted ? count : 100, work);
      if (isCounted) print(`  ${name.padEnd(20)} API ${coreMs['api']}, Postgres ${coreMs['postgres']}, p50 ${p50} ms`);
    }
}
