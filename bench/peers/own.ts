/** Our own system, with the flow of the other benchmarks. */
import { call, Seller } from '../../bin/dev/client.ts';
import { makeStore } from '../../bin/ops/store/make.ts';
import { buy, fillProductPool } from '../flows.ts';
import { systemOfServers } from '../systemOfServers.ts';
import { analyze } from './analyze.ts';
import { PRODUCT_LIST, type Shop } from './shop.ts';

export async function startOwn(firstPort: number, onStarting: (stop: () => Promise<void>) => void): Promise<Shop> {
  const system = await systemOfServers('peers', { firstPort, onStarting });
  try {
    const processes = () => system.processes().filter(({ name }) => name !== 'simulator');
    const store = await makeStore(
      system.databaseUrl,
      { code: 'bench', name: 'bench', sandbox: true, withProduct: true },
      system.env['SEALING_KEYS'],
    );
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
