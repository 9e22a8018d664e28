/** Shares of connections by store. */
import { expect, test } from '@jest/globals';
import { Shares } from '../../../db/kernel/shares.ts';
import type { Side } from '../../../db/kernel/requester.ts';
import { NO_STORE } from '../../../db/kernel/tenancy.ts';

/** Of a store, among others. */
const LONGEST_PAUSE_MS = 250;

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Begins so many of a store; how many have begun, and what ends one of them. */
function beginning(shares: Shares, storeId: string, count: number, kind: 'read' | 'change' = 'change', side: Side = 'PUBLIC') {
  const ends: (() => void)[] = [];
  for (let n = 0; n < count; n++)
    void shares.take(kind, { storeId, side, sender: 'x' }).then(
      (end) => ends.push(end),
      // Those that nobody ends wait in vain.
      () => {},
    );
  return {
    begun: () => soon().then(() => ends.length),
    endAll: () => {
      for (const end of ends.splice(0)) end();
    },
  };
}

test.each([
  ['read', 6, 2],
  ['change', 8, 4],
] as const)(
  'a store that is alone has so many transactions of a kind at once, and fewer among others: %s %i %i',
  async (kind, alone, among) => {
    const shares = new Shares(20);
    const hostile = beginning(shares, 'a', 50, kind);
    expect(await hostile.begun()).toBe(alone);
    const other = beginning(shares, 'b', 1, kind);
    expect(await other.begun()).toBe(1);
    hostile.endAll();
    await new Promise((resolve) => setTimeout(resolve, LONGEST_PAUSE_MS));
    expect(await hostile.begun()).toBe(among);
  },
);

test('the changes of a store keep nobody from reading', async () => {
  const shares = new Shares(20);
  await beginning(shares, 'a', 50).begun();
  expect(await beginning(shares, 'a', 1, 'read').begun()).toBe(1);
});

test.each(['read', 'change'] as const)(
  'what the public of a store asks for leaves its seller a turn, and its audit log one: %s',
  async (kind) => {
    const shares = new Shares(20);
    await beginning(shares, 'a', 50, kind).begun();
    expect(await beginning(shares, 'a', 50, kind, 'SELLER').begun()).toBeGreaterThan(0);
    if (kind === 'change') expect(await beginning(new Shares(20), 'a', 5, kind, 'AUDIT').begun()).toBe(1);
  },
);

test('what belongs to no store is no other store', async () => {
  const shares = new Shares(20);
  await beginning(shares, NO_STORE, 1).begun();
  await beginning(shares, 'a', 1).begun();
  await beginning(shares, NO_STORE, 1).begun();
  expect(await beginning(shares, 'a', 50, 'read').begun()).toBe(6);
});

test('what belongs to no store never has more than four', async () => {
  expect(await beginning(new Shares(20), NO_STORE, 10).begun()).toBe(4);
});

test('two hundred of a store wait, and no more', async () => {
  const shares = new Shares(20);
  const refused: unknown[] = [];
  for (let n = 0; n < 6 + 201; n++)
    void shares.take('read', { storeId: 'a', side: 'PUBLIC', sender: 'x' }).catch((error: unknown) => refused.push(error));
  await soon();
  expect(refused).toEqual([expect.objectContaining({ code: 'TOO_MANY_REQUESTS', retryAfter: 1 })]);
});
