/** What counts as started of a store in a lane of the relay (worker/startedDeliveries.ts). */
import { expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { RecentStores } from '../../../db/kernel/recentStores.ts';
import { StartedDeliveries } from '../../../worker/startedDeliveries.ts';

/** Deliveries of which those in `unloaded` have not loaded their row; the clock moves as it is told. */
function trial(...others: readonly string[]) {
  const stores = new RecentStores(60_000, { now: () => 0 }, { pressure: 1 });
  for (const storeId of ['a', ...others]) stores.note(storeId);
  const unloaded = new Set<string>();
  const pool = { query: async () => ({ rows: [...unloaded].map((workflowId) => ({ workflow_id: workflowId })) }) } as unknown as Pool;
  const started = new StartedDeliveries(stores);
  const start = (id: string, storeId: string, at: number) => {
    unloaded.add(id);
    started.add(id, storeId, at);
  };
  const counts = async (now: number) => Object.fromEntries(await started.counts(pool, now));
  return { start, load: (id: string) => unloaded.delete(id), counts, started };
}

test('a delivery counts until it has loaded its row', async () => {
  const { start, load, counts } = trial();
  start('1', 'a', 0);
  start('2', 'b', 0);
  expect(await counts(10)).toEqual({ a: 1, b: 1 });
  load('1');
  expect(await counts(20)).toEqual({ b: 1 });
});

test('among others it counts twice as long again as all of its store took, but fills no place of theirs', async () => {
  const { start, load, counts, started } = trial('b');
  start('1', 'a', 0);
  start('2', 'a', 0);
  load('1');
  load('2');
  expect(await counts(100)).toEqual({ a: 2 });
  expect(started.unloaded).toBe(0);
  expect(await counts(499)).toEqual({ a: 2 });
  expect(await counts(500)).toEqual({});
});

test('one that never loads its row counts for thirty seconds', async () => {
  const { start, counts } = trial();
  start('1', 'a', 0);
  expect(await counts(30_000)).toEqual({ a: 1 });
  expect(await counts(30_001)).toEqual({});
});
