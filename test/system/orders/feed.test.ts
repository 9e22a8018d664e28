/** Readers of feeds who go on from the last cursor miss nothing, whatever commits in parallel: commit order is not clock order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Ajv from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { MikroORM } from '@mikro-orm/postgresql';
import { openOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { emit } from '../../../db/webhooks/events.ts';
import { EVENT_TYPES } from '../../../domain/webhooks/rules.ts';
import { sampleData } from '../../../domain/webhooks/payloads.ts';
import { get } from '../../../bin/dev/client.ts';
import { query, underTest, untilBlockedBy, type World, world } from '../../kernel/world.ts';
import { roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 8);
});
afterAll(() => orm.close());

interface Change {
  readonly orderItemId: string;
  readonly lastChangedAt: string;
}
interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
  readonly lastCursor: string | null;
  readonly total: number;
}
const read = async <T>(shop: World, path: string): Promise<Page<T>> => {
  const { status, body } = await shop.seller.call('GET', path);
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  return body.data as Page<T>;
};
/** Reads on from the last cursor until told to stop, and then to the end. */
async function follow<T>(shop: World, path: string, stop: AbortSignal): Promise<T[]> {
  const seen: T[] = [];
  let cursor = '';
  for (let isLast = false; ;) {
    const page = await read<T>(shop, `${path}${path.includes('?') ? '&' : '?'}size=3${cursor}`);
    seen.push(...page.items);
    if (page.lastCursor !== null) cursor = `&cursor=${page.lastCursor}`;
    if (page.nextCursor !== null) continue;
    if (isLast) return seen;
    isLast = stop.aborted;
    await sleep(10);
  }
}

describe('under load', () => {
  test('feeds show every change in order to readers with small pages', async () => {
    const shop = await world();
    const product = await shop.product();
    const stopping = new AbortController();
    const items = follow<Change>(shop, '/v1/order-items', stopping.signal);
    const events = follow<{ id: string }>(shop, '/v1/events', stopping.signal);
    const buy = async () => {
      const { orderItemId: id } = await shop.order(product, 3);
      const expectedDispatchDate = '2030-01-01';
      const acts: [string, object][] = [
        ['confirm', {}],
        ['hold', { reason: 'a', expectedDispatchDate }],
        ['cancel', { reason: 'OTHER', quantity: 1 }],
      ];
      await Promise.all(acts.map(([action, body]) => shop.act(id, action, body)));
      await shop.act(id, 'dispatch', { deliveryMethod: 'DIRECT' });
      await shop.act(id, 'delivered');
    };
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 6 }, buy));
    stopping.abort();
    const [changes, reported] = await Promise.all([items, events]);
    const last = new Map(changes.map(({ orderItemId, lastChangedAt }) => [orderItemId, lastChangedAt]));
    const { items: now, total } = await read<Change>(shop, '/v1/order-items?size=100');
    expect([now.length, total]).toEqual([18, 18]);
    expect(last).toEqual(new Map(now.map(({ orderItemId, lastChangedAt }) => [orderItemId, lastChangedAt])));
    const times = changes.map(({ lastChangedAt }) => Date.parse(lastChangedAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const rows = await query<{ event_id: string }>('SELECT event_id FROM event WHERE store_id = $1 ORDER BY event_no', [
      shop.store.storeId,
    ]);
    expect(reported.map(({ id }) => id)).toEqual(rows.map((row) => row.event_id));
    expect(rows.length).toBeGreaterThan(18 * 7);
  }, 60_000);
});

describe('whoever commits later stands later', () => {
  const pidOf = async ({ sql }: Tx) => (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`)[0]!.pid;
  /** Writes a change, and returns its time. */
  const changeTime = async (tx: Tx) => {
    tx.feed.changed(tx.at, 'ord_none', []);
    await tx.feed.write(tx.sql, tx.storeId);
    return new Date((await tx.sql<{ changed_at: string }>`SELECT changed_at FROM feed WHERE store_id = ${tx.storeId}`)[0]!.changed_at);
  };
  test('a change waits for one that began earlier', async () => {
    const { storeId } = (await world()).store;
    const order: string[] = [];
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    const holding = Promise.withResolvers<number>();
    const slow = inTenant(orm, tenancy(storeId, 1000), REQUEST, async (tx) => {
      const at = await changeTime(tx);
      order.push('slow has its time');
      holding.resolve(await pidOf(tx));
      await held;
      return at;
    });
    const pid = await holding.promise;
    const quick = inTenant(orm, tenancy(storeId, 900), REQUEST, changeTime).then((at) => {
      order.push('quick has its time');
      return at;
    });
    await untilBlockedBy(pid);
    expect(order).toEqual(['slow has its time']);
    release();
    expect([(await slow).getTime(), (await quick).getTime()]).toEqual([1000, 1001]);
  });
  test('a reply tells the final time, also where the feed is ahead of the clock', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order(await shop.product());
    await query(`UPDATE feed SET changed_at = now() + interval '1 hour' WHERE store_id = $1`, [shop.store.storeId]);
    const { lastChangedAt } = (await shop.act(orderItemId, 'confirm')).body.data as unknown as Change;
    expect(Date.parse(lastChangedAt)).toBeGreaterThan(Date.now() + 3_000_000);
    expect((await shop.item(orderItemId))['lastChangedAt']).toBe(lastChangedAt);
    const again = await read<Change>(shop, '/v1/orders');
    expect(again.items.map((order) => order.lastChangedAt)).toEqual([lastChangedAt]);
  });
  test('so do events', async () => {
    const shop = await world();
    const { storeId } = shop.store;
    const holding = Promise.withResolvers<number>();
    const write = (variantId: string, until: Promise<void>) =>
      inTenant(orm, tenancy(storeId), REQUEST, async (tx) => {
        await emit(tx, [{ type: 'PRODUCT.OUT_OF_STOCK', at: 5, data: { productId: 'p', variantId } }]);
        await tx.feed.write(tx.sql, tx.storeId);
        holding.resolve(await pidOf(tx));
        await until;
      });
    let release!: () => void;
    const slow = write('slow', new Promise<void>((resolve) => (release = resolve)));
    const pid = await holding.promise;
    const quick = write('quick', Promise.resolve());
    await untilBlockedBy(pid);
    release();
    await Promise.all([slow, quick]);
    const rows = await query<{ body: string }>('SELECT body FROM event WHERE store_id = $1 ORDER BY event_no', [storeId]);
    expect(rows.map(({ body }) => (JSON.parse(body) as { data: { variantId: string } }).data.variantId)).toEqual(['slow', 'quick']);
  });
});

describe('lists and cursors', () => {
  test('a list is the same by page and by cursor, and polled from the last change', async () => {
    const shop = await world();
    const product = await shop.product();
    const made = [];
    for (let i = 0; i < 3; i++) made.push(await shop.order(product));
    const paged = (await read<{ orderId: string }>(shop, '/v1/orders')).items.map(({ orderId }) => orderId);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page<{ orderId: string }> = await read(shop, `/v1/orders?size=2${cursor && `&cursor=${cursor}`}`);
      walked.push(...page.items.map(({ orderId }) => orderId));
      cursor = page.nextCursor;
    }
    expect(walked).toEqual(paged);
    await shop.act(made[0]!.orderItemId, 'confirm');
    const all = await read<{ orderId: string; lastChangedAt: string }>(shop, '/v1/orders?lastChangedFrom=2020-01-01T00:00:00Z');
    expect(all.items.map(({ orderId }) => orderId)).toEqual([made[1]!, made[2]!, made[0]!].map(({ orderId }) => orderId));
    const from = encodeURIComponent(all.items[1]!.lastChangedAt);
    for (const path of ['/v1/orders', '/v1/order-items'])
      expect((await read(shop, `${path}?lastChangedFrom=${from}`)).items).toHaveLength(2);
    // Polled again with the last cursor: nothing, then what changed.
    const at = (await read(shop, '/v1/order-items')).lastCursor!;
    expect(await read(shop, `/v1/order-items?cursor=${at}`)).toMatchObject({ items: [], nextCursor: null, lastCursor: at });
    await shop.act(made[1]!.orderItemId, 'confirm');
    expect((await read<Change>(shop, `/v1/order-items?cursor=${at}`)).items.map((item) => item.orderItemId)).toEqual([
      made[1]!.orderItemId,
    ]);
    expect((await read(shop, `/v1/order-items?testPayment=true&status=CONFIRMED`)).items).toHaveLength(2);
    expect((await read(shop, `/v1/order-items?testPayment=false`)).items).toEqual([]);
  });
  test.each([
    ['/v1/order-items?cursor=x', 'VALIDATION_FAILED'],
    ['/v1/order-items?cursor=WyJvIiwxLCJ4Il0', 'VALIDATION_FAILED'],
    ['/v1/orders?cursor=WyJlIiwxLCIiXQ', 'VALIDATION_FAILED'],
    ['/v1/orders?cursor=WyJvIiwxLCJ4Il0&lastChangedFrom=2026-01-01T00:00:00Z', 'VALIDATION_FAILED'],
    ['/v1/events?cursor=e30', 'VALIDATION_FAILED'],
    ['/v1/events?type=NO.SUCH', 'VALIDATION_FAILED'],
    ['/v1/order-items?lastChangedFrom=yesterday', 'INVALID_PARAMETER'],
    ['/v1/order-items?testPayment=yes', 'INVALID_PARAMETER'],
    ['/v1/order-items?status=WHAT', 'INVALID_PARAMETER'],
  ])('%s: %s', async (path, code) => {
    const shop = await world();
    const { status, body } = await shop.seller.call('GET', path);
    expect([status, body.error?.code]).toEqual([400, code]);
  });
});

describe('/v1/events', () => {
  test('holds every event for 30 days of the store’s clock', async () => {
    const shop = await world();
    const receiver = await shop.receiver();
    await shop.order();
    await shop.seller.call('DELETE', `/v1/webhooks/${receiver.webhookId}`);
    const { orderItemId } = await shop.order();
    await shop.act(orderItemId, 'confirm');
    const types = async (path = '') => (await read<{ type: string }>(shop, `/v1/events${path}`)).items.map(({ type }) => type);
    expect(await types()).toEqual(['ORDER.PAID', 'ORDER.PAID', 'ORDER.FLOW_STATE_CHANGED', 'ORDER.CONFIRMED']);
    expect(await types('?type=ORDER.CONFIRMED')).toEqual(['ORDER.CONFIRMED']);
    const { items } = await read<object>(shop, '/v1/events?size=1');
    if (receiver.received.length > 0) expect(items[0]).toEqual(JSON.parse(receiver.received[0]!.body));
    await shop.advance('P29DT23H');
    expect(await types('?type=ORDER.PAID')).toHaveLength(2);
    await shop.advance('PT2H');
    expect(await types('?type=ORDER.PAID')).toEqual([]);
    receiver.close();
  });
});

test('every event and every sample fits the schema at /openapi/events.json', async () => {
  const shop = await world();
  const ticket = await shop.product({ fulfillment: { type: 'MANUAL' }, stockQuantity: 1 });
  const { orderItemId } = await shop.order(ticket);
  await shop.act(orderItemId, 'fulfill');
  await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
  const schema = JSON.parse((await get(`${underTest.api}/openapi/events.json`)).text) as { $defs: object };
  expect(Object.keys(schema.$defs).toSorted()).toEqual([...EVENT_TYPES].toSorted());
  const ajv = formats.default(new Ajv.default({ strict: false }));
  const check = ajv.compile(schema);
  const rows = await query<{ body: string }>('SELECT body FROM event ORDER BY event_id DESC LIMIT 2000');
  const bodies = rows.map(({ body }) => JSON.parse(body) as { type: string });
  const samples = EVENT_TYPES.map((type) => ({
    id: 'evt_test_1',
    type,
    createdAt: new Date(0).toISOString(),
    storeId: 's',
    data: sampleData(type),
  }));
  for (const body of [...bodies.filter(({ type }) => type !== ''), ...samples]) {
    check(body);
    expect([body, check.errors]).toEqual([body, null]);
  }
  const ours = new Set(bodies.map(({ type }) => type));
  for (const type of [
    'ORDER.PAID',
    'ORDER.FULFILLED',
    'ORDER.DELIVERED',
    'ORDER.CANCELED',
    'ORDER.FLOW_STATE_CHANGED',
    'PRODUCT.OUT_OF_STOCK',
  ])
    expect(ours).toContain(type);
  expect(check({ ...samples[0], data: { orderId: 5 } })).toBe(false);
});
