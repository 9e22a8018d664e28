import { describe, expect, test } from '@jest/globals';
import { pay } from '../../../bin/dev/client.ts';
import { query, type World, world } from '../../kernel/world.ts';

describe('a product that is provided', () => {
  const manual = { fulfillment: { type: 'MANUAL' } };
  const bought = async (own: World, product: object = manual, quantity = 1) => {
    const { productId } = await own.product(product);
    const buyer = await own.buyer();
    const { checkoutId } = (await buyer.checkout(productId, quantity)).body.data as { checkoutId: string };
    const { payUrl, paymentId } = (await buyer.start(checkoutId, { shippingAddress: undefined })).body.data as Record<string, string>;
    await pay(payUrl!);
    const { orderId } = (await buyer.status(paymentId!)).body.data as { orderId: string };
    const order = (await own.seller.call('GET', `/v1/orders/${orderId}`)).body.data;
    return { order, orderId, id: order.items[0].orderItemId as string };
  };
  test('is bought without an address and fulfilled with a note', async () => {
    const own = await world();
    const { order, orderId, id } = await bought(own);
    expect(order).toMatchObject({
      requiresShipping: false,
      amounts: { deliveryFee: 0, totalAmount: 10_000 },
      shippingAddress: { zipCode: '', address1: '' },
      items: [{ bundleNo: 0, fulfillmentSnapshot: { type: 'MANUAL', method: 'PROVIDED' } }],
    });
    expect((await own.act(id, 'dispatch', { deliveryMethod: 'NONE' })).body.error?.code).toBe('NOT_SHIPPABLE');
    const { body } = await own.act(id, 'fulfill', { note: '카나리아쿠폰-1234' });
    expect(body.data).toMatchObject({
      status: 'DELIVERED',
      fulfillment: { status: 'PROVIDED', note: '카나리아쿠폰-1234' },
      dispatch: null,
    });
    const events = await own.events({ about: orderId });
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'ORDER.DELIVERED',
      'ORDER.FLOW_STATE_CHANGED',
      'ORDER.FULFILLED',
      'ORDER.PAID',
    ]);
    expect(events.find(({ type }) => type === 'ORDER.DELIVERED')!.data).toMatchObject({
      orderItemId: id,
      fulfillmentSnapshot: { type: 'MANUAL' },
    });
    expect(await query('SELECT 1 FROM command_text WHERE store_id = $1', [own.store.storeId])).toEqual([]);
    await own.advance('P8D');
    expect((await own.item(id)).status).toBe('PURCHASE_DECIDED');
  });
  test('may be canceled by the seller after provision', async () => {
    const own = await world();
    const { id } = await bought(own, manual, 2);
    await own.act(id, 'fulfill');
    expect((await own.act(id, 'cancel', { reason: 'OTHER', quantity: 1 })).body.data).toMatchObject({ refundAmount: 10_000 });
    expect(await own.item(id)).toMatchObject({ status: 'DELIVERED', fulfillment: { status: 'PROVIDED' } });
    expect((await own.act(id, 'cancel', { reason: 'OTHER' })).body.data).toMatchObject({
      refundAmount: 10_000,
      deliveryFeeRefundAmount: 0,
    });
    expect(await own.item(id)).toMatchObject({ status: 'CANCELED', fulfillment: { status: 'REVOKED' }, autoDecisionDate: null });
    expect(await query('SELECT stock_quantity AS n FROM variant WHERE store_id = $1', [own.store.storeId])).toEqual([{ n: 100 }]);
  });
  test('is of the type that its checkout has seen', async () => {
    const own = await world();
    const { orderItemId } = await own.order();
    expect((await own.act(orderItemId, 'fulfill')).body.error?.code).toBe('SHIPPING_REQUIRED');
    const { productId } = await own.product();
    const buyer = await own.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    await query(`UPDATE product SET fulfillment_type = 'MANUAL' WHERE product_id = $1`, [productId]);
    expect((await buyer.start(checkoutId)).body.error?.code).toBe('CHECKOUT_STALE');
  });
});
