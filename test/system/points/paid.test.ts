/** What points alone pay for, and what purchases earn (docs/contract.md#points-at-checkout). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DAY } from '../../../domain/kernel/time.ts';
import { pay } from '../../../bin/dev/client.ts';
import { query, until } from '../../kernel/world.ts';
import {
  refundRequestsOf,
  closeShops,
  codeOf,
  dataOf,
  type Fields,
  FREE,
  type Member,
  type Order,
  PointShop,
  refundsOf,
  RETURN,
  shipped,
  USE,
} from './shop.ts';

afterAll(closeShops);

describe('nothing remains to be paid', () => {
  let shop: PointShop;
  beforeAll(async () => void (shop = await PointShop.open()));
  const completed = { status: 'completed', attemptId: null, option: null, payUrl: null };

  test('an order at once, without a provider; its cancel returns points alone', async () => {
    const member = await shop.member(13_500);
    const checkoutId = await member.checkout({ productId: await shop.product(10_000, shipped(3000)), quantity: 1 });
    expect(dataOf(await member.price(checkoutId, 20_000))).toMatchObject({ paymentRequired: false, amounts: { totalAmount: 0 } });
    expect(codeOf(await member.start(checkoutId, 13_000, { option: undefined, shippingAddress: undefined }))).toEqual([
      400,
      'SHIPPING_ADDRESS_REQUIRED',
    ]);
    const started = dataOf(await member.start(checkoutId, 13_000, { option: undefined }));
    expect(started).toMatchObject({ ...completed, amounts: { pointAmount: 13_000, totalAmount: 0 }, delivery: { pointAllocation: 3000 } });
    const { paymentId, orderId, orderNo } = started as { paymentId: string; orderId: string; orderNo: string };
    expect((await member.buyer.status(paymentId)).body.data).toMatchObject({ status: 'completed', result: 'COMPLETED', orderId, orderNo });
    expect(dataOf(await shop.world.seller.call('GET', `/v1/payments/${paymentId}`))).toMatchObject({ attempts: [], refunds: [], orderId });
    const order = await shop.order(orderId);
    expect(order).toMatchObject({
      orderNo,
      payment: { pg: null, method: 'POINT', approvedMethod: null, totalAmount: 0, pointAmount: 13_000 },
      delivery: { pointAllocation: 3000 },
    });
    expect(order.payment['approvedAt']).not.toBeNull();
    expect(dataOf(await member.buyer.call('GET', `/storefront/v1/me/orders/${orderId}`)).payment).toMatchObject({ method: 'POINT' });
    const attempt = await member.buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, {
      option: { pg: 'tosspayments', method: 'CARD' },
    });
    for (const refused of [attempt, await member.start(checkoutId, 0), await member.price(checkoutId, 0)])
      expect(codeOf(refused)).toEqual([409, 'ALREADY_PAID']);
    expect(await member.moves()).toEqual([['USE_RESERVE', -13_000]]);
    expect(await member.history()).toMatchObject([{ orderId, paymentId }]);

    expect(await shop.cancel(order.items[0]!.orderItemId)).toMatchObject({
      refundAmount: 0,
      deliveryFeeRefundAmount: 0,
      pointRefundAmount: 13_000,
      refundId: null,
    });
    expect([await refundsOf(paymentId), await refundRequestsOf(paymentId), await member.balance()]).toEqual([[], [], 13_500]);
  });

  test('neither option nor return address is judged; where anything remains, both are', async () => {
    const member = await shop.member(30_000);
    const line = { productId: await shop.product(10_000), quantity: 1 };
    const nowhere = { option: undefined, returnUrl: undefined };
    for (const ignored of [nowhere, { returnUrl: 'done' }, { returnUrl: 'http://shop.example/' }])
      expect(dataOf(await member.start(await member.checkout(line), 10_000, ignored))).toMatchObject(completed);
    const checkoutId = await member.checkout(line);
    await member.adjust(100);
    for (const points of [0, 100]) {
      const refused = async (way: Fields) => {
        const reply = await member.start(checkoutId, points, way);
        return [...codeOf(reply), ...(reply.body.error?.fieldErrors ?? []).map(({ field, code }) => `${field} ${code}`)];
      };
      expect(await refused(nowhere)).toEqual([400, 'VALIDATION_FAILED', 'option REQUIRED', 'returnUrl REQUIRED']);
      expect(await refused({ option: undefined, returnUrl: 'done' })).toEqual([
        400,
        'VALIDATION_FAILED',
        'option REQUIRED',
        'returnUrl INVALID',
      ]);
      expect(await refused({ returnUrl: 'http://shop.example/' })).toEqual([400, 'RETURN_URL_NOT_ALLOWED']);
    }
    expect(await member.moves()).toHaveLength(3);
  });

  test('takes an option, and asks it for nothing; takes over from a payment that was open', async () => {
    const member = await shop.member(10_000);
    const checkoutId = await member.checkout({ productId: await shop.product(10_000), quantity: 1 });
    const { paymentId } = dataOf(await member.start(checkoutId, 4000));
    expect(dataOf(await member.start(checkoutId, 10_000))).toMatchObject({ ...completed, paymentId });
    expect(await refundRequestsOf(paymentId as string)).toEqual([{ amount_won: 6000, status: 'SUPERSEDED' }]);
    expect(await member.moves()).toEqual([
      ['USE_RESERVE', -4000],
      ['USE_RELEASE', 4000],
      ['USE_RESERVE', -10_000],
    ]);
    await shop.world.advance('PT11M');
    expect([await member.balance(), (await member.moves()).length]).toEqual([0, 3]);
  });

  test('many starts at once: one order, the rest is ALREADY_PAID, stock and points are taken once', async () => {
    const member = await shop.member(30_000);
    const { productId, variantId } = await shop.world.product({ salePrice: 10_000, stockQuantity: 5, ...FREE });
    const checkoutId = await member.checkout({ productId, quantity: 1 });
    const replies = await Promise.all(Array.from({ length: 12 }, () => member.start(checkoutId, 10_000, { option: undefined })));
    expect(replies.map((reply) => codeOf(reply)[1]).toSorted()).toEqual([...Array.from({ length: 11 }, () => 'ALREADY_PAID'), 'OK']);
    expect(await query('SELECT stock_quantity FROM variant WHERE variant_id = $1', [variantId])).toEqual([{ stock_quantity: 4 }]);
    expect(await member.balance()).toBe(20_000);
  });

  test('a claim returns points, to a lot that lives as long as those that were used', async () => {
    const member = await shop.member();
    await member.adjust(6000);
    await member.adjust(4000, new Date(Date.now() + 40 * DAY));
    const order = await member.buy(10_000, { productId: await shop.product(5000), quantity: 2 });
    const { orderItemId } = order.items[0]!;
    const path = `/storefront/v1/me/order-items/${orderItemId}/claims`;
    const claim = { type: 'CANCEL', reason: 'CHANGE_OF_MIND', quantity: 1 };
    expect(dataOf(await member.buyer.call('POST', `${path}/preview`, claim))).toMatchObject({ expectedPointRefundAmount: 5000 });
    expect(dataOf(await member.buyer.call('POST', path, claim))).toMatchObject({
      refundAmount: 0,
      pointRefundAmount: 5000,
      refundId: null,
    });
    const [, restored] = await member.history();
    expect(restored).toMatchObject({ type: 'REFUND_RESTORE', amount: 5000, orderItemId });
    expect(await member.lots()).toMatchObject([{ type: 'REFUND_RESTORE', amount: 5000, remaining: 5000 }]);
    expect((await member.lots())[0]!.expiresAt).toEqual(restored!.expiresAt);
    // The longest of the lots: that of the policy's year.
    expect(restored!.expiresAt!.getTime()).toBeGreaterThan(Date.now() + 360 * DAY);
  });
});

describe('a purchase', () => {
  let shop: PointShop;
  const EARN = { enabled: true, rateBp: 100 };
  beforeAll(async () => void (shop = await PointShop.open({ use: USE, purchaseEarn: EARN }, true)));
  const deliver = async ({ items }: Pick<Order, 'items'>, { world } = shop): Promise<string> => {
    const { orderItemId } = items[0]!;
    await world.act(orderItemId, 'confirm');
    await world.act(orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
    await world.act(orderItemId, 'delivered');
    return orderItemId;
  };
  const decide = (member: Member, orderItemId: string) =>
    member.buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/decide`, {});
  const shown = async (productId: string) =>
    dataOf(await shop.world.seller.call('GET', `/v1/products/${productId}`)) &&
    dataOf(await (await shop.world.buyer()).call('GET', `/storefront/v1/products/${productId}`)).purchasePoint;

  test('earns of what was paid in cash for what remains, once, when it is decided', async () => {
    const member = await shop.member(1000);
    const productId = await shop.product(9990);
    expect(await shown(productId)).toBe(99);
    const order = await member.buy(1000, { productId, quantity: 2 });
    const orderItemId = await deliver(order);
    dataOf(await decide(member, orderItemId));
    // 19,980 − 1,000 in points, at 1 %.
    const earned = { type: 'EARN_PURCHASE', amount: 189, orderId: order.orderId, orderItemId };
    expect((await member.history()).slice(1)).toMatchObject([earned]);
    expect(codeOf(await decide(member, orderItemId))[0]).toBe(409);
    expect(await member.balance()).toBe(189);
  });

  test('earns by the product’s rate, as it was at the start; of canceled units nothing', async () => {
    const member = await shop.member();
    const productId = await shop.product(10_000, { pointEarnRateBp: 250 });
    expect(await shown(productId)).toBe(250);
    const order = await member.buy(0, { productId, quantity: 3 });
    await shop.world.seller.call('PATCH', `/v1/products/${productId}`, { pointEarnRateBp: 0 });
    expect(await shown(productId)).toBe(0);
    await shop.cancel(order.items[0]!.orderItemId, { quantity: 1 });
    await deliver(order);
    // Who decides: the clock.
    await shop.world.advance('P20D');
    expect(await member.moves()).toEqual([['EARN_PURCHASE', 500]]);
  });

  test('earns nothing while the store is off at the start or at the decision', async () => {
    const member = await shop.member();
    const productId = await shop.product(10_000);
    await shop.policy({ use: USE });
    expect(await shown(productId)).toBeNull();
    const before = await deliver(await member.buy(0, { productId, quantity: 1 }));
    await shop.policy({ use: USE, purchaseEarn: EARN });
    const after = await deliver(await member.buy(0, { productId, quantity: 1 }));
    dataOf(await decide(member, before));
    await shop.policy({ use: USE });
    dataOf(await decide(member, after));
    await shop.policy({ use: USE, purchaseEarn: EARN });
    expect(await member.moves()).toEqual([]);
  });

  test('whose last unit is exchanged earns when the exchange is complete', async () => {
    const member = await shop.member();
    const orderItemId = await deliver(await member.buy(0, { productId: await shop.product(10_000), quantity: 1 }));
    const path = `/storefront/v1/me/order-items/${orderItemId}/claims`;
    const { claimId } = dataOf(await member.buyer.call('POST', path, { type: 'EXCHANGE', reason: 'WRONG_ITEM', quantity: 1 }));
    const act = async (action: string, body: object) =>
      dataOf(await shop.world.seller.call('POST', `/v1/claims/${claimId}/${action}`, body));
    await act('collect', { method: 'BUYER_SEND' });
    await act('collect/complete', {});
    await act('redelivery', { carrierCode: 'CJ', trackingNumber: '123456789012' });
    expect(await member.moves()).toEqual([]);
    await act('complete-exchange', {});
    expect(await member.history()).toMatchObject([{ type: 'EARN_PURCHASE', amount: 100, orderItemId }]);
  });

  test('of a test order or a guest earns nothing', async () => {
    const tried = await PointShop.open({ use: USE, purchaseEarn: EARN });
    const member = await tried.member();
    const orderItemId = await deliver(await member.buy(0, { productId: await tried.product(10_000), quantity: 1 }), tried);
    dataOf(await decide(member, orderItemId));
    expect([await member.moves(), await tried.world.item(orderItemId)]).toMatchObject([[], { status: 'PURCHASE_DECIDED' }]);
    const guest = await shop.world.buyer();
    const { checkoutId } = dataOf(await guest.checkout(await shop.product(10_000)));
    const { paymentId, payUrl } = dataOf(await guest.start(checkoutId as string, { returnUrl: RETURN }));
    await pay(payUrl as string);
    const orderId = await until('the order', async () => (await guest.status(paymentId as string)).body.data.orderId as string | null);
    const decided = await deliver(await shop.order(orderId));
    await shop.world.advance('P20D');
    expect(await shop.world.item(decided)).toMatchObject({ status: 'PURCHASE_DECIDED' });
  });
});
