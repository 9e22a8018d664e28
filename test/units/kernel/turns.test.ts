/** Turns by store (docs/decisions.md#f45). */
import { expect, test } from '@jest/globals';
import { Turns } from '../../../db/kernel/turns.ts';
import type { Side } from '../../../db/kernel/requester.ts';
import { RetryLater } from '../../../domain/kernel/errors.ts';

const OF_ONE = { name: 'test', ofStore: 1 };
const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Takes turns in this order, by `store.n` or `store.n@sender`, and records who has begun. */
function taking(turns: Turns, { gone = never, side = 'PUBLIC' }: { readonly gone?: AbortSignal; readonly side?: Side } = {}) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string) =>
    turns.take({ storeId: name.split('.')[0]!, side, sender: name.split('@')[1] ?? '', gone }).then((end) => {
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
    [expect.objectContaining({ storeId: 'a' }), expect.any(Number), 1],
    [expect.objectContaining({ storeId: 'b' }), expect.any(Number), 1],
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
  const left = taking(turns, { gone: gone.signal })
    .take('b.1')
    .catch(() => 'left');
  gone.abort();
  expect(await left).toBe('left');
  end('a.1');
  await take('c.1');
  expect(begun).toEqual(['a.1', 'c.1']);
  await expect(turns.take({ storeId: 'd', side: 'PUBLIC', sender: '', gone: gone.signal })).rejects.toThrow('aborted');
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

test('the senders of a store come in turn, however many of one of them wait', async () => {
  const { begun, take, end } = taking(new Turns({ ...OF_ONE, slots: 1, waitMs: 60_000 }));
  void Promise.all(['a.1@crowd', 'a.2@crowd', 'a.3@crowd', 'a.4@crowd', 'a.5@buyer', 'a.6@other', 'a.7@buyer'].map(take));
  await soon();
  for (let n = 0; n < 6; n++) {
    end(begun.at(-1)!);
    await soon();
  }
  expect(begun.map((name) => name.split('@')[1])).toEqual(['crowd', 'crowd', 'buyer', 'other', 'crowd', 'buyer', 'crowd']);
});

test('what the public of a store asks for takes no turn from its seller', async () => {
  const turns = new Turns({ ...OF_ONE, slots: 2, waitMs: 60_000 });
  const [strangers, seller] = [taking(turns), taking(turns, { side: 'SELLER' })];
  // Two of them wait in vain.
  for (const name of ['a.1@x', 'a.2@y', 'a.3@z']) void strangers.take(name).catch(() => {});
  await seller.take('a.4@owner');
  expect([strangers.begun, seller.begun]).toEqual([['a.1@x'], ['a.4@owner']]);
});

test('a full line refuses the last of the sender who has the most, and no newcomer', async () => {
  const refused: string[] = [];
  const { take, begun, end } = taking(new Turns({ ...OF_ONE, slots: 1, line: 4, waitMs: 60_000 }));
  const enqueue = (name: string) => void take(name).catch(() => refused.push(name));
  for (const name of ['a.0@crowd', 'a.1@crowd', 'a.2@crowd', 'a.3@crowd', 'a.4@crowd', 'a.5@crowd']) enqueue(name);
  await soon();
  expect(refused).toEqual(['a.5@crowd']);
  for (const name of ['a.6@buyer', 'a.7@other', 'a.8@third']) enqueue(name);
  await soon();
  expect(refused.slice(1)).toEqual(['a.4@crowd', 'a.3@crowd', 'a.2@crowd']);
  // All have one.
  enqueue('a.9@fourth');
  await soon();
  expect(refused.slice(4)).toEqual(['a.9@fourth']);
  for (let n = 0; n < 4; n++) {
    end(begun.at(-1)!);
    await soon();
  }
  expect(begun).toEqual(['a.0@crowd', 'a.6@buyer', 'a.7@other', 'a.1@crowd', 'a.8@third']);
});

test('where each has one in a full line, those who yield leave it for those who do not', async () => {
  const refused: string[] = [];
  const yields = (sender: string) => sender.startsWith('guesser');
  const { take } = taking(new Turns({ ...OF_ONE, slots: 1, line: 3, waitMs: 60_000, yields }));
  const enqueue = (name: string) => void take(name).catch(() => refused.push(name));
  for (const name of ['a.0@x', 'a.1@guesser1', 'a.2@buyer', 'a.3@guesser2', 'a.4@guesser3', 'a.5@other', 'a.6@third', 'a.7@fourth'])
    enqueue(name);
  await soon();
  expect(refused.toSorted()).toEqual(['a.1@guesser1', 'a.3@guesser2', 'a.4@guesser3', 'a.7@fourth']);
});

test('where as many wait as there may, the longest line has one less for a newcomer', async () => {
  const refused: string[] = [];
  const { take } = taking(new Turns({ ...OF_ONE, slots: 1, line: 10, waiting: 4, waitMs: 60_000 }));
  const enqueue = (name: string) => void take(name).catch(() => refused.push(name));
  for (const name of ['a.0@x', 'a.1@x', 'a.2@x', 'b.1@x', 'b.2@x', 'a.3@x', 'c.1@buyer']) enqueue(name);
  await soon();
  expect(refused).toEqual(['a.3@x', 'a.2@x']);
});
