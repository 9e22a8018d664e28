/** In each lane of the relay stores take turns (worker/portions.ts). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Pool, type PoolClient } from 'pg';
import { Portions, type Lane, type Room } from '../../../worker/portions.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';

const NOW = new Date('2026-03-02T00:00:00Z');
let owner: Pool;
let relay: Pool;
beforeAll(async () => {
  const url = await migratedDatabase('turns');
  owner = new Pool({ connectionString: url, max: 1 });
  relay = new Pool({ connectionString: roleUrl(url, 'sangjeom_relay'), max: 4 });
});
afterAll(async () => {
  await relay.end();
  await owner.end();
});

interface Queued {
  readonly store: string;
  readonly count: number;
  readonly lane?: Lane;
  readonly notBefore?: Date;
}
async function queue(...all: readonly Queued[]): Promise<void> {
  await owner.query('TRUNCATE outbox');
  for (const { store, count, lane = 'deliveries', notBefore = null } of all)
    await owner.query(
      `INSERT INTO outbox (store_id, message, workflow_type, workflow_id, entity_id, yields, created_at, not_before)
       SELECT $1, 'start', $2, $1 || '/' || $2 || '/' || n, n, $3, $4, $5 FROM generate_series(1, $6::int) n`,
      [store, lane === 'runs' ? 'payment' : 'webhookDelivery', lane === 'yielding', NOW, notBefore, count],
    );
  await owner.query('ANALYZE outbox');
}

const room = (all: number, perStore = all, used: Readonly<Record<string, number>> = {}): Room => ({
  all,
  perStore,
  used: new Map(Object.entries(used)),
});
async function inTransaction<T>(work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const tx = await relay.connect();
  try {
    await tx.query('BEGIN');
    return await work(tx);
  } finally {
    await tx.query('COMMIT');
    tx.release();
  }
}
/** The stores of the rows that were taken and deleted, round by round, until there are no more. */
async function rounds(portions: Portions, limit: Room, max = 100): Promise<string[][]> {
  const all: string[][] = [];
  for (let hasMore = true; hasMore && all.length < max;) {
    const taken = await inTransaction(async (tx) => {
      const batch = await portions.take(tx, limit, NOW);
      await tx.query('DELETE FROM outbox WHERE outbox_id = ANY ($1)', [batch.rows.map((row) => row.outbox_id)]);
      return batch;
    });
    all.push(taken.rows.map((row) => row.store_id));
    hasMore = taken.hasMore;
  }
  return all;
}
const turns = (taken: readonly string[]) => Object.fromEntries([...Map.groupBy(taken, (store) => store)].map(([k, v]) => [k, v.length]));

describe.each(['runs', 'deliveries', 'yielding'] as const)('in the lane of %s', (lane) => {
  test('a store with one row is in the first portion, though another queued 1,000 before it', async () => {
    await queue({ store: 'many', count: 1000, lane }, { store: 'one', count: 1, lane });
    const [first] = await rounds(new Portions(lane), room(12), 1);
    expect(turns(first!)).toEqual({ many: 6, one: 1 });
  });

  test('nothing is left, whatever stores and rows there are', async () => {
    const stores = Array.from({ length: 45 }, (_, n) => ({ store: `s${n}`, count: n % 7 === 0 ? 9 : 1, lane }));
    await queue(...stores);
    const all = (await rounds(new Portions(lane), room(12))).flat();
    expect(turns(all)).toEqual(Object.fromEntries(stores.map(({ store, count }) => [store, count])));
  });
});

test('a store alone takes the whole portion, in the order of its rows', async () => {
  await queue({ store: 'alone', count: 20 });
  const portions = new Portions('deliveries');
  const ids = await inTransaction(async (tx) => (await portions.take(tx, room(12), NOW)).rows.map((row) => Number(row.outbox_id)));
  expect(ids).toHaveLength(12);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

test('more stores than rows can be taken have their turn one after the other, none twice before another', async () => {
  await queue(...['a', 'b', 'c', 'd', 'e'].map((store) => ({ store, count: 3 })));
  const all = (await rounds(new Portions('deliveries'), room(2))).flat();
  expect(all.slice(0, 5).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(all.slice(5, 10).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(all).toHaveLength(15);
});

test('a store that has as many in Temporal as one may have is passed over, and keeps nobody’s place', async () => {
  await queue({ store: 'a', count: 50 }, { store: 'b', count: 50 }, { store: 'c', count: 50 });
  const [first] = await rounds(new Portions('deliveries'), room(4, 12, { a: 12, b: 10 }), 1);
  expect(turns(first!)).toEqual({ b: 2, c: 2 });
  expect(await rounds(new Portions('deliveries'), room(6, 12, { a: 12, b: 12, c: 12 }))).toEqual([[]]);
});

test('rows for later take no turn', async () => {
  const notBefore = new Date(NOW.getTime() + 1000);
  await queue(...Array.from({ length: 20 }, (_, n) => ({ store: `a${n}`, count: 1, notBefore })), { store: 'b', count: 1 });
  expect(await rounds(new Portions('deliveries'), room(4))).toEqual([['b']]);
});

test('what another relay holds is passed over', async () => {
  await queue({ store: 'a', count: 3 }, { store: 'b', count: 1 });
  await inTransaction(async (tx) => {
    expect((await new Portions('deliveries').take(tx, room(4), NOW)).rows).toHaveLength(3);
    expect(await rounds(new Portions('deliveries'), room(4))).toEqual([['a']]);
    expect(await rounds(new Portions('deliveries'), room(4))).toEqual([[]]);
  });
});

test('a portion costs as much with 100,000 rows of one store as with 100', async () => {
  const cost = async (count: number) => {
    await queue({ store: 'many', count }, { store: 'one', count: 1 });
    return inTransaction(async (tx) => {
      const portions = new Portions('deliveries');
      let blocks = 0;
      const explained = {
        query: async (query: { text: string; values: unknown[] }) => {
          const text = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${query.text}`;
          const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] }>(
            text,
            query.values,
          );
          const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
          blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
          return tx.query(query);
        },
      } as unknown as PoolClient;
      await portions.take(explained, room(12), NOW);
      return blocks;
    });
  };
  const [few, many] = [await cost(100), await cost(100_000)];
  expect(many).toBeLessThan(few * 3);
}, 120_000);
