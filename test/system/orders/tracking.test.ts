/** Courier shipments by the sandbox clock, with the development courier; holds and corrected numbers. */
import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, korean } from '../../../domain/kernel/time.ts';
import { afterReading, beginTracking, stageOf } from '../../../domain/orders/tracking.ts';
import { query, type World, until, world } from '../../kernel/world.ts';

async function dispatched(shop: World, trackingNumber: string, deliveryMethod = 'COURIER'): Promise<string> {
  const { orderItemId } = await shop.order();
  await shop.act(orderItemId, 'confirm');
  const carried = deliveryMethod === 'COURIER' || deliveryMethod === 'QUICK' ? { carrierCode: 'CJ', trackingNumber } : {};
  const { status, body } = await shop.act(orderItemId, 'dispatch', { deliveryMethod, ...carried });
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  return orderItemId;
}
const tracking = async (shop: World, id: string) => (await shop.seller.call('GET', `/v1/order-items/${id}/dispatch/tracking`)).body.data;
const correct = (shop: World, id: string, trackingNumber: string, carrierCode = 'HANJIN') =>
  shop.seller.call('PUT', `/v1/order-items/${id}/dispatch/tracking`, { carrierCode, trackingNumber });
const polled = (shop: World, id: string) => until('a look', async () => (await tracking(shop, id)).lastCheckedAt !== null);
const pollCount = async (id: string) =>
  (await query<{ n: number }>("SELECT (tracking ->> 'polls')::int AS n FROM order_item WHERE order_item_id = $1", [id]))[0]!.n;

describe('tracking', () => {
  test('an item is delivered when the courier says so, polled every four hours', async () => {
    const shop = await world();
    const id = await dispatched(shop, '5551');
    await polled(shop, id);
    for (const [gap, wanted] of [
      ['PT4H', 'ACCEPTED'],
      ['PT4H', 'IN_TRANSIT'],
      ['PT12H', 'OUT_FOR_DELIVERY'],
      ['PT3H', 'OUT_FOR_DELIVERY'],
      ['PT1H', 'DELIVERED'],
    ] as const) {
      expect(await shop.advance(gap)).toMatchObject({ settled: true });
      expect((await tracking(shop, id)).stage).toBe(wanted);
    }
    const item = await shop.item(id);
    const { dispatchedAt, deliveredAt } = item['dispatch'] as { dispatchedAt: string; deliveredAt: string };
    expect(item.status).toBe('DELIVERED');
    expect(Date.parse(deliveredAt) - Date.parse(dispatchedAt)).toBe(DAY);
    expect(Date.parse(String(item['autoDecisionDate'])) - Date.parse(deliveredAt)).toBe(7 * DAY);
    const { stages, carrierCode } = await tracking(shop, id);
    expect(stages).toEqual([
      { stage: 'ACCEPTED', at: dispatchedAt, location: expect.any(String) },
      { stage: 'IN_TRANSIT', at: korean(Date.parse(dispatchedAt) + 6 * HOUR), location: expect.any(String) },
      { stage: 'OUT_FOR_DELIVERY', at: korean(Date.parse(dispatchedAt) + 20 * HOUR), location: expect.any(String) },
      { stage: 'DELIVERED', at: deliveredAt, location: expect.any(String) },
    ]);
    expect(carrierCode).toBe('CJ');
    // Nothing is asked any more.
    const polls = await pollCount(id);
    await shop.advance('P2D');
    expect(await pollCount(id)).toBe(polls);
  });
  test('one advance of the clock ends like many', async () => {
    const shop = await world();
    const [quick, slow] = [await dispatched(shop, 'A-1'), await dispatched(shop, 'A-2')];
    expect(await shop.advance('P20D')).toMatchObject({ settled: true });
    for (const [id, days] of [
      [quick, 1],
      [slow, 3],
    ] as const) {
      const item = await shop.item(id);
      const { dispatchedAt, deliveredAt } = item['dispatch'] as { dispatchedAt: string; deliveredAt: string };
      expect([item.status, Date.parse(deliveredAt) - Date.parse(dispatchedAt)]).toEqual(['PURCHASE_DECIDED', days * DAY]);
      expect(Date.parse(String(item['autoDecisionDate'])) - Date.parse(deliveredAt)).toBe(7 * DAY);
    }
  });
  test('a shipment that is never found is polled for 30 days', async () => {
    const shop = await world();
    await shop.seller.call('PATCH', '/v1/store', { autoDeliverDays: 0 });
    const ids = [await dispatched(shop, '77'), await dispatched(shop, '79')];
    for (const id of ids) await polled(shop, id);
    // A sandbox's clock does not stop for looks of which nothing comes: one at the end of each advance.
    const counts = [];
    let now = '';
    for (const days of ['P10D', 'P19D', 'PT23H', 'PT2H', 'P5D']) {
      const advanced = await shop.advance(days);
      expect(advanced).toMatchObject({ settled: true });
      now = advanced.now;
      counts.push(await Promise.all(ids.map(pollCount)));
    }
    expect(counts).toEqual([2, 3, 4, 5, 5].map((n) => [n, n]));
    for (const id of ids) {
      expect(await tracking(shop, id)).toMatchObject({ stage: null, stages: [], lastCheckedAt: expect.any(String) });
      expect(await shop.item(id)).toMatchObject({ status: 'DISPATCHED' });
    }
    // A corrected number is looked for anew, at once; what it reveals counts from the correction: no day to decide in is lost.
    expect((await correct(shop, ids[0]!, '9991')).body.data).toMatchObject({
      status: 'DISPATCHED',
      dispatch: { carrierCode: 'HANJIN', trackingNumber: '9991', deliveredAt: null },
    });
    // A look whose answer is lost on a busy machine is made again after a minute.
    await until('delivered', async () => (await shop.item(ids[0]!)).status === 'DELIVERED', 80_000);
    expect(await tracking(shop, ids[0]!)).toMatchObject({ carrierCode: 'HANJIN', trackingNumber: '9991', stage: 'DELIVERED' });
    const { dispatch, autoDecisionDate } = await shop.item(ids[0]!);
    const deliveredAt = Date.parse((dispatch as { deliveredAt: string }).deliveredAt);
    expect(deliveredAt).toBeGreaterThanOrEqual(Date.parse(now));
    expect(Date.parse(String(autoDecisionDate)) - deliveredAt).toBe(7 * DAY);
  }, 120_000);
  test('what no courier reports is delivered automatically', async () => {
    const shop = await world();
    const id = await dispatched(shop, '75');
    const direct = await dispatched(shop, '', 'DIRECT');
    const quick = await dispatched(shop, '1231', 'QUICK');
    await shop.advance('P7D');
    for (const one of [id, direct, quick]) expect((await shop.item(one)).status).toBe('DELIVERED');
    expect(await tracking(shop, direct)).toEqual({ carrierCode: null, trackingNumber: null, stage: null, stages: [], lastCheckedAt: null });
    expect(await tracking(shop, quick)).toMatchObject({ trackingNumber: '1231', stage: null, lastCheckedAt: null });
  });
  test('a tracking number is corrected while there is a shipment to decide on', async () => {
    const shop = await world();
    const { orderItemId: paid } = await shop.order();
    expect((await correct(shop, paid, '1')).body.error?.code).toBe('INVALID_STATUS');
    expect(await tracking(shop, paid)).toMatchObject({ carrierCode: null, stage: null });
    expect((await correct(shop, await dispatched(shop, '', 'NONE'), '1')).body.error?.code).toBe('INVALID_STATUS');
    const id = await dispatched(shop, '1235');
    const bad = await correct(shop, id, 'a b', 'NOBODY');
    expect(bad.body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual(['carrierCode', 'trackingNumber']);
    await shop.act(id, 'delivered');
    expect((await correct(shop, id, '1236')).body.data).toMatchObject({ status: 'DELIVERED', dispatch: { trackingNumber: '1236' } });
    await shop.advance('P8D');
    expect((await correct(shop, id, '1237')).body.error?.code).toBe('INVALID_STATUS');
    const { orderItemId: provided } = await shop.order(await shop.product({ fulfillment: { type: 'MANUAL' } }));
    const none = await shop.seller.call('GET', `/v1/order-items/${provided}/dispatch/tracking`);
    expect([none.status, none.body.error?.code]).toEqual([404, 'NOT_SHIPPABLE']);
    expect((await correct(shop, provided, '1')).body.error?.code).toBe('NOT_SHIPPABLE');
    expect((await correct(shop, 'oit_x', '1')).body.error?.code).toBe('ORDER_ITEM_NOT_FOUND');
  });
});

describe('the rule', () => {
  const begun = beginTracking(1000);
  test('polls stay on the grid of four hours however late an answer comes', () => {
    const once = afterReading(begun, { result: 'NOT_FOUND' }, 1000);
    expect([once.nextAt, once.polls]).toEqual([1000 + 4 * HOUR, 1]);
    expect(afterReading(once, { result: 'UNAVAILABLE' }, 1000 + 9 * HOUR).nextAt).toBe(1000 + 12 * HOUR);
  });
  const found = afterReading(begun, { result: 'FOUND', scans: [{ stage: 'IN_TRANSIT', at: 1, location: null }] }, 2000);
  test('a lost answer is asked for again in a minute', () => {
    expect(afterReading(found, null, 5000)).toMatchObject({ nextAt: 65_000, polls: 2, lastCheckedAt: 2000 });
  });
  test('the last known stage stays when the courier is unavailable', () => {
    expect(stageOf(afterReading(found, { result: 'UNAVAILABLE' }, 9000))).toBe('IN_TRANSIT');
  });
  test('without a courier nothing is asked twice', () =>
    expect(afterReading(begun, { result: 'NOT_TRACKED' }, 1000)).toMatchObject({ nextAt: null, polls: 1 }));
});

describe('hold', () => {
  const hold = (shop: World, id: string, expectedDispatchDate = '2030-05-01', reason = '입고 지연') =>
    shop.act(id, 'hold', { reason, expectedDispatchDate });
  test('is shown until the item is handed over', async () => {
    const shop = await world();
    const { orderItemId: id } = await shop.order();
    const held = await hold(shop, id);
    expect(held.body.data).toMatchObject({
      status: 'PAID',
      hold: { reason: '입고 지연', expectedDispatchDate: '2030-05-01', heldAt: expect.any(String) },
    });
    await shop.act(id, 'confirm');
    expect((await hold(shop, id, '2030-05-02', '다시')).body.data.hold).toMatchObject({
      reason: '다시',
      expectedDispatchDate: '2030-05-02',
    });
    expect(await shop.item(id)).toMatchObject({ status: 'CONFIRMED', hold: { reason: '다시' } });
    await shop.act(id, 'dispatch', { deliveryMethod: 'DIRECT' });
    expect(await shop.item(id)).toMatchObject({ status: 'DISPATCHED', hold: null });
    expect((await hold(shop, id)).body.error?.code).toBe('INVALID_STATUS');
  });
  test('ends no earlier than today by the store’s clock', async () => {
    const shop = await world();
    const { orderItemId: id } = await shop.order();
    await shop.advance('P3D');
    const today = (await shop.seller.call('GET', '/v1/sandbox/clock')).body.data.now.slice(0, 10) as string;
    const yesterday = korean(Date.parse(`${today}T00:00:00+09:00`) - 1).slice(0, 10);
    const past = await shop.act(id, 'hold', { reason: ' ', expectedDispatchDate: yesterday });
    expect(past.body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual(['expectedDispatchDate', 'reason']);
    for (const bad of ['2026-02-30', 'soon', 5]) {
      const reply = await shop.act(id, 'hold', { reason: 'x', expectedDispatchDate: bad });
      expect(reply.body.error?.fieldErrors?.map(({ field }) => field)).toEqual(['expectedDispatchDate']);
    }
    expect((await hold(shop, id, today)).status).toBe(200);
  });
});
