import { afterAll, describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { query, type Receiver, until, type World, world } from '../../kernel/world.ts';

const receivers: Receiver[] = [];
afterAll(() => receivers.forEach((receiver) => receiver.close()));
const listen = async (shop: World) => {
  const receiver = await shop.receiver();
  receivers.push(receiver);
  return receiver;
};
const COURIER = { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '123-456' };

describe('one item is bought, shipped and decided', () => {
  test('every step shows in the item, the order and a signed event', async () => {
    const shop = await world();
    const receiver = await listen(shop);
    const { orderId, orderNo, orderItemId } = await shop.order();
    expect(orderNo).toMatch(/^\d{14}$/);
    expect((await shop.act(orderItemId, 'confirm')).body.data.status).toBe('CONFIRMED');
    expect((await shop.act(orderItemId, 'dispatch', COURIER)).body.data).toMatchObject({
      status: 'DISPATCHED',
      dispatch: { carrierCode: 'CJ' },
    });
    expect(await shop.advance('P20D')).toMatchObject({ settled: true });
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'PURCHASE_DECIDED', orderItemNo: `${orderNo}01` });
    const order = (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data;
    expect(order).toMatchObject({ progressStatus: 'PURCHASE_DECIDED', representativeStatus: 'PURCHASE_DECIDED', testPayment: true });
    await until('five events', async () => receiver.received.length === 5);
    expect(receiver.types.toSorted()).toEqual(
      ['ORDER.CONFIRMED', 'ORDER.DELIVERED', 'ORDER.DISPATCHED', 'ORDER.PAID', 'ORDER.PURCHASE_DECIDED'].toSorted(),
    );
    for (const { headers, body } of receiver.received) {
      const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['svc-signature'])) ?? [];
      expect(createHmac('sha256', receiver.secret).update(`${t}.${body}`).digest('hex')).toBe(v1);
      expect(JSON.parse(body)).toMatchObject({ id: headers['svc-event-id'], type: headers['svc-event-type'], data: { orderId } });
    }
  });

  test('the seller reports delivery once', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    await shop.act(orderItemId, 'confirm');
    await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
    const delivered = await shop.act(orderItemId, 'delivered');
    expect(delivered.body.data).toMatchObject({ status: 'DELIVERED', autoDecisionDate: expect.any(String) });
    expect((await shop.act(orderItemId, 'delivered')).body.error).toMatchObject({
      code: 'INVALID_STATUS',
      details: { reason: 'NOT_IN_STATE' },
    });
    expect((await shop.act(orderItemId, 'confirm')).status).toBe(409);
  });

  test('a deadline is that of the settings when it was armed', async () => {
    const shop = await world();
    await shop.seller.call('PATCH', '/v1/store', { autoDeliverDays: 3, autoConfirmDays: 0 });
    const { orderItemId } = await shop.order();
    await shop.act(orderItemId, 'confirm');
    await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'NONE' });
    await shop.seller.call('PATCH', '/v1/store', { autoDeliverDays: 30 });
    await shop.advance('P4D');
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'DELIVERED', autoDecisionDate: null });
    await shop.advance('P100D');
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'DELIVERED' });
  });

  test('dispatch names every bad field', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    const missing = await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'COURIER' });
    expect(missing.body.error?.fieldErrors?.map(({ field }) => field)).toEqual(['carrierCode', 'trackingNumber']);
    const unknown = await shop.act(orderItemId, 'dispatch', { ...COURIER, carrierCode: 'NOPE' });
    expect(unknown.body.error?.fieldErrors).toMatchObject([{ field: 'carrierCode' }]);
    expect((await shop.act(orderItemId, 'dispatch', COURIER)).body.error?.code).toBe('INVALID_STATUS');
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'PAID', dispatch: null });
  });
});

describe('idempotency of commands', () => {
  test('twenty concurrent duplicates make one transition', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    const send = (key: string) => shop.seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}, { 'idempotency-key': key });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('one')));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body.data)}`)).size).toBe(1);
    expect(answers[0]!.body.data.status).toBe('CONFIRMED');
    const steps = await query('SELECT 1 FROM flow_step WHERE order_item_id = $1', [orderItemId]);
    expect(steps).toHaveLength(2);
    expect((await send('one')).headers.get('idempotent-replayed')).toBe('true');
    expect((await send('other')).body.error?.code).toBe('INVALID_STATUS');
    expect((await send('other')).headers.get('idempotent-replayed')).toBe('true');
    const reused = await shop.seller.call('POST', `/v1/order-items/${orderItemId}/delivered`, {}, { 'idempotency-key': 'one' });
    expect(reused.body.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});
