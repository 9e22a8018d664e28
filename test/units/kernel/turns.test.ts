/** Turns by store (docs/decisions.md#f45). */
import { expect, test } from '@jest/globals';
import { Turns } from '../../../db/kernel/turns.ts';
import { RetryLater } from '../../../domain/kernel/errors.ts';

const OF_ONE = { name: 'test', ofStore: 1 };
const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Takes turns in this order, and records who has begun. */
function taking(turns: Turns, gone = never) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string) =>
    turns.take(name.split('.')[0]!, gone).then((end) => {
      begun.push(name);
      ends.set(name, end);
    });
  return { begun, take, end: (name: string) => ends.get(name)!() };
}

test('so many run at once, one of a store, and the store that was served longest ago comes first', async () => {
  const { begun, take, end } = taking(new Turns({ ...OF_ONE, slots: 2, waitMs: 60_000 }));
  const all = Promise.all(['a.1', 'a.2', 'a.3', 'b.1', 'b.2', 'c.1'].map(take));
  await soon();
  expect(begun).toEqual(['a.1', 'b.1']);
  end('a.1');
  await soon();
  expect(begun).toEqual(['a.1', 'b.1', 'c.1']);
  end('b.1');
  await soon();
  expect(begun.slice(3)).toEqual(['a.2']);
  end('c.1');
  await soon();
  expect(begun.slice(4)).toEqual(['b.2']);
  end('b.2');
  await soon();
  // One of a store.
  expect(begun.slice(5)).toEqual([]);
  end('a.2');
  await all;
  expect(begun.slice(5)).toEqual(['a.3']);
});

test('a store that pauses leaves its slot to others', async () => {
  const pauses: unknown[] = [];
  const pauseMs = (...of: readonly unknown[]) => (pauses.push(of), 20);
  const { begun, take, end } = taking(new Turns({ ...OF_ONE, slots: 1, waitMs: 60_000, pauseMs }));
  const all = Promise.all(['a.1', 'a.2', 'b.1'].map(take));
  await soon();
  end('a.1');
  await soon();
  expect(begun).toEqual(['a.1', 'b.1']);
  end('b.1');
  await soon();
  expect(begun).toHaveLength(2);
  await all;
  expect(begun.at(-1)).toBe('a.2');
  expect(pauses).toEqual([
    ['a', expect.any(Number), 1],
    ['b', expect.any(Number), 1],
  ]);
});

test('who waits in vain is told to come again, and leaves its place', async () => {
  const { begun, take, end } = taking(new Turns({ ...OF_ONE, slots: 1, waitMs: 20 }));
  await take('a.1');
  const refused = await take('b.1').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RetryLater);
  end('a.1');
  await take('a.2');
  expect(begun).toEqual(['a.1', 'a.2']);
});

test('who hangs up leaves its place', async () => {
  const turns = new Turns({ ...OF_ONE, slots: 1, waitMs: 60_000 });
  const [gone, { begun, take, end }] = [new AbortController(), taking(turns)];
  await take('a.1');
  const left = taking(turns, gone.signal)
    .take('b.1')
    .catch(() => 'left');
  gone.abort();
  expect(await left).toBe('left');
  end('a.1');
  await take('c.1');
  expect(begun).toEqual(['a.1', 'c.1']);
  await expect(turns.take('d', gone.signal)).rejects.toThrow('aborted');
});

test('a store has at most twenty that wait', async () => {
  const { take } = taking(new Turns({ ...OF_ONE, slots: 1, waitMs: 1000 }));
  await take('a.0');
  const waiting = Array.from({ length: 21 }, (_, i) => take(`a.${i + 1}`).catch(() => i));
  expect(await Promise.race(waiting)).toBe(20);
  await Promise.all(waiting);
});

test('a store has as many turns at once as it may have, and others have theirs beside it', async () => {
  const { begun, take, end } = taking(new Turns({ name: 'test', slots: 3, ofStore: 2, waitMs: 60_000 }));
  const all = Promise.all(['a.1', 'a.2', 'a.3', 'b.1', 'b.2'].map(take));
  await soon();
  expect(begun).toEqual(['a.1', 'a.2', 'b.1']);
  end('a.1');
  await soon();
  expect(begun.slice(3)).toHaveLength(1);
  for (const name of ['a.2', 'b.1', ...begun.slice(3)]) end(name);
  await all;
  expect(begun.toSorted()).toEqual(['a.1', 'a.2', 'a.3', 'b.1', 'b.2']);
});
