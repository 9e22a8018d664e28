/** AI actions are counted in the transaction of their change, by the Korean months of the store's clock. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { countAction } from '../../../db/aiActions/commands.ts';
import { checkQuota } from '../../../db/aiActions/queries.ts';
import { inTenant, REQUEST, tenancyOf, type Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { storeText } from '../../../db/runs/text.ts';
import { korean, MINUTE } from '../../../domain/kernel/time.ts';
import { roleUrl } from '../../kernel/database.ts';
import { Client } from 'pg';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 8);
});
afterAll(() => orm.close());

/** A transaction of the store at its time, as the app. */
async function transact<T>({ store: { storeId } }: World, work: (tx: Tx) => Promise<T>): Promise<T> {
  const [row] = await query<{ offset: string }>('SELECT clock_offset_ms AS offset FROM store WHERE store_id = $1', [storeId]);
  return inTenant(orm, tenancyOf(storeId, Number(row!.offset), Date.now()), REQUEST, work);
}
const count = (shop: World, kind: 'limited' | 'always' = 'limited') => transact(shop, (tx) => countAction(tx, kind));
async function subscription(shop: World) {
  const { status, body } = await shop.seller.call('GET', '/v1/store/subscription');
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  return body.data as { plan: string; aiActions: number; aiActionsLimit: number; aiActionsUsed: number; aiActionsResetAt: string };
}
const moveTo = async (shop: World, at: number) => {
  const { status, body } = await shop.seller.call('POST', '/v1/sandbox/clock', { to: korean(at) });
  expect([status, body.error]).toEqual([200, null]);
};
const exceeded = (limit: number, resetsAt: string) => ({ code: 'PLAN_AI_ACTIONS_EXCEEDED', extra: { details: { limit, resetsAt } } });

test('a new store has a thousand until the end of the Korean month', async () => {
  const shop = await world({ sandbox: false });
  const before = korean(Date.now());
  const { aiActionsResetAt, ...usage } = await subscription(shop);
  expect(usage).toEqual({ plan: 'STANDARD', aiActions: 1000, aiActionsLimit: 1000, aiActionsUsed: 0 });
  expect(aiActionsResetAt).toMatch(/^\d{4}-\d{2}-01T00:00:00\+09:00$/);
  const days = (Date.parse(aiActionsResetAt) - Date.parse(before)) / 86_400_000;
  expect([days > 0, days <= 31]).toEqual([true, true]);
});

describe('fifty parallel changes with a limit of twenty', () => {
  test('make twenty, and undo the others', async () => {
    const shop = await world({ aiActionsLimit: 20 });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        transact(shop, async (tx) => {
          // A change that waits for no other one.
          await storeText(tx, `${i}`);
          await countAction(tx, 'limited');
        }),
      ),
    );
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    const { aiActionsResetAt: resetsAt, ...usage } = await subscription(shop);
    expect(usage).toMatchObject({ aiActions: 0, aiActionsLimit: 20, aiActionsUsed: 20 });
    expect(refusals).toHaveLength(30);
    for (const refusal of refusals) expect(refusal).toMatchObject(exceeded(20, resetsAt));
    expect(await query('SELECT 1 FROM command_text WHERE store_id = $1', [shop.store.storeId])).toHaveLength(20);
  });
  test('are all made when they are never blocked', async () => {
    const shop = await world({ aiActionsLimit: 20 });
    await Promise.all(Array.from({ length: 50 }, () => count(shop, 'always')));
    expect(await subscription(shop)).toMatchObject({ aiActions: 0, aiActionsLimit: 20, aiActionsUsed: 50 });
    await expect(count(shop)).rejects.toMatchObject({ code: 'PLAN_AI_ACTIONS_EXCEEDED' });
  });
});

test('a change that fails costs nothing', async () => {
  const shop = await world();
  const failing = transact(shop, async (tx) => {
    await countAction(tx, 'limited');
    throw new Error('undone');
  });
  await expect(failing).rejects.toThrow('undone');
  expect(await subscription(shop)).toMatchObject({ aiActions: 1000, aiActionsUsed: 0 });
});

test('the check refuses what is used up, and counts nothing', async () => {
  const [one, none] = [await world({ aiActionsLimit: 1 }), await world({ aiActionsLimit: 0 })];
  const check = (shop: World) => transact(shop, checkQuota);
  await check(one);
  await check(one);
  await count(one);
  const { aiActionsResetAt } = await subscription(one);
  await expect(check(one)).rejects.toMatchObject(exceeded(1, aiActionsResetAt));
  await expect(check(none)).rejects.toMatchObject(exceeded(0, aiActionsResetAt));
  await expect(count(none)).rejects.toMatchObject(exceeded(0, aiActionsResetAt));
  await count(none, 'always');
  await count(one, 'always');
  expect([await subscription(none), await subscription(one)]).toMatchObject([
    { aiActions: 0, aiActionsLimit: 0, aiActionsUsed: 1 },
    { aiActions: 0, aiActionsLimit: 1, aiActionsUsed: 2 },
  ]);
});

test('the count begins anew when the Korean month of the store’s clock ends', async () => {
  const shop = await world({ aiActionsLimit: 2 });
  // To the beginning of a month, so that the end of it is not now.
  await moveTo(shop, Date.parse((await subscription(shop)).aiActionsResetAt));
  const { aiActionsResetAt: first } = await subscription(shop);
  await count(shop);
  await count(shop);
  await moveTo(shop, Date.parse(first) - 10 * MINUTE);
  expect(await subscription(shop)).toMatchObject({ aiActions: 0, aiActionsUsed: 2, aiActionsResetAt: first });
  await expect(count(shop)).rejects.toMatchObject(exceeded(2, first));
  await moveTo(shop, Date.parse(first));
  const { aiActionsResetAt: second, ...usage } = await subscription(shop);
  expect(usage).toMatchObject({ aiActions: 2, aiActionsUsed: 0 });
  expect((Date.parse(second) - Date.parse(first)) / 86_400_000).toBeGreaterThan(27);
  await count(shop);
  expect(await subscription(shop)).toMatchObject({ aiActions: 1, aiActionsUsed: 1, aiActionsResetAt: second });
});

test('a store counts, reads and changes its own actions only', async () => {
  const [shop, other] = [await world({ aiActionsLimit: 1 }), await world({ aiActionsLimit: 1 })];
  await count(shop);
  expect(await subscription(other)).toMatchObject({ aiActions: 1, aiActionsUsed: 0 });
  await count(other);
  const seen = await transact(shop, ({ sql }) => sql<{ store_id: string }>`SELECT store_id FROM ai_usage`);
  expect(seen).toEqual([{ store_id: shop.store.storeId }]);
  expect(await transact(shop, ({ sql }) => sql`UPDATE ai_usage SET used = 0 WHERE store_id = ${other.store.storeId} RETURNING 1`)).toEqual(
    [],
  );
  const write = ({ sql }: Tx) => sql`INSERT INTO ai_usage (store_id, month, used) VALUES (${other.store.storeId}, '2000-01', 0)`;
  await expect(transact(shop, write)).rejects.toThrow('row-level security');
  await expect(count(other)).rejects.toMatchObject({ code: 'PLAN_AI_ACTIONS_EXCEEDED' });
});

test('an agent’s changes use them up through the API; orders are moved on all the same, and nothing else is counted', async () => {
  const shop = await world({ aiActionsLimit: 2 });
  const agent = { 'x-svc-agent': 'counter/1' };
  const make = (headers: object = {}) => shop.seller.call('POST', '/v1/categories', { name: `${Math.random()}` }, { ...agent, ...headers });
  const key = { 'idempotency-key': 'once' };
  expect([(await make(key)).status, (await make({ 'x-svc-dry-run': '1' })).body.meta.code]).toEqual([201, 'DRY_RUN']);
  const { orderItemId } = await shop.order();
  const confirm = () => shop.seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}, agent);
  expect([(await confirm()).status, (await confirm()).status]).toEqual([200, 409]);
  const { aiActionsResetAt: resetsAt, aiActionsUsed } = await subscription(shop);
  expect(aiActionsUsed).toBe(2);
  const refused = await make();
  expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toMatchObject([
    429,
    { code: 'PLAN_AI_ACTIONS_EXCEEDED', details: { limit: 2, resetsAt } },
    null,
  ]);
  const hook = { url: 'https://example.com/hook', eventTypes: ['ORDER.PAID'] };
  const waiting = await shop.seller.call('POST', '/v1/webhooks', hook, agent);
  expect([waiting.status, waiting.body.error?.code]).toEqual([429, 'PLAN_AI_ACTIONS_EXCEEDED']);
  const other = await shop.order();
  const items = { orderItemIds: [other.orderItemId, 'oit_none'] };
  expect((await shop.seller.call('POST', '/v1/order-items/confirm', items, agent)).status).toBe(200);
  // A person is not counted.
  expect((await shop.seller.call('POST', '/v1/categories', { name: 'by a person' })).status).toBe(201);
  expect((await subscription(shop)).aiActionsUsed).toBe(3);
});

test('a bulk is counted with the first of its parts, and once, also when its answer is lost and it is repeated', async () => {
  const shop = await world();
  const product = await shop.product();
  const ids = (await Promise.all([1, 2, 3].map(() => shop.order(product)))).map(({ orderItemId }) => orderItemId);
  const used = async () => (await subscription(shop)).aiActionsUsed;
  const agent = { 'x-svc-agent': 'counter/1', 'idempotency-key': 'bulk' };
  const confirm = (key = 'bulk') =>
    shop.seller.call('POST', '/v1/order-items/confirm', { orderItemIds: ids }, { ...agent, 'idempotency-key': key });
  const locker = new Client({ connectionString: underTest.databaseUrl });
  await locker.connect();
  await locker.query('BEGIN');
  await locker.query('SELECT 1 FROM order_item WHERE order_item_id = ANY($1) FOR UPDATE', [ids.slice(1)]);
  const confirming = confirm();
  // Its other parts have not ended, and may never end.
  await until('the first part', async () => (await shop.item(ids[0]!))['status'] !== 'PAID');
  expect(await used()).toBe(1);
  await locker.query('COMMIT');
  await locker.end();
  const first = await confirming;
  expect([first.status, await used()]).toEqual([200, 1]);
  await query(`DELETE FROM operation WHERE store_id = $1 AND operation_id = 'orders.confirmMany' AND status = 200 AND body ? 'results'`, [
    shop.store.storeId,
  ]);
  const repeated = await confirm();
  expect([repeated.status, repeated.body.data.succeeded, await used()]).toEqual([200, 3, 1]);
  // One in which nothing succeeds is none.
  expect([(await confirm('another')).body.data.succeeded, await used()]).toEqual([0, 1]);
});
