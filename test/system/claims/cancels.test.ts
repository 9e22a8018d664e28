/** A buyer's cancel: at once, or at the seller's approval, with the money that goes back. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { query, underTest } from '../../kernel/world.ts';
import { ClaimShop, codeOf, dataOf, type Fields, MIND } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const CANCEL = { type: 'CANCEL', ...MIND };
const BODIES: Readonly<Record<string, Fields>> = {
  approve: {},
  reject: { reason: 'OTHER', explanation: '이미 포장을 마쳤습니다' },
  hold: { reason: '확인 중입니다' },
};
const historyOf = (claim: { history: { name: string; by: string; message: string }[] }) =>
  claim.history.map(({ name, by, message }) => [name, by, message]);

describe('of a paid item', () => {
  test('is completed by filing it: stock and money go back, and no run waits for anybody', async () => {
    const { orderId, orderNo, orderItemId, variantId } = await shop.buy('PAID', { quantity: 2 });
    expect(await shop.stock(variantId)).toBe(98);
    const claim = dataOf(await shop.file(orderItemId, CANCEL));
    expect(claim).toMatchObject({ status: 'COMPLETED', quantity: 2, refundAmount: 23_000, deliveryFeeRefundAmount: 3000, deductAmount: 0 });
    expect(claim.closedAt).toBe(claim.requestedAt);
    expect(historyOf(claim)).toEqual([
      ['request', 'BUYER', '취소 신청 2개'],
      ['approve', 'SYSTEM', '취소 승인 및 환불 (자동)'],
    ]);
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'CANCELED', activeQuantity: 0, canceledQuantity: 2 });
    expect([await shop.stock(variantId), await shop.movements(variantId)]).toEqual([100, [['CANCEL', 2, 0]]]);
    expect(await shop.refunds(orderId)).toEqual([{ status: 'DONE', won: 23_000 }]);
    expect(await shop.paidBack(orderNo)).toEqual([23_000]);
    expect(await query('SELECT 1 FROM run WHERE entity_id = $1', [claim.claimId])).toEqual([]);
    for (const action of ['approve', 'reject', 'hold'])
      expect(codeOf(await shop.act(claim.claimId, action, BODIES[action]))).toEqual([409, 'INVALID_STATUS']);
    expect(codeOf(await shop.withdraw(claim.claimId))).toEqual([409, 'INVALID_STATUS']);
  });
  test('part by part pays back exactly what was paid', async () => {
    const { orderId, orderNo, orderItemId } = await shop.buy('PAID', { quantity: 3 });
    await query('UPDATE order_item SET total_price_won = 10000 WHERE order_item_id = $1', [orderItemId]);
    const won = [];
    for (let i = 0; i < 3; i++) won.push(dataOf(await shop.file(orderItemId, { ...CANCEL, quantity: 1 })).refundAmount);
    expect(won).toEqual([3333, 3333, 6334]);
    await shop.refunds(orderId);
    expect(await shop.paidBack(orderNo)).toEqual([3333, 3333, 6334]);
    expect(codeOf(await shop.file(orderItemId, CANCEL))).toEqual([409, 'INVALID_STATUS']);
  });
});
describe('of a prepared item', () => {
  test('is a request: nothing leaves before the approval, which is one line of the history', async () => {
    const { orderId, orderNo, orderItemId, variantId } = await shop.buy('CONFIRMED', { quantity: 3 });
    const claimId = await shop.filed(orderItemId, { ...CANCEL, quantity: 2 });
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'CONFIRMED', canceledQuantity: 0 });
    expect([await shop.stock(variantId), await shop.refunds(orderId)]).toEqual([97, []]);
    const approved = await shop.acted(claimId, 'approve');
    expect(approved).toEqual({
      claimId,
      quantity: 2,
      refundAmount: 20_000,
      pointRefundAmount: 0,
      deliveryFeeRefundAmount: 0,
      deliveryFeeChargeAmount: 0,
      deliveryFeeChargeRefundAmount: 0,
      couponChargeAmount: 0,
      couponChargeRefundAmount: 0,
      deductAmount: 0,
      refundId: expect.stringMatching(/^rfd_/),
    });
    expect(historyOf(await shop.claim(claimId))).toEqual([
      ['request', 'BUYER', '취소 신청 2개'],
      ['approve', 'SELLER', '취소 승인 및 환불'],
    ]);
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'CONFIRMED', canceledQuantity: 2, activeQuantity: 1 });
    expect([await shop.stock(variantId), await shop.refunds(orderId)]).toEqual([99, [{ status: 'DONE', won: 20_000 }]]);
    expect(codeOf(await shop.act(claimId, 'approve'))).toEqual([409, 'INVALID_STATUS']);
    expect(await shop.paidBack(orderNo)).toEqual([20_000]);
  });
  test('is not collected', async () => {
    const claimId = await shop.filed((await shop.buy('CONFIRMED')).orderItemId, CANCEL);
    for (const [path, body] of [
      ['collect', { method: 'BUYER_SEND' }],
      ['collect/complete', {}],
      ['redelivery', { carrierCode: 'CJ', trackingNumber: '1' }],
      ['complete-exchange', {}],
    ] as const)
      expect([path, (await shop.act(claimId, path, body)).body.error]).toMatchObject([
        path,
        { code: 'INVALID_STATUS', details: { status: 'REQUESTED' } },
      ]);
  });
  test('that is rejected leaves the item as it was: it is dispatched, or claimed anew', async () => {
    const [one, other] = [await shop.buy('CONFIRMED'), await shop.buy('CONFIRMED')];
    for (const { orderItemId, orderId, variantId } of [one, other]) {
      const claimId = await shop.filed(orderItemId, CANCEL);
      const rejected = await shop.acted(claimId, 'reject', { reason: 'OTHER', explanation: '이미 포장을 마쳤습니다' });
      expect(rejected).toMatchObject({ status: 'REJECTED', rejection: { reason: 'OTHER', evidenceImages: [] }, stockShortfall: 0 });
      expect([await shop.stock(variantId), await shop.movements(variantId), await shop.refunds(orderId)]).toEqual([99, [], []]);
    }
    expect(codeOf(await shop.world.act(one.orderItemId, 'dispatch', { deliveryMethod: 'NONE' }))).toEqual([200, 'OK']);
    await shop.acted(await shop.filed(other.orderItemId, CANCEL), 'approve');
    expect((await shop.item(other.orderItemId)).claims.map(({ status }: { status: string }) => status)).toEqual(['REJECTED', 'COMPLETED']);
  });
});

describe('deductAmount', () => {
  const approved = async (body: Record<string, unknown>) => {
    const bought = await shop.buy('CONFIRMED');
    const claimId = await shop.filed(bought.orderItemId, CANCEL);
    return { ...bought, claimId, reply: await shop.act(claimId, 'approve', body) };
  };
  test('is taken off what goes back, and is on the claim', async () => {
    const { reply, claimId, orderId, orderNo } = await approved({ deductAmount: 4000 });
    expect(reply.body.data).toMatchObject({ refundAmount: 9000, deliveryFeeRefundAmount: 3000, deductAmount: 4000 });
    expect(await shop.claim(claimId)).toMatchObject({ refundAmount: 9000, deductAmount: 4000, expectedRefundAmount: 13_000 });
    await shop.refunds(orderId);
    expect(await shop.paidBack(orderNo)).toEqual([9000]);
  });
  test('is at most what would go back: then no refund is made', async () => {
    const { reply, orderId, orderItemId } = await approved({ deductAmount: 99_999_999 });
    expect(reply.body.data).toMatchObject({ refundAmount: 0, deductAmount: 13_000, refundId: null });
    expect([await shop.refunds(orderId), (await shop.item(orderItemId)).status]).toEqual([[], 'CANCELED']);
  });
  test.each([-1, 0.5, '100', null])('%p is VALIDATION_FAILED', async (deductAmount) => {
    const { reply, claimId } = await approved({ deductAmount });
    expect(codeOf(reply)).toEqual([400, 'VALIDATION_FAILED']);
    expect((await shop.claim(claimId)).status).toBe('REQUESTED');
  });
});

describe('the refund', () => {
  test('that is held is paid back once, when the seller says so', async () => {
    const { orderId, orderNo, orderItemId, paymentId } = await shop.buy('CONFIRMED');
    const claimId = await shop.filed(orderItemId, CANCEL);
    const { refundId } = await shop.acted(claimId, 'approve', { holdRefund: true });
    expect(await shop.claim(claimId)).toMatchObject({ status: 'COMPLETED', refundId, refundAmount: 13_000 });
    expect([await shop.refunds(orderId), await shop.paidBack(orderNo)]).toEqual([[{ status: 'HELD', won: 13_000 }], []]);
    const process = () => shop.world.seller.call('POST', `/v1/payments/refunds/${refundId as string}/process`);
    const codes = (await Promise.all([process(), process()])).map((reply) => codeOf(reply)[1]);
    expect(codes.toSorted()).toEqual(['OK', 'REFUND_NOT_HELD']);
    expect([await shop.refunds(orderId), await shop.paidBack(orderNo)]).toEqual([[{ status: 'DONE', won: 13_000 }], [13_000]]);
    const { refunds } = dataOf(await shop.world.seller.call('GET', `/v1/payments/${paymentId}`));
    expect(refunds).toMatchObject([{ refundId, amount: 13_000, status: 'DONE', cause: 'CLAIM' }]);
  });
  test.each([
    ['breaks the connection after it has paid back', 'drop', 'DONE', [13_000]],
    ['fails without paying back', 'fail', 'DONE', [13_000]],
    ['refuses for good', 'refuse', 'FAILED', []],
  ])('is made once where the provider %s', async (_, behavior, status, paidBack) => {
    const { orderId, orderNo, orderItemId } = await shop.buy('CONFIRMED');
    await call(underTest.simulator, 'POST', '/__sim/next', { body: { op: 'cancel', behavior, orderId: `${orderNo}-01` } });
    await shop.acted(await shop.filed(orderItemId, CANCEL), 'approve');
    await shop.world.advance('PT10M');
    expect([await shop.refunds(orderId), await shop.paidBack(orderNo)]).toEqual([[{ status, won: 13_000 }], paidBack]);
  });
  test('of more than was paid is refused by the database', async () => {
    const { orderId, orderItemId, paymentId } = await shop.buy();
    const statement = (won: number) => `DO $$ BEGIN
      INSERT INTO refund (store_id, refund_id, payment_id, order_id, order_item_id, amount_won, cause, status, key_seq, absences,
        is_answered, created_at) VALUES ('${shop.storeId}', 'rfd_x', '${paymentId}', '${orderId}', '${orderItemId}', ${won}, 'CLAIM',
        'HELD', 1, 0, false, now());
      SET CONSTRAINTS refund_within_payment IMMEDIATE; END $$`;
    await expect(query(statement(13_001))).rejects.toThrow('exceed what was paid');
    // Of no more: not either, since nothing recorded it.
    await expect(query(statement(13_000))).rejects.toThrow('has no audit record');
  });
});
