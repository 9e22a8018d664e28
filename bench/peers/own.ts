/** Our own system, with the flow of the other benchmarks. */
import { call, Seller } from '../../bin/dev/client.ts';
import { temporarySystem } from '../../bin/dev/temporary.ts';
import { UserError } from '../../bin/kernel/cli.ts';
import { makeStore } from '../../bin/ops/store/make.ts';
import { buy, fillProductPool } from '../flows.ts';
import { analyze } from './analyze.ts';
import { PRODUCT_LIST, type Shop } from './shop.ts';

export async function startOwn(firstPort: number, onStarting: (stop: () => Promise<void>) => void): Promise<Shop> {
  const env = { RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'warn' };
  const system = await temporarySystem('peers', { firstPort, durable: true, env });
  onStarting(system.stop);
  try {
    const processes = () => system.processes().filter(({ name }) => name !== 'simulator');
    const isWhole = ['postgres', 'temporal'].every((server) => processes().some(({ name }) => name === server));
    if (!isWhole) throw new UserError('This compares processes of one machine: unset DATABASE_URL and TEMPORAL_ADDRESS.');
    const store = await makeStore(system.databaseUrl, { code: 'bench', name: 'bench', sandbox: true, withProduct: true });
    const { productId } = await fillProductPool(await Seller.login(system.api, store), 100);
    await analyze(system.databaseUrl);
    const headers = { 'x-store-code': 'bench' };
    const list = async (i: number) => {
      const { status } = await call(system.api, 'GET', `/storefront/v1/products?size=20&page=${1 + (i % 5)}`, { headers });
      if (status !== 200) throw new Error(`product list: ${status}`);
    };
    return { processes, buy: () => buy(system, productId), lists: { [PRODUCT_LIST]: list }, stop: system.stop };
  } catch (error) {
    await system.stop();
    throw error;
  }
}
