/** Claims from their request to their end, as members and sellers use them (docs/contract.md#claims). */
import { describe, expect, test } from '@jest/globals';
import type { Buyer } from '../../../bin/dev/client.ts';
import { type Paid, query, until, type World, world } from '../../kernel/world.ts';

interface Shop {
  readonly shop: World;
  readonly buyer: Buyer;
}
const open = async (): Promise<Shop> => {
  const shop = await world();
  return { shop, buyer: await shop.member() };
};
const file = (buyer: Buyer, orderItemId: string, body: object) =>
  buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, body);
const act = (shop: World, claimId: string, action: string, body: object = {}) =>
  shop.seller.call('POST', `/v1/claims/${claimId}/${action}`, body);
const stockOf = async ({ store: { storeId } }: World): Promise<number> =>
  (await query<{ stock_quantity: number }>('SELECT stock_quantity FROM variant WHERE store_id = $1', [storeId]))[0]!.stock_quantity;
async function dispatched({ shop, buyer }: Shop, quantity = 1): Promise<Paid> {
  const order = await shop.order(undefined, quantity, buyer);
  await shop.act(order.orderItemId, 'confirm');
  await shop.act(order.orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
  return order;
}

describe('a cancel', () => {
  test('of a paid item completes at once', async () => {
    const { shop, buyer } = await open();
    const { orderItemId, paymentId } = await shop.order(undefined, 3, buyer);
    const { status, body } = await file(buyer, orderItemId, { type: 'CANCEL', reason: 'CHANGE_OF_MIND', quantity: 1 });
    expect([status, body.error]).toEqual([201, null]);
    expect(body.data).toMatchObject({ type: 'CANCEL', status: 'COMPLETED', quantity: 1, refundAmount: 10_000 });
    expect(body.data.history.map((line: { name: string; by: string }) => [line.name, line.by])).toEqual([
      ['request', 'BUYER'],
      ['approve', 'SYSTEM'],
    ]);
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'PAID', canceledQuantity: 1, claims: [{ status: 'COMPLETED' }] });
    expect(await stockOf(shop)).toBe(98);
    await until('paid back', async () => {
      const { refunds } = (await shop.seller.call('GET', `/v1/payments/${paymentId}`)).body.data;
      return refunds?.[0]?.status === 'DONE';
    }).catch(() => {});
    expect(await query('SELECT status, amount_won FROM refund WHERE payment_id = $1', [paymentId])).toEqual([
      { status: 'DONE', amount_won: 10_000 },
    ]);
  });
});

test('a return: collected, restocked once, approved', async () => {
  const { shop, buyer } = await open();
  const { orderItemId } = await dispatched({ shop, buyer }, 2);
  const { claimId } = (await file(buyer, orderItemId, { type: 'RETURN', reason: 'DEFECTIVE' })).body.data as { claimId: string };
  expect((await act(shop, claimId, 'approve')).body.error?.code).toBe('INVALID_STATUS');
  expect((await act(shop, claimId, 'collect', { method: 'SELLER_PICKUP', carrierCode: 'CJ' })).body.data).toMatchObject({
    status: 'COLLECTING',
  });
  expect(await stockOf(shop)).toBe(98);
  expect((await act(shop, claimId, 'collect/complete')).body.data).toMatchObject({ status: 'COLLECTED' });
  expect(await stockOf(shop)).toBe(100);
  const approved = await act(shop, claimId, 'approve');
  expect(approved.body.data).toMatchObject({ refundAmount: 23_000, deliveryFeeRefundAmount: 3000, quantity: 2, deductAmount: 0 });
  expect(await stockOf(shop)).toBe(100);
  expect(await shop.item(orderItemId)).toMatchObject({ status: 'RETURNED', activeQuantity: 0 });
});

test('an exchange: others are sent, nothing goes back', async () => {
  const { shop, buyer } = await open();
  const { orderItemId } = await dispatched({ shop, buyer });
  const { claimId } = (await file(buyer, orderItemId, { type: 'EXCHANGE', reason: 'DEFECTIVE' })).body.data as { claimId: string };
  await act(shop, claimId, 'collect', { method: 'BUYER_SEND' });
  await act(shop, claimId, 'collect/complete');
  const sent = await act(shop, claimId, 'redelivery', { carrierCode: 'CJ', trackingNumber: '123' });
  expect(sent.body.data).toMatchObject({ status: 'REDELIVERING', redelivery: { trackingNumber: '123' } });
  expect(await stockOf(shop)).toBe(99);
  expect((await act(shop, claimId, 'complete-exchange')).body.data).toMatchObject({ status: 'COMPLETED', refundAmount: 0 });
  expect(await shop.item(orderItemId)).toMatchObject({ status: 'EXCHANGED' });
});
