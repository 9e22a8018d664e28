/** Batches behind the back of requests: when they are written, and that they take no more memory than their bound. */
import { mock } from 'node:test';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type BatchOptions, Batches } from '../../../api/apiRequestLogs/batches.ts';

const OPTIONS = { size: 3, waitMs: 500, retryMs: 1000, bound: 10 } as const;
beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
});
afterEach(() => {
  mock.timers.reset();
});

/** Time goes on, and what waits for it has done its work. */
async function advance(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

/** Batches whose writes end when the test says so. */
function gated(options: Partial<BatchOptions<number>> = {}) {
  const written: (readonly number[])[] = [];
  const ends: ((left: readonly number[]) => void)[] = [];
  let dropped = 0;
  const onDrop = (count: number) => (dropped += count);
  const write = (batch: readonly number[]) => {
    written.push(batch);
    return new Promise<readonly number[]>((resolve) => ends.push(resolve));
  };
  const batches = new Batches<number>({ ...OPTIONS, write, onDrop, ...options });
  const add = (...items: number[]) => items.forEach((item) => batches.add(item));
  const end = async (left: readonly number[] = []) => {
    ends.shift()!(left);
    await advance(0);
  };
  return { batches, add, end, written, dropped: () => dropped };
}

test('a batch is written when it is full, or when its oldest item has waited', async () => {
  const { add, end, written } = gated();
  add(1);
  await advance(400);
  add(2);
  await advance(99);
  expect(written).toEqual([]);
  await advance(1);
  expect(written).toEqual([[1, 2]]);
  await end();
  add(3, 4, 5);
  expect(written).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
});

test('one is written at a time: what comes meanwhile is written afterwards, full batches at once', async () => {
  const { add, end, written } = gated();
  add(1, 2, 3, 4, 5, 6, 7);
  expect(written).toEqual([[1, 2, 3]]);
  await end();
  expect(written).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  await end();
  expect(written).toHaveLength(2);
  await advance(500);
  expect(written.at(-1)).toEqual([7]);
});

test('what waits and is being written never exceeds the bound: the rest is dropped and counted', async () => {
  const { add, end, written, dropped } = gated();
  add(...Array.from({ length: 25 }, (_, i) => i));
  expect(dropped()).toBe(15);
  for (let n = 0; n < 4; n++) {
    await end();
    await advance(500);
  }
  expect(written.flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  add(30);
  await advance(500);
  expect([written.at(-1), dropped()]).toEqual([[30], 15]);
});

test('what could not be written is tried again after a while, in its order, and counts to the bound', async () => {
  const { add, end, written, dropped } = gated();
  add(1, 2, 3);
  await end([2, 3]);
  add(4, 5, 6, 7);
  await advance(999);
  expect(written).toHaveLength(1);
  await advance(1);
  expect(written.at(-1)).toEqual([2, 3, 4]);
  await end([2, 3, 4]);
  add(8, 9, 10, 11, 12);
  expect(dropped()).toBe(1);
  await advance(1000);
  for (let n = 0; n < 4; n++) {
    await end();
    await advance(500);
  }
  expect(written.slice(2).flat()).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('closing writes everything that waits, and takes nothing more', async () => {
  const { batches, add, end, written, dropped } = gated();
  add(1, 2, 3, 4, 5, 6, 7);
  const closed = batches.close(5000);
  add(8);
  for (let n = 0; n < 3; n++) await end();
  await closed;
  expect([written.flat(), dropped()]).toEqual([[1, 2, 3, 4, 5, 6, 7], 1]);
});

test('closing tries what failed once more, and drops it then; it waits no longer than its deadline', async () => {
  const failing = gated();
  failing.add(1, 2);
  const closed = failing.batches.close(5000);
  await advance(0);
  await failing.end([1, 2]);
  await closed;
  expect([failing.written, failing.dropped()]).toEqual([[[1, 2]], 2]);
  const hanging = gated();
  hanging.add(1, 2, 3, 4);
  const late = hanging.batches.close(5000);
  await advance(5000);
  await late;
  expect(hanging.dropped()).toBe(4);
});
