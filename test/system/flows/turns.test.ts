/** External calls of a store: ten in flight and sixty a minute of the real clock; no other store's call waits for them (F47). */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query, until } from '../../kernel/world.ts';
import { externalFlow, EXTERNAL_FLOW, FlowShop as Selling, NODE, Service } from './externalFlow.ts';

const LINES = 30;
/** Holds every answer until it is released. */
class Slow {
  readonly open: ServerResponse[] = [];
  most = 0;
  isReleased = false;
  service!: Service;
  static async listen(): Promise<Slow> {
    const slow = new Slow();
    slow.service = await Service.listen((response) => {
      if (slow.isReleased) return void response.end('{}');
      slow.open.push(response);
      slow.most = Math.max(slow.most, slow.open.length);
    });
    return slow;
  }
  release(n = Infinity): void {
    for (const response of this.open.splice(0, n)) response.end('{}');
  }
}
const slow: Slow[] = [];
afterAll(() => slow.forEach(({ service }) => service.close()));
const listen = async () => {
  const one = await Slow.listen();
  slow.push(one);
  return one;
};
let busy: Selling;
let other: Selling;
beforeAll(async () => {
  busy = await Selling.sell(externalFlow({ ...NODE, timeoutSeconds: 60 }));
  other = await Selling.sell(EXTERNAL_FLOW);
}, 60_000);
const waiting = ({ shop }: Selling) =>
  query<{ owner_id: string; retry_at: Date }>('SELECT owner_id, retry_at FROM flow_call_waiting WHERE store_id = $1', [shop.store.storeId]);
const calls = ({ shop }: Selling) =>
  query<{ result: string | null; idempotency_key: string }>('SELECT result, idempotency_key FROM flow_call WHERE store_id = $1', [
    shop.store.storeId,
  ]);
const reached = async (selling: Selling, items: readonly string[], key: string) => {
  for (const item of items) await until(`state ${key}`, async () => (await selling.state(item)).key === key, 60_000);
};

test('thirty at once: ten are in flight, another store’s arrives while they are; each is sent once, and none is lost', async () => {
  const receiver = await listen();
  await busy.connect(receiver.service.url);
  const items: string[] = [];
  for (let i = 0; i < LINES; i++) items.push(await busy.order());
  for (const item of items) await busy.press(item, 'ask');
  await until('ten requests', async () => receiver.open.length === 10, 30_000);
  await until('the others wait', async () => (await waiting(busy)).length === LINES - 10, 30_000);
  const theirs = await listen();
  await other.connect(theirs.service.url);
  const item = await other.order();
  await other.press(item, 'ask');
  await until('the other store’s request', async () => theirs.open.length === 1, 30_000);
  expect([receiver.service.requests.length, receiver.most]).toEqual([10, 10]);
  theirs.release();
  // Each end lets the next one begin.
  receiver.release(1);
  await until('the eleventh', async () => receiver.service.requests.length === 11, 30_000);
  expect(receiver.most).toBe(10);
  while (receiver.service.requests.length < LINES) {
    receiver.release(2);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  receiver.release();
  receiver.isReleased = true;
  await reached(busy, items, 'success');
  expect(receiver.most).toBe(10);
  const keys = receiver.service.requests.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(LINES);
  expect((await calls(busy)).map(({ idempotency_key: key }) => key).toSorted()).toEqual(keys.toSorted());
  expect(await waiting(busy)).toEqual([]);
}, 180_000);

test('the sixty-first of a minute waits until it has room', async () => {
  const selling = await Selling.sell(EXTERNAL_FLOW);
  const receiver = await listen();
  receiver.isReleased = true;
  await selling.connect(receiver.service.url);
  const { storeId } = selling.shop.store;
  await query(
    `INSERT INTO flow_call (store_id, owner_id, call, node_id, idempotency_key, sent_at, begun_at, result)
     SELECT $1, 'oit_' || n, '1.0', 'asked', n, now(), now(), 'success' FROM generate_series(1, 60) n`,
    [storeId],
  );
  const item = await selling.order();
  await selling.press(item, 'ask');
  await until('it waits', async () => (await waiting(selling)).length === 1);
  const [{ retry_at: retryAt }] = (await waiting(selling)) as [{ retry_at: Date }];
  const [{ first }] = await query<{ first: Date }>('SELECT min(begun_at) AS first FROM flow_call WHERE store_id = $1', [storeId]) as [{ first: Date }];
  expect(retryAt.getTime()).toBe(first.getTime() + 60_000);
  expect([(await selling.state(item)).key, receiver.service.requests.length]).toEqual(['asked', 0]);
  // Its flow may go on without it, and does not keep others waiting then.
  await query(`UPDATE flow_call SET begun_at = begun_at - interval '1 minute' WHERE store_id = $1`, [storeId]);
  await query('UPDATE flow_call_waiting SET retry_at = now() WHERE store_id = $1', [storeId]);
  await query(`UPDATE run SET wake_at = now() - interval '2 minutes' WHERE store_id = $1 AND entity_id = $2`, [storeId, item]);
  await reached(selling, [item], 'success');
  expect(receiver.service.requests.length).toBe(1);
}, 180_000);
