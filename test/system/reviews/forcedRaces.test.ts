/** Reviews and inquiries against withdrawals and deletions of products, in both orders, forced by locks: one of them wins. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { Buyer, Reply } from '../../../bin/dev/client.ts';
import { query, underTest, untilBlockedBy } from '../../kernel/world.ts';
import { type Bought, codeOf, ReviewShop } from './shop.ts';

let shop: ReviewShop;
let owner: Client;
let pid: number;
beforeAll(async () => {
  shop = await ReviewShop.open();
  owner = new Client({ connectionString: underTest.databaseUrl });
  await owner.connect();
  pid = (await owner.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
});
afterAll(() => owner.end());

interface Shopper {
  readonly who: Buyer;
  readonly customerId: string;
  readonly bought: Bought;
}
async function shopper(): Promise<Shopper> {
  const who = await shop.world.member();
  const bought = await shop.decided(undefined, who);
  const [row] = await query<{ id: string }>('SELECT customer_id AS id FROM orders WHERE order_id = $1', [bought.orderId]);
  return { who, customerId: row!.id, bought };
}
const review = ({ who, bought }: Shopper): Promise<Reply> => shop.write(bought, {}, who);
const inquire = ({ who, bought }: Shopper): Promise<Reply> =>
  who.call('POST', `/storefront/v1/products/${bought.productId}/inquiries`, { content: 'x' });
/** What is answered to a request that waits for a change which is committed meanwhile. */
async function during(statement: string, id: string, request: () => Promise<Reply>): Promise<Reply> {
  await owner.query('BEGIN');
  await owner.query(statement, [id]);
  const reply = request();
  await untilBlockedBy(pid);
  await owner.query('COMMIT');
  return reply;
}
/** Whether somebody holds the row against this lock. */
async function isHeld(statement: string, id: string): Promise<boolean> {
  const other = new Client({ connectionString: underTest.databaseUrl });
  await other.connect();
  try {
    await other.query(statement, [id]);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === '55P03';
  } finally {
    await other.end();
  }
}
const WRITES = [
  ['review', review],
  ['inquiry', inquire],
] as const;

test.each(WRITES)('a withdrawal that is under way comes before a new %s', async (table, write) => {
  const own = await shopper();
  const reply = await during('DELETE FROM customer WHERE customer_id = $1', own.customerId, () => write(own));
  expect(codeOf(reply)).toEqual([401, 'UNAUTHORIZED']);
  expect(await query(`SELECT 1 FROM ${table} WHERE customer_id = $1`, [own.customerId])).toEqual([]);
});

test.each(WRITES)('a deletion of the product that is under way comes before a new %s', async (table, write) => {
  const own = await shopper();
  const reply = await during('UPDATE product SET deleted_at = now() WHERE product_id = $1', own.bought.productId, () => write(own));
  expect(codeOf(reply)).toEqual([404, 'PRODUCT_NOT_FOUND']);
  expect(await query(`SELECT 1 FROM ${table} WHERE customer_id = $1`, [own.customerId])).toEqual([]);
});

test.each(WRITES)('a new %s that is about to commit holds member and product, and stands', async (_, write) => {
  const own = await shopper();
  const locks: boolean[] = [];
  // Its last statement waits for the store's feed.
  await owner.query('BEGIN');
  await owner.query('SELECT 1 FROM feed WHERE store_id = $1 FOR UPDATE', [shop.storeId]);
  const reply = write(own);
  await untilBlockedBy(pid);
  locks.push(await isHeld('SELECT 1 FROM customer WHERE customer_id = $1 FOR UPDATE NOWAIT', own.customerId));
  locks.push(await isHeld('SELECT 1 FROM product WHERE product_id = $1 FOR NO KEY UPDATE NOWAIT', own.bought.productId));
  await owner.query('COMMIT');
  expect([locks, (await reply).status]).toEqual([[true, true], 201]);
});
