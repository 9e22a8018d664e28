/** A return: collected, inspected, then approved or rejected, with its stock (issue 19, points 2 and 8). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { REJECT_REASONS } from '../../../domain/claims/rules.ts';
import { ClaimShop, codeOf, dataOf, type Fields, fieldsOf, MANUAL, MIND, PICKUP } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const RETURN = { type: 'RETURN', ...MIND };
const REJECTION = { reason: 'USAGE_TRACES', explanation: '사용한 흔적이 있습니다' };
/** A return of all units of a new item. */
async function requested(quantity = 1) {
  const bought = await shop.buy('DELIVERED', { quantity });
  return { ...bought, claimId: await shop.filed(bought.orderItemId, RETURN) };
}

describe('the way back', () => {
  test('has its order: what comes too early or too late is INVALID_STATUS and changes nothing', async () => {
    const { claimId, orderId, variantId } = await requested(2);
    const refused = async (status: string, ...paths: string[]) => {
      for (const path of paths)
        expect([path, (await shop.act(claimId, path, path === 'collect' ? PICKUP : {})).body.error]).toMatchObject([
          path,
          { code: 'INVALID_STATUS', details: { status } },
        ]);
      expect((await shop.claim(claimId)).status).toBe(status);
    };
    await refused('REQUESTED', 'approve', 'collect/complete', 'release', 'complete-exchange');
    await shop.acted(claimId, 'collect', PICKUP);
    await refused('COLLECTING', 'approve', 'collect', 'release');
    expect(await shop.stock(variantId)).toBe(98);
    await shop.acted(claimId, 'collect/complete');
    expect(await shop.stock(variantId)).toBe(100);
    await refused('COLLECTED', 'collect', 'collect/complete', 'release');
    const { refundAmount, quantity } = await shop.acted(claimId, 'approve');
    expect([refundAmount, quantity]).toEqual([20_000, 2]);
    await refused('COMPLETED', 'approve', 'collect', 'collect/complete');
    expect(await shop.refunds(orderId)).toEqual([{ status: 'DONE', won: 20_000 }]);
  });
  test('restores the stock once, when the goods are back', async () => {
    const { orderItemId, variantId } = await requested(2);
    const [{ claimId }] = (await shop.item(orderItemId)).claims as [{ claimId: string }];
    await shop.acted(claimId, 'collect', PICKUP);
    await shop.acted(claimId, 'collect/complete');
    await shop.acted(claimId, 'approve');
    expect([await shop.stock(variantId), await shop.movements(variantId)]).toEqual([100, [['RETURN', 2, 0]]]);
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'RETURNED', canceledQuantity: 2, autoDecisionDate: null });
  });
  test('is the seller’s pickup with a carrier, or the buyer’s parcel', async () => {
    const { claimId } = await requested();
    for (const [body, fields] of [
      [{ method: 'SELLER_PICKUP' }, ['carrierCode']],
      [{ method: 'SELLER_PICKUP', carrierCode: 'NOBODY' }, ['carrierCode']],
      [{ method: 'PIGEON' }, ['method']],
      [{}, ['method']],
      [{ ...PICKUP, trackingNumber: '' }, ['trackingNumber']],
    ] as const) {
      const { status, body: answer } = await shop.act(claimId, 'collect', body);
      expect([body, status, fieldsOf(answer)]).toEqual([body, 400, fields]);
    }
    const collected = await shop.acted(claimId, 'collect', { ...PICKUP, trackingNumber: '77-88' });
    expect(collected.collection).toEqual({ ...PICKUP, trackingNumber: '77-88', registeredAt: expect.any(String), completedAt: null });
    const done = await shop.acted(claimId, 'collect/complete');
    expect(done.collection).toMatchObject({ trackingNumber: '77-88', completedAt: expect.any(String) });
    const sent = await requested();
    const { collection } = await shop.acted(sent.claimId, 'collect', { method: 'BUYER_SEND' });
    expect(collection).toMatchObject({ method: 'BUYER_SEND', carrierCode: null, trackingNumber: null });
  });
  test('of what was provided is none: approved at once, and the provision revoked', async () => {
    const { orderItemId, orderId, variantId } = await shop.buy('DELIVERED', { product: MANUAL, quantity: 2 });
    const first = await shop.filed(orderItemId, { ...RETURN, quantity: 1 });
    expect(codeOf(await shop.act(first, 'collect', PICKUP))).toEqual([409, 'COLLECTION_NOT_REQUIRED']);
    await shop.acted(first, 'hold', { reason: '확인 중입니다' });
    expect(codeOf(await shop.act(first, 'collect', { method: 'BUYER_SEND' }))).toEqual([409, 'COLLECTION_NOT_REQUIRED']);
    expect(await shop.acted(first, 'approve')).toMatchObject({ refundAmount: 10_000, quantity: 1 });
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'DELIVERED', fulfillment: { status: 'PROVIDED' } });
    await shop.acted(await shop.filed(orderItemId, RETURN), 'approve');
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'RETURNED', fulfillment: { status: 'REVOKED' } });
    expect([await shop.stock(variantId), (await shop.refunds(orderId)).map(({ won }) => won)]).toEqual([100, [10_000, 10_000]]);
  });
  test('ends with a refund that is less a deduction, and that may be held', async () => {
    const { claimId, orderId, orderNo } = await requested(2);
    await shop.acted(claimId, 'collect', PICKUP);
    await shop.acted(claimId, 'collect/complete');
    const { refundId, refundAmount, deductAmount } = await shop.acted(claimId, 'approve', { deductAmount: 1500, holdRefund: true });
    expect([refundAmount, deductAmount, await shop.refunds(orderId)]).toEqual([18_500, 1500, [{ status: 'HELD', won: 18_500 }]]);
    dataOf(await shop.world.seller.call('POST', `/v1/payments/refunds/${refundId as string}/process`));
    await shop.refunds(orderId);
    expect(await shop.paidBack(orderNo)).toEqual([18_500]);
  });
});

describe('an inspection', () => {
  const collecting = async (quantity: number) => {
    const bought = await requested(quantity);
    await shop.acted(bought.claimId, 'collect', PICKUP);
    return bought;
  };
  const of = (soundQuantity: number, damagedQuantity: number, missingQuantity: number) => ({
    soundQuantity,
    damagedQuantity,
    missingQuantity,
  });

  test('adds up to the claim’s quantity, or is VALIDATION_FAILED and the goods are still on their way', async () => {
    const { claimId, variantId } = await collecting(3);
    const refusals: readonly (readonly [Fields, readonly string[]])[] = [
      [of(1, 1, 0), ['soundQuantity']],
      [of(3, 1, 0), ['soundQuantity']],
      [of(0, 0, 0), ['soundQuantity']],
      [of(-1, 4, 0), ['soundQuantity']],
      [of(1.5, 1.5, 0), ['soundQuantity', 'damagedQuantity']],
      [{ soundQuantity: 3 }, ['damagedQuantity', 'missingQuantity']],
      [{ note: '상자가 젖었습니다' }, ['soundQuantity', 'damagedQuantity', 'missingQuantity']],
      [{ ...of(3, 0, 0), images: ['http://example.com/a.jpg'] }, ['images[0]']],
      [{ ...of(3, 0, 0), images: Array.from({ length: 6 }, (_, i) => `https://example.com/${i}`) }, ['images']],
      [{ ...of(3, 0, 0), note: 'x'.repeat(1001) }, ['note']],
    ];
    for (const [body, fields] of refusals) {
      const { status, body: answer } = await shop.act(claimId, 'collect/complete', body);
      expect([body, status, fieldsOf(answer)]).toEqual([body, 400, fields]);
    }
    expect([(await shop.claim(claimId)).status, await shop.stock(variantId)]).toEqual(['COLLECTING', 97]);
  });
  test('restocks sound units only; the others are movements of their own that change no count', async () => {
    const { claimId, variantId, orderItemId } = await collecting(6);
    const inspection = { ...of(3, 2, 1), note: '둘은 찢어졌습니다', images: ['https://example.com/torn.jpg'] };
    expect(await shop.acted(claimId, 'collect/complete', inspection)).toMatchObject({ status: 'COLLECTED', inspection });
    expect([await shop.stock(variantId), new Set(await shop.movements(variantId))]).toEqual([
      97,
      new Set([
        ['RETURN', 3, 0],
        ['RETURN_DAMAGED', 0, 2],
        ['RETURN_MISSING', 0, 1],
      ]),
    ]);
    // All units are refunded, less what the seller deducts.
    expect(await shop.acted(claimId, 'approve', { deductAmount: 10_000 })).toMatchObject({ refundAmount: 50_000, quantity: 6 });
    expect([await shop.stock(variantId), (await shop.item(orderItemId)).status]).toEqual([97, 'RETURNED']);
    expect((await shop.claim(claimId)).inspection).toEqual(inspection);
  });
  test('without fields finds all units sound', async () => {
    const { claimId } = await collecting(2);
    const { inspection } = await shop.acted(claimId, 'collect/complete');
    expect(inspection).toEqual({ ...of(2, 0, 0), note: null, images: [] });
  });
  test.each([
    ['some', of(1, 1, 1), 98],
    ['none', of(0, 2, 1), 97],
    ['all', of(3, 0, 0), 100],
  ])('that found %s sound: a rejection takes back exactly what was restocked', async (_, inspection, restocked) => {
    const { claimId, variantId, orderItemId, orderId } = await collecting(3);
    await shop.acted(claimId, 'collect/complete', inspection);
    expect(await shop.stock(variantId)).toBe(restocked);
    expect(await shop.acted(claimId, 'reject', REJECTION)).toMatchObject({ status: 'REJECTED', stockShortfall: 0 });
    expect(await shop.stock(variantId)).toBe(97);
    const taken = (await shop.movements(variantId)).filter(([reason]) => reason === 'RETURN_REJECTED');
    expect(taken).toEqual(restocked === 97 ? [] : [['RETURN_REJECTED', 97 - restocked, 0]]);
    expect([await shop.refunds(orderId), await shop.item(orderItemId)]).toMatchObject([[], { status: 'DELIVERED', activeQuantity: 3 }]);
  });
});

describe('a rejection', () => {
  test('has one of the reasons and an explanation of at least ten characters, and at most five images', async () => {
    const { claimId } = await requested();
    const image = (i: number) => `https://example.com/${i}.jpg`;
    for (const [body, fields] of [
      [{ ...REJECTION, explanation: '아홉 글자입니다요' }, ['explanation']],
      [{ ...REJECTION, explanation: '         .          ' }, ['explanation']],
      [{ ...REJECTION, explanation: ' '.repeat(20) }, ['explanation']],
      [{ reason: 'OTHER' }, ['explanation']],
      [{ ...REJECTION, explanation: 'x'.repeat(1001) }, ['explanation']],
      [{ ...REJECTION, reason: 'NO_REASON' }, ['reason']],
      [{ ...REJECTION, evidenceImages: Array.from({ length: 6 }, (_, i) => image(i)) }, ['evidenceImages']],
      [{ ...REJECTION, evidenceImages: ['http://example.com/a'] }, ['evidenceImages[0]']],
    ] as const) {
      const { status, body: answer } = await shop.act(claimId, 'reject', body);
      expect([body, status, fieldsOf(answer)]).toEqual([body, 400, fields]);
    }
    expect(REJECT_REASONS).toEqual(['USAGE_TRACES', 'MISSING_COMPONENTS', 'PERIOD_EXPIRED', 'BUYER_FAULT_DAMAGE', 'OTHER']);
    const evidenceImages = Array.from({ length: 5 }, (_, i) => image(i));
    const explanation = '열 글자 설명 입니다';
    const { rejection } = await shop.acted(claimId, 'reject', { reason: 'OTHER', explanation, evidenceImages });
    expect(rejection).toEqual({ reason: 'OTHER', explanation, evidenceImages, rejectedAt: expect.any(String) });
  });
  test.each(['REQUESTED', 'HELD', 'COLLECTING'])('in %s moves no stock', async (stage) => {
    const { claimId, variantId } = await requested();
    if (stage === 'HELD') await shop.acted(claimId, 'hold', { reason: '확인 중입니다' });
    if (stage === 'COLLECTING') await shop.acted(claimId, 'collect', PICKUP);
    expect((await shop.claim(claimId)).status).toBe(stage);
    await shop.acted(claimId, 'reject', REJECTION);
    expect([await shop.stock(variantId), await shop.movements(variantId)]).toEqual([99, []]);
    expect(codeOf(await shop.act(claimId, 'reject', REJECTION))).toEqual([409, 'INVALID_STATUS']);
  });
  test.each([
    ['a part', 2, 1],
    ['all', 3, 3],
  ])('of goods of which %s has been sold meanwhile takes what is there, and shows the seller the shortfall', async (_, resold, missing) => {
    const stock = 3;
    const product = await shop.world.product({ stockQuantity: stock });
    const first = await shop.buyLines('DELIVERED', [{ productId: product.productId, quantity: 3 }], product);
    const claimId = await shop.collected(first.orderItemId, { ...RETURN, quantity: missing === 1 ? 2 : 3 });
    await shop.buyLines('PAID', [{ productId: product.productId, quantity: missing === 1 ? 1 : resold }], product);
    const rejected = await shop.acted(claimId, 'reject', REJECTION);
    expect([rejected.stockShortfall, await shop.stock(product.variantId)]).toEqual([missing, 0]);
    const movements = await shop.movements(product.variantId);
    expect(movements).toContainEqual(['RETURN_SHORTFALL', 0, missing]);
    expect(movements.filter(([reason]) => reason === 'RETURN_REJECTED')).toEqual(missing === 1 ? [['RETURN_REJECTED', -1, 0]] : []);
    expect(await shop.item(first.orderItemId)).toMatchObject({ status: 'DELIVERED', activeQuantity: 3 });
  });
});
