/** Two transactions that wait for each other: Postgres ends the request's, which runs again and is carried out once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

let shop: World;
let other: Client;
beforeAll(async () => {
  shop = await world();
  other = new Client({ connectionString: underTest.databaseUrl });
  await other.connect();
  // Whoever looks for a deadlock first, after a second of waiting, is ended by it: the request.
  await other.query(`SELECT set_config('app.store_id', $1, false), set_config('deadlock_timeout', '60s', false)`, [shop.store.storeId]);
});
afterAll(() => other.end());
/** A request that waits for longer has looked for a deadlock already. */
const IN_TIME_MS = 800;
const lock = (productId: string) => other.query('SELECT 1 FROM product WHERE product_id = $1 FOR UPDATE', [productId]);

test.each([
  ['without an idempotency key', () => ({})],
  ['with one', () => ({ 'idempotency-key': randomUUID() })],
])('a change %s is carried out', async (_, headers) => {
  const products = await Promise.all([shop.product(), shop.product()]);
  const [first, second] = products.map(({ productId }) => productId).toSorted() as [string, string];
  const [{ pid }] = (await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }];
  const deadlock = async () => {
    await other.query('BEGIN');
    await lock(second);
    const from = performance.now();
    // Locks the first, and waits for the second.
    const body = { productIds: [first, second], status: 'STOPPED' };
    const reply = shop.seller.call('POST', '/v1/products/bulk/status', body, headers());
    await until('it waits', () =>
      query('SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [pid]).then(({ length }) => length > 0),
    );
    const isInTime = performance.now() - from < IN_TIME_MS;
    if (isInTime) await lock(first);
    await other.query('COMMIT');
    return { isInTime, reply: await reply };
  };
  const { reply } = await until('a deadlock', async () => {
    const made = await deadlock();
    return made.isInTime && made;
  });
  expect([reply.status, reply.body.data]).toMatchObject([200, { succeeded: 2, failed: 0 }]);
  expect(await query('SELECT DISTINCT status FROM product WHERE product_id = ANY ($1)', [[first, second]])).toEqual([
    { status: 'STOPPED' },
  ]);
});
