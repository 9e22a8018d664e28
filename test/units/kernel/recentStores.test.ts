import { expect, test } from '@jest/globals';
import { pressureAt } from '../../../db/kernel/load.ts';
import { RecentStores } from '../../../db/kernel/recentStores.ts';

test('stores are many while two of them have had work within the time that is recent', () => {
  let now = 0;
  const stores = new RecentStores(5000, { now: () => now });
  const recorded = (storeId: string, at: number) => {
    now = at;
    stores.note(storeId);
    return stores.areMany;
  };
  expect(stores.areMany).toBe(false);
  expect([recorded('a', 1000), recorded('a', 2000), recorded('b', 3000), recorded('b', 6999), recorded('b', 7000)]).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
  expect([recorded('a', 8000), recorded('b', 9000)]).toEqual([true, true]);
  now = 12_999;
  expect(stores.areMany).toBe(true);
  now = 13_000;
  expect(stores.areMany).toBe(false);
});

test('among others a store pauses as long as all that it does at once takes, up to a limit, and as far as the machine is busy', () => {
  const load = { pressure: 1 };
  const stores = new RecentStores(5000, { now: () => 0 }, load);
  stores.note('a');
  expect(stores.pauseMs(10, 3, 100)).toBe(0);
  stores.note('b');
  expect([stores.pauseMs(10, 3, 100), stores.pauseMs(10, 1, 100), stores.pauseMs(50, 3, 100)]).toEqual([30, 10, 100]);
  load.pressure = 0.5;
  expect(stores.pauseMs(10, 3, 100)).toBe(15);
  load.pressure = 0;
  expect(stores.pauseMs(10, 3, 100)).toBe(0);
});

test('a machine that is busy for two fifths makes nobody pause, one that is busy for two thirds makes them pause in full', () => {
  expect([0, 0.4, 0.65, 1].map(pressureAt)).toEqual([0, 0, 1, 1]);
  expect(pressureAt(0.525)).toBeCloseTo(0.5);
});
