/**
 * What buyers see and decide: members their own orders, guests with contact and password (docs/contract.md#decision,
 * docs/contract.md#lookups).
 */
import { describe, expect, test } from '@jest/globals';
import { DAY, MINUTE } from '../../../domain/kernel/time.ts';
import { openOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { randomBytes } from 'node:crypto';
import { consumeUse } from '../../../db/limits/commands.ts';
import { call, type Reply, GUEST, pay } from '../../../bin/dev/client.ts';
import { type Paid, query, underTest, until, type World, world } from '../../kernel/world.ts';
import { roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';

/** Works in the store as the app does. */
async function inside<T>(shop: World, work: Parameters<typeof inTenant<T>>[3]): Promise<T> {
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 1);
  try {
    return await inTenant(orm, tenancy(shop.store.storeId), REQUEST, work);
  } finally {
    await orm.close();
  }
}
const now = async (shop: World) => Date.parse((await shop.seller.call('GET', '/v1/sandbox/clock')).body.data.now as string);
const delivered = async (shop: World, id: string) => {
  await shop.act(id, 'confirm');
  await shop.act(id, 'dispatch', { deliveryMethod: 'DIRECT' });
  return shop.act(id, 'delivered');
};
const date = (item: Record<string, unknown>) => Date.parse(String(item['autoDecisionDate']));

describe('a member', () => {
  test('reads their own orders only', async () => {
    const shop = await world();
    const [member, other] = [await shop.member(), await shop.member()];
    const product = await shop.product();
    const mine = [];
    for (let i = 0; i < 3; i++) mine.unshift((await shop.order(product, 2, member)).orderId);
    await shop.order(product);
    const theirs = await shop.order(product, 1, other);
    const [cancelled] = (await member.call('GET', '/storefront/v1/me/orders?size=1')).body.data.items;
    await shop.act(cancelled.items[0].orderItemId as string, 'cancel', { reason: 'OTHER', detail: '비밀 메모', quantity: 1 });
    const all = (await member.call('GET', '/storefront/v1/me/orders')).body.data;
    expect(all.items.map((order: { orderId: string }) => order.orderId)).toEqual(mine);
    expect(all).toMatchObject({ total: 3, nextCursor: null });
    expect(JSON.stringify(all)).not.toContain('비밀 메모');
    expect(all.items[0].items[0]).toMatchObject({ canceledQuantity: 1, actions: [{ key: 'cancel', enabled: true, disabled: null }] });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { items, nextCursor } = (await member.call('GET', `/storefront/v1/me/orders?size=1${cursor && `&cursor=${cursor}`}`)).body.data;
      seen.push(...items.map((order: { orderId: string }) => order.orderId));
      cursor = nextCursor as string | null;
    }
    expect(seen).toEqual(mine);
    const { itemCount, items: listed, ...head } = all.items[0];
    expect(itemCount).toBe(1);
    const { data } = (await member.call('GET', `/storefront/v1/me/orders/${mine[0]}`)).body;
    expect(data).toMatchObject(head);
    // A list leaves out forms and what the flow has gathered.
    const { actions, step, flowState, ...record } = listed[0];
    expect(data.items[0]).toMatchObject({ ...record, flowState });
    expect([actions.length, step.label]).toEqual([data.items[0].actions.length, data.items[0].step.label]);
    expect((await member.call('GET', `/storefront/v1/me/orders/${theirs.orderId}`)).body.error?.code).toBe('ORDER_NOT_FOUND');
    expect((await (await shop.buyer()).call('GET', '/storefront/v1/me/orders')).status).toBe(401);
    expect((await member.call('GET', '/storefront/v1/me/orders?cursor=x')).body.error?.fieldErrors).toEqual([
      expect.objectContaining({ field: 'cursor' }),
    ]);
  });
  test('alone extends and makes the decision, by seven days as often as they like', async () => {
    const shop = await world();
    const [member, other] = [await shop.member(), await shop.member()];
    const { orderItemId: id } = await shop.order(undefined, 1, member);
    const action = (what: string, who = member) => who.call('POST', `/storefront/v1/me/order-items/${id}/${what}`, {});
    expect((await action('decide')).body.error?.code).toBe('INVALID_STATUS');
    const first = date((await delivered(shop, id)).body.data);
    for (const times of [1, 2, 3]) {
      const { body } = await action('extend');
      expect(date(body.data)).toBe(first + times * 7 * DAY);
      expect(body.data).not.toHaveProperty('sellerMemo');
    }
    expect((await action('extend', other)).body.error?.code).toBe('ORDER_ITEM_NOT_FOUND');
    await shop.advance('P20D');
    expect(await shop.item(id)).toMatchObject({ status: 'DELIVERED' });
    expect((await action('decide')).body.data).toMatchObject({ status: 'PURCHASE_DECIDED' });
    expect((await action('extend')).body.error?.code).toBe('INVALID_STATUS');
    expect(await shop.events({ type: 'ORDER.PURCHASE_DECIDED' })).toHaveLength(1);
  });
  test('where nothing is decided by itself there is nothing to extend', async () => {
    const shop = await world();
    await shop.seller.call('PATCH', '/v1/store', { autoConfirmDays: 0 });
    const member = await shop.member();
    const { orderItemId: id } = await shop.order(undefined, 1, member);
    expect((await delivered(shop, id)).body.data.autoDecisionDate).toBeNull();
    const { items } = (await member.call('GET', '/storefront/v1/me/orders')).body.data;
    expect(items[0].items[0].actions).toEqual([
      expect.objectContaining({ key: 'decide', enabled: true }),
      expect.objectContaining({ key: 'extend', enabled: false, disabled: { reason: 'NOT_IN_STATE' } }),
      expect.objectContaining({ key: 'return', enabled: true }),
      expect.objectContaining({ key: 'exchange', enabled: true }),
    ]);
    expect((await member.call('POST', `/storefront/v1/me/order-items/${id}/extend`, {})).body.error?.code).toBe('INVALID_STATUS');
  });
});

describe('while a claim is open', () => {
  const proof = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
  const post = (shop: World, path: string, body: object) =>
    call(underTest.api, 'POST', `/storefront/v1/guest/orders/${path}`, { body, headers: { 'x-store-code': shop.store.storeCode } });
  /** A guest's claim of the whole item; returns how they take it back. */
  async function file(shop: World, { orderId, orderItemId }: Paid, type: 'CANCEL' | 'RETURN') {
    const filed = await post(shop, `${orderId}/items/${orderItemId}/claims`, { ...proof, type, reason: 'CHANGE_OF_MIND' });
    expect(filed.status).toBe(201);
    return async () => {
      const withdrawn = await post(shop, `${orderId}/claims/${filed.body.data.claimId as string}/withdraw`, proof);
      expect([withdrawn.status, withdrawn.body.data?.status]).toEqual([200, 'WITHDRAWN']);
    };
  }
  /** The item's run is woken after the commit: until then it has the deadline of before. */
  const untilDue = (id: string, isDue: boolean) =>
    until(
      'the run knows',
      async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND (wake_at IS NOT NULL) = $2', [id, isDue])).length > 0,
    );
  test('the decision rests, and goes on with the time that was left', async () => {
    const shop = await world();
    const order = await shop.order();
    const { orderItemId: id } = order;
    await delivered(shop, id);
    await shop.advance('P5D');
    const withdraw = await file(shop, order, 'RETURN');
    await untilDue(id, false);
    expect(await shop.item(id)).toMatchObject({ status: 'DELIVERED', autoDecisionDate: null });
    for (const action of ['confirm', 'delivered', 'fulfill']) expect((await shop.act(id, action)).status).toBe(409);
    expect(await shop.advance('P30D')).toMatchObject({ settled: true });
    expect((await shop.item(id)).status).toBe('DELIVERED');
    const closedAt = await now(shop);
    await withdraw();
    await untilDue(id, true);
    const resumed = date(await shop.item(id));
    expect(Math.abs(resumed - closedAt - 2 * DAY)).toBeLessThan(MINUTE);
    await shop.advance('P1D');
    expect((await shop.item(id)).status).toBe('DELIVERED');
    await shop.advance('P1DT1M');
    expect((await shop.item(id)).status).toBe('PURCHASE_DECIDED');
  });
  test('a prepared item is neither confirmed, dispatched nor canceled', async () => {
    const shop = await world();
    const order = await shop.order();
    await shop.act(order.orderItemId, 'confirm');
    await file(shop, order, 'CANCEL');
    for (const [action, body] of [
      ['confirm', {}],
      ['dispatch', { deliveryMethod: 'DIRECT' }],
      ['cancel', { reason: 'OTHER' }],
    ] as const)
      expect((await shop.act(order.orderItemId, action, body)).body.error?.code).toBe('CLAIM_IN_PROGRESS');
  });
  test('what the courier delivers is delivered once the claim is closed', async () => {
    const shop = await world();
    const order = await shop.order();
    const { orderItemId: id } = order;
    await shop.act(id, 'confirm');
    await shop.act(id, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '11' });
    const withdraw = await file(shop, order, 'RETURN');
    expect((await shop.act(id, 'delivered')).body.error?.code).toBe('CLAIM_IN_PROGRESS');
    await shop.advance('P2D');
    expect(await shop.item(id)).toMatchObject({ status: 'DISPATCHED' });
    expect((await shop.seller.call('GET', `/v1/order-items/${id}/dispatch/tracking`)).body.data.stage).toBe('DELIVERED');
    await withdraw();
    await until('delivered', async () => (await shop.item(id)).status === 'DELIVERED');
  });
});

describe('a guest', () => {
  const request = (shop: World, which: string, body: object) =>
    call(underTest.api, 'POST', `/storefront/v1/guest/orders/${which}`, { body, headers: { 'x-store-code': shop.store.storeCode } });
  const right = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
  test('finds their order however its number and their contact are written', async () => {
    const shop = await world();
    const { orderId, orderNo } = await shop.order();
    for (const which of [orderId, orderNo, `${orderNo.slice(0, 6)}-${orderNo.slice(6)}`])
      for (const contact of [GUEST.phone, GUEST.phone.replaceAll('-', ''), GUEST.email, GUEST.email.toUpperCase(), ` ${GUEST.phone} `]) {
        const { status, body } = await request(shop, which, { ...right, contact });
        expect([status, body.data?.orderId]).toEqual([200, orderId]);
      }
    const alias = await call(underTest.api, 'POST', `/guest/orders/${orderNo}`, {
      body: right,
      headers: { 'x-store-code': shop.store.storeCode },
    });
    expect(alias.body.data).toMatchObject({ orderNo, items: [expect.not.objectContaining({ sellerMemo: null })] });
  });
  test('gets the same answer to every wrong look-up', async () => {
    const shop = await world();
    const { orderId, orderNo } = await shop.order();
    const members = await shop.order(undefined, 1, await shop.member());
    const refusals = [
      await request(shop, orderId, { ...right, orderPassword: 'wrong' }),
      await request(shop, orderNo, { ...right, contact: '010-0000-0000' }),
      await request(shop, orderNo, { ...right, contact: 'x@example.com' }),
      await request(shop, 'ord_nobodys', right),
      await request(shop, members.orderNo, right),
    ];
    expect(new Set(refusals.map(({ status, body }) => `${status} ${body.error!.code} ${body.error!.message}`))).toEqual(
      new Set(['404 ORDER_NOT_FOUND There is no such order.']),
    );
  });
  test('is locked out of the order’s id and number together after ten wrong look-ups', async () => {
    const shop = await world();
    const { orderId, orderNo } = await shop.order();
    for (const which of [orderId, orderNo, orderNo]) await request(shop, which, { ...right, orderPassword: 'wrong' });
    // Three are counted. A right one in between forgets them.
    expect((await request(shop, orderId, right)).status).toBe(200);
    // Other suites have password calls too: one that finds no slot comes again.
    const guess = async (i: number): Promise<Reply> => {
      const reply = await request(shop, i % 2 ? orderId : orderNo, { ...right, orderPassword: `guess ${i}` });
      return reply.status === 429 && Number(reply.headers.get('retry-after')) < 60 ? guess(i) : reply;
    };
    const guesses = await Promise.all(Array.from({ length: 14 }, (_, i) => guess(i)));
    expect(guesses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(10).fill(404),
      ...Array<number>(4).fill(429),
    ]);
    const locked = await request(shop, orderNo, right);
    expect([locked.status, locked.body.error?.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(800);
  }, 60_000);
  test('is locked out of an order that nobody has alike', async () => {
    const shop = await world();
    const none = await Promise.all(Array.from({ length: 12 }, () => request(shop, 'ord_nobodys2', right)));
    expect(none.filter(({ status }) => status === 429)).toHaveLength(2);
  });
  test('the lock ends 15 minutes after the oldest of the ten', async () => {
    const shop = await world();
    const begin = Date.now();
    const limit = { key: randomBytes(32), max: 10, windowMs: 15 * MINUTE };
    const attempt = (minute: number) => inside(shop, (tx) => consumeUse({ ...tx, realNow: begin + minute * MINUTE }, [limit]));
    for (let minute = 0; minute < 10; minute++) expect(await attempt(minute)).toBeNull();
    expect(await attempt(10)).toBe(begin + 15 * MINUTE);
    expect(await attempt(14.9)).toBe(begin + 15 * MINUTE);
    expect(await attempt(15)).toBeNull();
    // Ten again within the window, the oldest of them a minute after the first.
    expect(await attempt(15.5)).toBe(begin + 16 * MINUTE);
  });
});

test('x-svc-visitor and x-svc-session stay with the purchase', async () => {
  const shop = await world();
  const { productId } = await shop.product();
  const buyer = await shop.buyer();
  const visit = { 'x-svc-visitor': 'v-1', 'x-svc-session': 's-1' };
  const cart = await buyer.call('POST', '/storefront/v1/cart/items', { productId, quantity: 1 }, visit);
  const { cartItemId } = cart.body.data.items[0];
  const storedVisit = async (table: string) =>
    (await query<{ visit: unknown }>(`SELECT visit FROM ${table} WHERE store_id = $1`, [shop.store.storeId]))[0]?.visit;
  expect(await storedVisit('cart_item')).toEqual({ visitorId: 'v-1', sessionId: 's-1' });
  const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { cartItemIds: [cartItemId] })).body.data;
  const body = { option: { pg: 'tosspayments', method: 'CARD' }, returnUrl: 'http://localhost:9/', guest: GUEST };
  const address = { receiverName: 'r', phone: '010-1234-5678', zipCode: '06236', address1: 'a' };
  const started = await buyer.call(
    'POST',
    `/storefront/v1/checkout/${checkoutId as string}/payment`,
    { ...body, shippingAddress: address },
    {
      'x-svc-visitor': 'v-1',
      'x-svc-session': 'x'.repeat(101),
    },
  );
  expect(await storedVisit('payment')).toEqual({ visitorId: 'v-1', sessionId: null });
  await pay(started.body.data.payUrl as string);
  const { items } = (await shop.seller.call('GET', '/v1/orders')).body.data;
  expect(items[0].visit).toEqual({ visitorId: 'v-1', sessionId: null });
});
