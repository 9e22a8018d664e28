/** Visits are counted every ten minutes in all stores, by a Temporal Schedule (docs/contract.md#analytics). */
import { expect, test } from '@jest/globals';
import { MINUTE } from '../../../domain/kernel/time.ts';
import { query, temporalClient, until, type World, world } from '../../kernel/world.ts';
import { analytics, PAGE, visited, visitOf } from './shop.ts';

/** As if it had happened twenty minutes ago: before the interval in which a run starts, as the time of which it counts. */
const longAgo = async ({ store }: World) => {
  for (const table of ['visit_event', 'visit_batch'])
    await query(`UPDATE ${table} SET created_at = created_at - interval '20 minutes' WHERE store_id = $1`, [store.storeId]);
};

test('runs of the Schedule count what had happened by then in every store, once', async () => {
  const shops = [await world(), await world({ sandbox: false }), await world()];
  const [, live, empty] = shops as [World, World, World];
  await shops[0]!.advance('P3D');
  for (const shop of shops.slice(0, 2)) {
    await visited(shop, visitOf('v'), [PAGE, PAGE]);
    await longAgo(shop);
  }
  const { schedule } = await temporalClient();
  const handle = await until('the Schedule', async () => {
    const found = schedule.getHandle('visit-counts');
    return (await found.describe().catch(() => null)) && found;
  });
  const views = async (shop: World) => (await analytics(shop, 'overview')).totals.pageViews as number;
  const began = Date.now();
  for (let n = 0; n < 3; n++) await handle.trigger();
  await until('they are counted', async () => (await views(shops[0]!)) + (await views(live)) === 4);
  await until('the runs have ended', async () => (await handle.describe()).info.runningActions.length === 0);
  expect([await views(shops[0]!), await views(live), await views(empty)]).toEqual([2, 2, 0]);
  for (const shop of [live, empty]) {
    const computedAt = Date.parse((await analytics(shop, 'overview')).lastComputedAt as string);
    expect(computedAt % (10 * MINUTE)).toBe(0);
    expect(computedAt).toBeGreaterThan(began - 10 * MINUTE);
  }
});
