/** Points at checkout: previews, starts, what is reserved and released (docs/contract.md#points-at-checkout). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { get as getCheckout } from '../../../api/checkout/get.ts';
import { price } from '../../../api/checkout/price.ts';
import { checker } from '../../../api/validation/validate.ts';
import { ADDRESS, pay } from '../../../bin/dev/client.ts';
import { refundRequestsOf, closeShops, codeOf, dataOf, PointShop, shipped, USE } from './shop.ts';

afterAll(closeShops);

let shop: PointShop;
let scarf: string;
beforeAll(async () => {
  shop = await PointShop.open();
  scarf = await shop.product(10_000);
});
const one = () => ({ productId: scarf, quantity: 1 });

test('several lines with delivery: preview, start, the provider, the order, and every won back', async () => {
  const own = await PointShop.open({ use: { ...USE, unit: 100, maxRatioBp: 5000, includeDeliveryFee: false } });
  const member = await own.member(9000);
  const [first, second] = [await own.product(10_000, shipped(3000)), await own.product(3000, shipped(3000))];
  const lines = [
    { productId: first, quantity: 1 },
    { productId: second, quantity: 2 },
  ];
  const checkoutId = await member.checkout(...lines);
  const points = { balance: 9000, maxUsable: 8000, unit: 100 };
  expect(dataOf(await member.read(checkoutId))).toMatchObject({ points, amounts: { pointAmount: 0, totalAmount: 19_000 } });
  const amounts = { productAmount: 16_000, deliveryFee: 3000, couponDiscountAmount: 0, pointAmount: 5400, totalAmount: 13_600 };
  expect(dataOf(await member.price(checkoutId, 5432))).toMatchObject({
    checkoutId,
    amounts,
    items: [
      { productId: first, quantity: 1, unitPrice: 10_000, totalPrice: 10_000, couponDiscountAmount: 0, pointAllocation: 3375 },
      { productId: second, quantity: 2, unitPrice: 3000, totalPrice: 6000, couponDiscountAmount: 0, pointAllocation: 2025 },
    ],
    delivery: { baseFee: 3000, pointAllocation: 0 },
    points: { ...points, adjustReason: null, rejectReason: null },
    paymentRequired: true,
  });
  expect(dataOf(await member.read(checkoutId)).amounts).toMatchObject({ pointAmount: 0 });
  expect(await member.moves()).toEqual([]);

  const started = dataOf(await member.start(checkoutId, 5432, { expectedTotalAmount: 13_600 }));
  expect(started).toMatchObject({ status: 'pending', orderId: null, orderNo: null, amounts, delivery: { pointAllocation: 0 } });
  expect(await refundRequestsOf(started.paymentId as string)).toMatchObject([{ amount_won: 13_600 }]);
  expect([await member.balance(), await member.moves()]).toEqual([3600, [['USE_RESERVE', -5400]]]);
  await pay(started.payUrl as string);
  const { orderId } = (await member.buyer.status(started.paymentId as string)).body.data as { orderId: string };
  const order = await own.order(orderId);
  expect(order).toMatchObject({ amounts, payment: { pg: 'tosspayments', method: 'CARD', totalAmount: 13_600, pointAmount: 5400 } });
  expect(order.items.map(({ pointAllocation }) => pointAllocation)).toEqual([3375, 2025]);
  expect(await member.history()).toMatchObject([{ type: 'USE_RESERVE', orderId, paymentId: started.paymentId }]);

  const [one_, two] = order.items.map(({ orderItemId }) => orderItemId) as [string, string];
  const back = [await own.cancel(one_), await own.cancel(two, { quantity: 1 }), await own.cancel(two)];
  expect(back).toMatchObject([
    { refundAmount: 6625, pointRefundAmount: 3375 },
    { refundAmount: 1987, pointRefundAmount: 1012 },
    { refundAmount: 4988, pointRefundAmount: 1013, deliveryFeeRefundAmount: 3000 },
  ]);
  expect(await member.balance()).toBe(9000);
  expect((await member.history()).slice(1)).toMatchObject([
    { type: 'REFUND_RESTORE', amount: 3375, orderId, orderItemId: one_ },
    { type: 'REFUND_RESTORE', amount: 1012, orderId, orderItemId: two },
    { type: 'REFUND_RESTORE', amount: 1013, orderId, orderItemId: two },
  ]);
});

test('what is more than the goods pays delivery, and comes back as points', async () => {
  const member = await shop.member(20_000);
  const order = await member.buy(12_000, { productId: await shop.product(10_000, shipped(3000)), quantity: 1 });
  expect(order).toMatchObject({ amounts: { pointAmount: 12_000, totalAmount: 1000 }, delivery: { baseFee: 3000, pointAllocation: 2000 } });
  expect(order.items[0]).toMatchObject({ totalPrice: 10_000, pointAllocation: 10_000 });
  expect(await shop.cancel(order.items[0]!.orderItemId, { holdRefund: true })).toMatchObject({
    refundAmount: 1000,
    deliveryFeeRefundAmount: 1000,
    pointRefundAmount: 12_000,
  });
  // The cash waits, the points do not.
  expect(await member.balance()).toBe(20_000);
});

test('a preview is reduced so that the rest can be paid, or rejected with a reason', async () => {
  const own = await PointShop.open({ use: { ...USE, minBalance: 1000, minAmount: 500, unit: 10 } });
  const member = await own.member(9999);
  const product = await own.product(10_000);
  const checkoutId = await member.checkout({ productId: product, quantity: 1 });
  const answered = async (pointAmount: number) => {
    const { amounts, points, paymentRequired } = dataOf(await member.price(checkoutId, pointAmount));
    return [amounts.pointAmount, amounts.totalAmount, points.adjustReason, points.rejectReason, paymentRequired];
  };
  // 9,990 by the unit would leave 10.
  expect(await answered(9999)).toEqual([9900, 100, 'MIN_PAYMENT', null, true]);
  expect(await answered(499)).toEqual([0, 10_000, null, 'MIN_AMOUNT', true]);
  expect(await answered(9)).toEqual([0, 10_000, null, 'NOT_PAYABLE', true]);
  expect(await answered(0)).toEqual([0, 10_000, null, null, true]);
  await member.adjust(-9000);
  expect(await answered(600)).toEqual([0, 10_000, null, 'MIN_BALANCE', true]);
  await member.adjust(9001);
  expect(await answered(50_000)).toEqual([10_000, 0, null, null, false]);
  expect(codeOf(await member.start(checkoutId, 499))).toEqual([409, 'POINTS_UNAVAILABLE']);
  const { body } = await member.start(checkoutId, 499);
  expect(body.error?.details).toEqual({ rejectReason: 'MIN_AMOUNT' });
  expect(await member.moves()).toEqual([]);
});

test('a balance of more than one change may move is shown as the documents say', async () => {
  const member = await shop.member(2_000_000_000);
  await member.adjust(2_000_000_000);
  const checkoutId = await member.checkout(one());
  for (const [endpoint, reply] of [
    [getCheckout, await member.read(checkoutId)],
    [price, await member.price(checkoutId, 100)],
  ] as const) {
    expect(dataOf(reply).points).toMatchObject({ balance: 4_000_000_000, maxUsable: 10_000 });
    expect(checker(endpoint.data!, 'json')(dataOf(reply))).toEqual([]);
  }
});

test('an address that costs a surcharge takes no more points than the start asks for', async () => {
  const own = await PointShop.open({ use: { ...USE, maxRatioBp: 5000 } });
  const member = await own.member(20_000);
  await own.world.seller.call('PATCH', '/v1/store', { shippingPolicy: { jejuSurcharge: 3000 } });
  const checkoutId = await member.checkout({ productId: await own.product(10_000, shipped(3000)), quantity: 1 });
  expect(dataOf(await member.price(checkoutId, 50_000)).amounts).toMatchObject({ pointAmount: 6500, totalAmount: 6500 });
  const shippingAddress = { ...ADDRESS, zipCode: '63100' };
  expect(dataOf(await member.start(checkoutId, 6500, { shippingAddress })).amounts).toMatchObject({ pointAmount: 6500, totalAmount: 9500 });
  expect(await member.moves()).toEqual([['USE_RESERVE', -6500]]);
});

test('guests use none, nor members while the store is off; a remote address costs its surcharge', async () => {
  const own = await PointShop.open({ use: { ...USE, enabled: false } });
  const [member, guest] = [await own.member(5000), await own.world.buyer()];
  const productId = await own.product(10_000, shipped(3000));
  await own.world.seller.call('PATCH', '/v1/store', { shippingPolicy: { jejuSurcharge: 2000 } });
  const line = { productId, quantity: 1 };
  const [mine, theirs] = [await member.checkout(line), dataOf(await guest.checkout(productId)).checkoutId as string];
  const pricing = (checkoutId: string) => `/storefront/v1/checkout/${checkoutId}/pricing`;
  expect(dataOf(await member.price(mine, 0, { zipCode: '63100' }))).toMatchObject({ points: null, amounts: { totalAmount: 15_000 } });
  expect(dataOf(await guest.call('POST', pricing(theirs), { pointAmount: 0 })).points).toBeNull();
  for (const refused of [
    await member.price(mine, 1),
    await member.start(mine, 1),
    await guest.call('POST', pricing(theirs), { pointAmount: 1 }),
    await guest.start(theirs, { pointAmount: 1 }),
  ])
    expect(codeOf(refused)).toEqual([409, 'POINTS_UNAVAILABLE']);
  expect(codeOf(await member.price(theirs, 0))).toEqual([404, 'CHECKOUT_NOT_FOUND']);
  expect((await member.buyer.call('POST', pricing(mine), {})).body.error?.fieldErrors).toMatchObject([{ field: 'pointAmount' }]);
  await own.world.advance('PT31M');
  expect(codeOf(await member.price(mine, 0))).toEqual([409, 'CHECKOUT_EXPIRED']);
});

describe('a reservation', () => {
  test('outlives a decline, and is released once when the payment expires', async () => {
    const own = await PointShop.open();
    const member = await own.member(4000);
    const checkoutId = await member.checkout({ productId: await own.product(10_000), quantity: 1 });
    const { paymentId, payUrl } = dataOf(await member.start(checkoutId, 4000)) as { paymentId: string; payUrl: string };
    await pay(payUrl, '4111111111110001');
    expect([await member.balance(), await member.moves()]).toEqual([0, [['USE_RESERVE', -4000]]]);
    dataOf(
      await member.buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: { pg: 'tosspayments', method: 'CARD' } }),
    );
    expect(await refundRequestsOf(paymentId)).toMatchObject([{ amount_won: 6000 }, { amount_won: 6000 }]);
    await own.world.advance('PT11M');
    const released = [
      ['USE_RESERVE', -4000],
      ['USE_RELEASE', 4000],
    ];
    expect([await member.balance(), await member.moves()]).toEqual([4000, released]);
    // The checkout lives on: what it holds is new.
    expect(dataOf(await member.start(checkoutId, 4000)).paymentId).not.toBe(paymentId);
    expect(await member.moves()).toEqual([...released, ['USE_RESERVE', -4000]]);
    await own.world.advance('PT11M');
    expect([await member.balance(), (await member.moves()).length]).toEqual([4000, 4]);
  });

  test('counts as available at its own checkout, and moves with a restart', async () => {
    const member = await shop.member(5000);
    const [mine, other] = [await member.checkout(one()), await member.checkout(one())];
    const { paymentId } = dataOf(await member.start(mine, 5000));
    expect(dataOf(await member.read(mine)).points).toMatchObject({ balance: 5000, maxUsable: 5000 });
    expect(dataOf(await member.read(other)).points).toMatchObject({ balance: 0, maxUsable: 0 });
    expect(dataOf(await member.price(mine, 4000)).amounts).toMatchObject({ pointAmount: 4000, totalAmount: 6000 });
    expect(await member.moves()).toEqual([['USE_RESERVE', -5000]]);
    expect(dataOf(await member.start(mine, 5000)).paymentId).toBe(paymentId);
    expect(await member.moves()).toHaveLength(1);
    expect(dataOf(await member.start(mine, 4000))).toMatchObject({ paymentId, amounts: { pointAmount: 4000, totalAmount: 6000 } });
    expect((await refundRequestsOf(paymentId as string)).map(({ amount_won: won }) => won)).toEqual([5000, 5000, 6000]);
    expect((await member.moves()).slice(1)).toEqual([
      ['USE_RELEASE', 5000],
      ['USE_RESERVE', -4000],
    ]);
    expect(dataOf(await member.start(mine, 0)).amounts).toMatchObject({ pointAmount: 0, totalAmount: 10_000 });
    expect([await member.balance(), (await member.moves()).at(-1)]).toEqual([5000, ['USE_RELEASE', 4000]]);
  });
});

describe('a balance that is another by the start', () => {
  test('gives another amount than the preview: CHANGED, by what was requested and by what was answered', async () => {
    const member = await shop.member(3000);
    const checkoutId = await member.checkout(one());
    expect(dataOf(await member.price(checkoutId, 5000)).amounts).toMatchObject({ pointAmount: 3000 });
    await member.adjust(-1000);
    for (const sent of [5000, 3000]) {
      const reply = await member.start(checkoutId, sent);
      expect([...codeOf(reply), reply.body.error?.details]).toEqual([409, 'POINT_BALANCE_CHANGED', { balance: 2000 }]);
    }
    await member.adjust(2000);
    for (const sent of [5000, 3000]) expect(codeOf(await member.start(checkoutId, sent))).toEqual([409, 'POINT_BALANCE_CHANGED']);
    await member.adjust(-1000);
    expect(dataOf(await member.start(checkoutId, 3000)).amounts).toMatchObject({ pointAmount: 3000, totalAmount: 7000 });
  });
  test('does not cover what was never previewed: INSUFFICIENT, and nothing is reserved', async () => {
    const member = await shop.member(3000);
    const checkoutId = await member.checkout(one());
    const reply = await member.start(checkoutId, 3001);
    expect([...codeOf(reply), reply.body.error?.details]).toEqual([409, 'POINT_BALANCE_INSUFFICIENT', { balance: 3000 }]);
    expect(await member.moves()).toEqual([]);
  });
});

test('the amount that is expected is the cash after points; an option is missing where any remains', async () => {
  const member = await shop.member(3000);
  const checkoutId = await member.checkout(one());
  const changed = await member.start(checkoutId, 3000, { expectedTotalAmount: 10_000 });
  expect([...codeOf(changed), changed.body.error?.details]).toEqual([409, 'AMOUNT_CHANGED', { totalAmount: 7000 }]);
  const missing = await member.start(checkoutId, 3000, { option: undefined });
  expect(missing.body.error?.fieldErrors).toMatchObject([{ field: 'option', code: 'REQUIRED' }]);
  expect(await member.moves()).toEqual([]);
});
