/** External calls of a store: ten in flight and sixty a minute of the real clock; no other store's call waits for them. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { query, until } from '../../kernel/world.ts';
import { externalFlow, EXTERNAL_FLOW, FlowShop as Selling, NODE, Service } from './externalFlow.ts';

const LINES = 30;
/** Holds every answer until it is released. */
class Slow {
  readonly open: ServerResponse[] = [];
  max = 0;
  isReleased = false;
  service!: Service;
  static async listen(): Promise<Slow> {
    const slow = new Slow();
    slow.service = await Service.listen((response) => {
      if (slow.isReleased) response.end('{}');
      else slow.max = Math.max(slow.max, slow.open.push(response));
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
/** As if sixty calls had just been made. */
const fill = (storeId: string) =>
  query(
    `INSERT INTO flow_call (store_id, owner_id, call, node_id, idempotency_key, sent_at, begun_at, result)
     SELECT $1, 'oit_' || n, '1.0', 'asked', n, now(), now(), 'success' FROM generate_series(1, 60) n`,
    [storeId],
  );
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
  expect([receiver.service.requests.length, receiver.max]).toEqual([10, 10]);
  theirs.release();
  // Each end lets the next one begin.
  receiver.release(1);
  await until('the eleventh', async () => receiver.service.requests.length === 11, 30_000);
  expect(receiver.max).toBe(10);
  while (receiver.service.requests.length < LINES) {
    receiver.release(2);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  receiver.release();
  receiver.isReleased = true;
  await reached(busy, items, 'success');
  expect(receiver.max).toBe(10);
  const keys = receiver.service.requests.map(({ headers }) => String(headers['idempotency-key']));
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
  await fill(storeId);
  const item = await selling.order();
  await selling.press(item, 'ask');
  await until('it waits', async () => (await waiting(selling)).length === 1);
  const retryAt = (await waiting(selling))[0]!.retry_at;
  const [row] = await query<{ first: Date }>('SELECT min(begun_at) AS first FROM flow_call WHERE store_id = $1', [storeId]);
  expect(retryAt.getTime()).toBe(row!.first.getTime() + 60_000);
  expect([(await selling.state(item)).key, receiver.service.requests.length]).toEqual(['asked', 0]);
  await query(`UPDATE flow_call SET begun_at = begun_at - interval '1 minute' WHERE store_id = $1`, [storeId]);
  await query('UPDATE flow_call_waiting SET retry_at = now() WHERE store_id = $1', [storeId]);
  await query(`UPDATE run SET wake_at = now() - interval '2 minutes' WHERE store_id = $1 AND entity_id = $2`, [storeId, item]);
  await reached(selling, [item], 'success');
  expect(receiver.service.requests.length).toBe(1);
}, 180_000);

test('a deadline around a call that waits goes on, and takes it out of the queue', async () => {
  const waits = { type: 'state', status: 'CONFIRMED', step: 'SELLER_PROCESSING' } as const;
  const done = (['success', 'skipped', 'failed'] as const).map(
    (value) => ({ id: value, from: 'asked', to: 'end', on: { type: 'result', value } }) as const,
  );
  const inner: Graph = {
    schema: 1,
    start: 'begin',
    states: [
      { ...waits, id: 'begin', status: 'PAID', label: 'begin' },
      NODE,
      { id: 'end', type: 'end', outcome: 'COMPLETED', label: 'end' },
    ],
    actions: [{ key: 'go', by: 'seller', label: 'go' }],
    edges: [{ id: 'go', from: 'begin', to: 'asked', on: { type: 'seller.action', key: 'go' } }, ...done],
  };
  const around: Graph = {
    schema: 1,
    start: 'paid',
    states: [
      { ...waits, id: 'paid', status: 'PAID', label: 'paid' },
      { id: 'inner', type: 'call', flow: 'inner', deadline: 'PT1H' },
      { ...waits, id: 'late', label: 'late' },
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
    ],
    actions: ['ask', 'finish'].map((key) => ({ key, by: 'seller', label: key })),
    edges: [
      { id: 'e1', from: 'paid', to: 'inner', on: { type: 'seller.action', key: 'ask' } },
      { id: 'e2', from: 'inner', to: 'late', on: { type: 'result', value: 'timeout' } },
      { id: 'e3', from: 'inner', to: 'done', on: { type: 'result', value: 'completed' } },
      { id: 'e4', from: 'inner', to: 'late', on: { type: 'result', value: 'canceled' } },
      { id: 'e5', from: 'late', to: 'done', on: { type: 'seller.action', key: 'finish' } },
    ],
  };
  const selling = await Selling.sell(around, { inner });
  const receiver = await listen();
  await selling.connect(receiver.service.url);
  await fill(selling.shop.store.storeId);
  const item = await selling.order();
  await selling.press(item, 'ask');
  await selling.press(item, 'go');
  await until('it waits', async () => (await waiting(selling)).length === 1);
  await selling.shop.advance('PT2H');
  await reached(selling, [item], 'late');
  expect([await waiting(selling), receiver.service.requests.length]).toEqual([[], 0]);
}, 120_000);
