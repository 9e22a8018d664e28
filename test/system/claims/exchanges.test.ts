/** An exchange: the goods come back, others are sent, and nothing is paid back. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../kernel/world.ts';
import { type Bought, ClaimShop, codeOf, dataOf, MIND, PARCEL, PICKUP } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const EXCHANGE = { type: 'EXCHANGE', ...MIND };
const REJECTION = { reason: 'BUYER_FAULT_DAMAGE', explanation: '구매자의 과실로 파손되었습니다' };

interface Options extends Bought {
  /** The option that was not bought. */
  readonly otherId: string;
}
/** A product with two options of this stock, of which the first is bought. */
async function bought(quantity = 1, others = 5, additionalPrice = 0): Promise<Options> {
  const optionGroups = [{ name: '색상', values: ['회색', '남색'] }];
  const variants = [
    { optionValues: ['회색'], stockQuantity: 5 },
    { optionValues: ['남색'], stockQuantity: others, additionalPrice },
  ];
  const product = await shop.world.product({ stockQuantity: undefined, optionGroups, variants });
  const { variants: made } = dataOf(await shop.world.seller.call('GET', `/v1/products/${product.productId}`));
  const optionId = product.variantId;
  const order = await shop.buyLines('DELIVERED', [{ productId: product.productId, quantity, optionId }], product);
  return { ...order, otherId: made[1].variantId as string };
}

test('of one option for another moves the stock of both, and the item is EXCHANGED', async () => {
  const { orderItemId, orderId, variantId, otherId } = await bought();
  const claimId = await shop.filed(orderItemId, { ...EXCHANGE, exchangeOptionId: otherId });
  expect(await shop.claim(claimId)).toMatchObject({ exchangeOptionId: otherId, optionId: variantId, expectedRefundAmount: 0 });
  await shop.acted(claimId, 'collect', PICKUP);
  await shop.acted(claimId, 'collect/complete');
  expect([await shop.stock(variantId), await shop.stock(otherId)]).toEqual([5, 5]);
  const sent = await shop.acted(claimId, 'redelivery', PARCEL);
  expect(sent).toMatchObject({ status: 'REDELIVERING', redelivery: { optionId: otherId, ...PARCEL } });
  expect([await shop.stock(variantId), await shop.stock(otherId), await shop.movements(otherId)]).toEqual([5, 4, [['EXCHANGE', -1, 0]]]);
  expect(await shop.acted(claimId, 'complete-exchange')).toMatchObject({ status: 'COMPLETED', refundAmount: 0, refundId: null });
  expect(await shop.item(orderItemId)).toMatchObject({ status: 'EXCHANGED', activeQuantity: 0, canceledQuantity: 1 });
  expect(await shop.refunds(orderId)).toEqual([]);
  expect((await shop.claim(claimId)).history.map(({ message }: { message: string }) => message)).toEqual([
    '교환 신청 1개',
    '교환 수거 접수',
    '교환 수거 완료',
    '교환 상품 발송',
    '교환 완료',
  ]);
});

test('without an option is for the same one; the seller may send another of the product', async () => {
  const { orderItemId, variantId, otherId } = await bought(2);
  const first = await shop.collected(orderItemId, { ...EXCHANGE, quantity: 1 });
  expect((await shop.claim(first)).exchangeOptionId).toBe(variantId);
  await shop.acted(first, 'redelivery', PARCEL);
  expect([await shop.stock(variantId), await shop.stock(otherId)]).toEqual([3, 5]);
  await shop.acted(first, 'complete-exchange');
  const second = await shop.collected(orderItemId, EXCHANGE);
  await shop.acted(second, 'redelivery', { ...PARCEL, optionId: otherId });
  expect([await shop.stock(variantId), await shop.stock(otherId)]).toEqual([4, 4]);
});

test('of a part leaves the rest as it was: EXCHANGED is the item whose last units were exchanged', async () => {
  const { orderItemId, orderId } = await bought(3);
  for (const [quantity, status, left] of [
    [1, 'DELIVERED', 2],
    [2, 'EXCHANGED', 0],
  ] as const) {
    const claimId = await shop.collected(orderItemId, { ...EXCHANGE, quantity });
    await shop.acted(claimId, 'redelivery', PARCEL);
    await shop.acted(claimId, 'complete-exchange');
    expect(await shop.item(orderItemId)).toMatchObject({ status, activeQuantity: left });
  }
  const mixed = await bought(2);
  const exchanged = await shop.collected(mixed.orderItemId, { ...EXCHANGE, quantity: 1 });
  await shop.acted(exchanged, 'redelivery', PARCEL);
  await shop.acted(exchanged, 'complete-exchange');
  const returned = await shop.collected(mixed.orderItemId, { type: 'RETURN' });
  expect(await shop.acted(returned, 'approve')).toMatchObject({ refundAmount: 10_000, quantity: 1 });
  expect([(await shop.item(mixed.orderItemId)).status, await shop.refunds(orderId)]).toEqual(['RETURNED', []]);
});

test.each([
  ['dearer', 5000],
  ['cheaper', -5000],
])(
  'for a %s option moves no money: neither a refund nor a charge, and the rest of the item is worth what was paid for it',
  async (_, price) => {
    const { orderItemId, orderId, otherId } = await bought(2, 5, price);
    const exchange = { ...EXCHANGE, quantity: 1, exchangeOptionId: otherId };
    const nothing = { expectedRefundAmount: 0, deliveryFeeChargeAmount: 0, couponChargeAmount: 0, deductAmount: 0, claimDeliveryFee: 0 };
    expect(dataOf(await shop.preview(orderItemId, exchange))).toMatchObject(nothing);
    const claimId = await shop.collected(orderItemId, exchange);
    await shop.acted(claimId, 'redelivery', PARCEL);
    expect(await shop.acted(claimId, 'complete-exchange')).toMatchObject({ ...nothing, refundAmount: 0, refundId: null });
    expect(await shop.refunds(orderId)).toEqual([]);
    const rest = await shop.collected(orderItemId, { type: 'RETURN' });
    expect(await shop.acted(rest, 'approve')).toMatchObject({ refundAmount: 10_000, quantity: 1 });
  },
);

describe('the redelivery', () => {
  test('of what is out of stock is OUT_OF_STOCK and moves nothing; later it succeeds', async () => {
    const { orderItemId, variantId, otherId, productId } = await bought(2, 1);
    const claimId = await shop.collected(orderItemId, { ...EXCHANGE, exchangeOptionId: otherId });
    expect(codeOf(await shop.act(claimId, 'redelivery', PARCEL))).toEqual([409, 'OUT_OF_STOCK']);
    expect([await shop.stock(variantId), await shop.stock(otherId), (await shop.claim(claimId)).status]).toEqual([5, 1, 'COLLECTED']);
    expect((await shop.claim(claimId)).redelivery).toBeNull();
    const variants = [{ optionValues: ['남색'], stockQuantity: 2 }];
    dataOf(await shop.world.seller.call('PATCH', `/v1/products/${productId}`, { variants }));
    await shop.acted(claimId, 'redelivery', PARCEL);
    expect(await shop.stock(otherId)).toBe(0);
  });
  test('of an option of another product is VARIANT_NOT_FOUND', async () => {
    const [{ orderItemId }, other] = [await bought(), await bought()];
    const claimId = await shop.collected(orderItemId, EXCHANGE);
    for (const optionId of [other.variantId, 'var_none'])
      expect(codeOf(await shop.act(claimId, 'redelivery', { ...PARCEL, optionId }))).toEqual([404, 'VARIANT_NOT_FOUND']);
    expect([(await shop.claim(claimId)).status, await shop.stock(other.variantId)]).toEqual(['COLLECTED', 4]);
  });
  test('needs a carrier and a tracking number, and the goods back', async () => {
    const { orderItemId } = await bought();
    const claimId = await shop.filed(orderItemId, EXCHANGE);
    expect(codeOf(await shop.act(claimId, 'redelivery', PARCEL))).toEqual([409, 'INVALID_STATUS']);
    for (const [body, fields] of [
      [{}, ['carrierCode', 'trackingNumber']],
      [{ ...PARCEL, carrierCode: 'NOBODY' }, ['carrierCode']],
      [{ ...PARCEL, trackingNumber: '한글' }, ['trackingNumber']],
    ] as const) {
      const refused = await shop.act(claimId, 'redelivery', body);
      expect([body, refused.body.error?.fieldErrors?.map(({ field }) => field).toSorted()]).toEqual([body, fields]);
    }
  });
});

describe('is', () => {
  test('never approved', async () => {
    const { orderItemId } = await bought();
    const claimId = await shop.filed(orderItemId, EXCHANGE);
    const refused = async () => expect(codeOf(await shop.act(claimId, 'approve'))).toEqual([409, 'INVALID_STATUS']);
    await refused();
    await shop.acted(claimId, 'collect', PICKUP);
    await refused();
    await shop.acted(claimId, 'collect/complete');
    await refused();
    expect(codeOf(await shop.act(claimId, 'complete-exchange'))).toEqual([409, 'INVALID_STATUS']);
    await shop.acted(claimId, 'redelivery', PARCEL);
    await refused();
  });
  test('rejected until others were sent, and then no more', async () => {
    const [one, other] = [await bought(), await bought()];
    const rejected = await shop.collected(one.orderItemId, EXCHANGE);
    expect(await shop.stock(one.variantId)).toBe(5);
    expect(await shop.acted(rejected, 'reject', REJECTION)).toMatchObject({ status: 'REJECTED', stockShortfall: 0 });
    expect([await shop.stock(one.variantId), (await shop.item(one.orderItemId)).status]).toEqual([4, 'DELIVERED']);
    const sent = await shop.collected(other.orderItemId, EXCHANGE);
    await shop.acted(sent, 'redelivery', PARCEL);
    expect(codeOf(await shop.act(sent, 'reject', REJECTION))).toEqual([409, 'INVALID_STATUS']);
    expect([(await shop.claim(sent)).status, await shop.stock(other.variantId)]).toEqual(['REDELIVERING', 4]);
  });
  test('never completed by itself', async () => {
    const { orderItemId } = await bought();
    const claimId = await shop.collected(orderItemId, EXCHANGE);
    await shop.acted(claimId, 'redelivery', PARCEL);
    await shop.world.advance('P60D');
    expect((await shop.claim(claimId)).status).toBe('REDELIVERING');
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'DELIVERED', autoDecisionDate: null });
  });
});

describe('an option of an exchange cannot be dropped', () => {
  const dropOther = async ({ variantId }: Options) => {
    const [row] = await query<{ id: string; values: string[] }>(
      'SELECT product_id AS id, option_values AS values FROM variant WHERE variant_id = $1',
      [variantId],
    );
    return shop.world.seller.call('PUT', `/v1/products/${row!.id}/options`, { optionGroups: [{ name: '색상', values: row!.values }] });
  };
  test('while an open one asks for it; once it is withdrawn it can', async () => {
    const order = await bought();
    const claimId = await shop.filed(order.orderItemId, { ...EXCHANGE, exchangeOptionId: order.otherId });
    const refused = await dropOther(order);
    expect(refused.body.error).toMatchObject({ code: 'VARIANT_IN_ORDER', details: { variantIds: [order.otherId] } });
    await query("UPDATE claim SET status = 'WITHDRAWN', closed_at = now() WHERE claim_id = $1", [claimId]);
    expect((await dropOther(order)).status).toBe(200);
  });
  test('after it was sent out, be the exchange over', async () => {
    const order = await bought();
    const claimId = await shop.collected(order.orderItemId, EXCHANGE);
    await shop.acted(claimId, 'redelivery', { ...PARCEL, optionId: order.otherId });
    expect((await dropOther(order)).body.error?.code).toBe('VARIANT_IN_ORDER');
    await shop.acted(claimId, 'complete-exchange');
    expect((await dropOther(order)).body.error?.code).toBe('VARIANT_IN_ORDER');
  });
});
