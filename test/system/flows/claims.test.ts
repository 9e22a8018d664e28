/** Claims, cancels and refunds of items that follow a seller's flow: fees fixed at receipt, refunds and stock on the way, ends. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Edge, Execution, Graph, Permissions, StateNode } from '../../../domain/flows/graph/graph.ts';
import { onSeller } from '../../../domain/flows/presets/parts.ts';
import { query } from '../../kernel/world.ts';
import { type Bought, ClaimShop, codeOf, dataOf, type Fields } from '../claims/shop.ts';

const state = (id: string, status: StateNode['status'], permissions: Permissions): StateNode => ({
  id,
  type: 'state',
  status,
  step: 'SELLER_PROCESSING',
  label: id,
  permissions,
});
const onTheWay = (from: string, key: string, to: string, run: Execution): Edge => onSeller(from, key, to, { run: [run] });
/**
 * Free of charge at first for a delay; a flat fee when it is being made; refunded and given back to stock on the way as the seller likes.
 */
const GRAPH: Graph = {
  schema: 1,
  start: 'paid',
  states: [
    state('paid', 'PAID', {
      buyerCancel: {
        until: 'order.paidAt + duration("48h")',
        deduct: 'claim.reason == "DELIVERY_DELAY" ? 0 : pct(refundable, 10) * claim.quantity',
      },
      cancelRequest: true,
      sellerForcedCancel: true,
    }),
    state('making', 'CONFIRMED', {
      cancelRequest: { fee: { type: 'flat', amount: 1500 } },
      sellerForcedCancel: true,
      sellerCancelHoldRefund: true,
    }),
    state('refunded', 'CONFIRMED', { cancelRequest: { fee: { type: 'flat', amount: 1500 } }, sellerForcedCancel: true }),
    state('freed', 'CONFIRMED', { buyerCancel: true }),
    state('packed', 'CONFIRMED', { sellerForcedCancel: { within: 'P1D' }, sellerCancelHoldRefund: { within: 'PT1H' } }),
    { id: 'refused', type: 'end', outcome: 'CANCELED', label: '거절' },
    { id: 'finished', type: 'end', outcome: 'COMPLETED', label: '완료' },
  ],
  actions: ['make', 'refuse', 'refund', 'free', 'capture', 'pack', 'finish'].map((key) => ({ key, by: 'seller' as const, label: key })),
  edges: [
    onSeller('paid', 'make', 'making'),
    onSeller('paid', 'refuse', 'refused'),
    onTheWay('making', 'refund', 'refunded', { type: 'refund', deduct: 'pct(refundable, 20)' }),
    onTheWay('making', 'free', 'freed', { type: 'stock.restore' }),
    onTheWay('freed', 'capture', 'making', { type: 'stock.capture' }),
    onSeller('freed', 'refuse', 'refused'),
    onSeller('refunded', 'refuse', 'refused'),
    onSeller('refunded', 'finish', 'finished'),
    onSeller('making', 'finish', 'finished'),
    onSeller('making', 'pack', 'packed'),
    onSeller('packed', 'finish', 'finished'),
  ],
};

const FREE = { fulfillment: { type: 'SHIPPING', shipping: { deliveryType: 'FREE' } } };
let shop: ClaimShop;
let flowId: string;
beforeAll(async () => {
  shop = await ClaimShop.open();
  const { seller } = shop.world;
  flowId = dataOf(await seller.call('POST', '/v1/commerce-flows', { key: 'made', name: '제작', graph: GRAPH })).flowId as string;
  dataOf(await seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`, {}));
});

/** Bought for 10,000 each, and brought somewhere by the seller's actions. */
async function bought(quantity: number, ...actions: readonly string[]): Promise<Bought> {
  const one = await shop.buy('PAID', { quantity, product: { flowId, ...FREE } });
  for (const key of actions) await took(one, key);
  return one;
}
const took = async ({ orderItemId }: Bought, key: string) =>
  dataOf(await shop.world.seller.call('POST', `/v1/order-items/${orderItemId}/actions/${key}`, {}));
const canceledBySeller = ({ orderItemId }: Bought, body: Fields = {}) =>
  shop.world.seller.call('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OTHER', ...body });
const paidBack = async ({ orderId }: Bought) => (await shop.refunds(orderId)).map(({ status, won }) => [status, won]);
const eventsOf = async ({ orderItemId }: Bought, type: string) =>
  (await shop.world.events({ type, about: orderItemId })).map(({ data }) => data);

describe('the fee of receipt', () => {
  test('of a cancel at once: previewed, taken, and paid out without it', async () => {
    const one = await bought(2);
    const request = { type: 'CANCEL', reason: 'CHANGE_OF_MIND' };
    expect(dataOf(await shop.preview(one.orderItemId, request))).toMatchObject({
      completesAtOnce: true,
      expectedRefundAmount: 16_000,
      deductAmount: 4000,
    });
    expect(dataOf(await shop.preview(one.orderItemId, { ...request, reason: 'DELIVERY_DELAY' }))).toMatchObject({ deductAmount: 0 });
    expect(dataOf(await shop.file(one.orderItemId, { ...request, quantity: 1 }))).toMatchObject({
      status: 'COMPLETED',
      expectedRefundAmount: 9000,
      refundAmount: 9000,
      deductAmount: 1000,
    });
    expect(await paidBack(one)).toEqual([['DONE', 9000]]);
    expect((await shop.buyersItem(one)).actions).toContainEqual(expect.objectContaining({ key: 'cancel', enabled: true }));
  });
  test('of a request: shown until the approval, which takes it unless it says how much', async () => {
    const [one, other] = [await bought(1, 'make'), await bought(1, 'make')];
    const [first, second] = [
      await shop.filed(one.orderItemId, { type: 'CANCEL' }),
      await shop.filed(other.orderItemId, { type: 'CANCEL' }),
    ];
    expect(await shop.claim(first)).toMatchObject({ status: 'REQUESTED', expectedRefundAmount: 8500, deductAmount: 1500, refundAmount: 0 });
    expect(await shop.acted(first, 'approve')).toMatchObject({ refundAmount: 8500, deductAmount: 1500 });
    expect(await shop.acted(second, 'approve', { deductAmount: 0 })).toMatchObject({ refundAmount: 10_000, deductAmount: 0 });
    expect(await shop.claim(first)).toMatchObject({ expectedRefundAmount: 8500, deductAmount: 1500 });
    expect([await paidBack(one), await paidBack(other)]).toEqual([[['DONE', 8500]], [['DONE', 10_000]]]);
  });
  test('nothing is deducted where a request is withdrawn', async () => {
    const one = await bought(1, 'make');
    const claimId = await shop.filed(one.orderItemId, { type: 'CANCEL' });
    expect(dataOf(await shop.withdraw(claimId))).toMatchObject({ status: 'WITHDRAWN', deductAmount: 0 });
    expect(await paidBack(one)).toEqual([]);
  });
});

describe('the node alone decides', () => {
  test('whether a seller cancels, and whether the refund may be held', async () => {
    const [paid, making, freed] = [await bought(1), await bought(1, 'make'), await bought(1, 'make', 'free')];
    expect(codeOf(await canceledBySeller(paid, { holdRefund: true }))).toEqual([409, 'INVALID_STATUS']);
    expect(codeOf(await canceledBySeller(freed))).toEqual([409, 'INVALID_STATUS']);
    expect(codeOf(await canceledBySeller(paid))).toEqual([200, 'OK']);
    expect(codeOf(await canceledBySeller(making, { holdRefund: true }))).toEqual([200, 'OK']);
    expect([await paidBack(paid), await paidBack(making)]).toEqual([[['DONE', 10_000]], [['HELD', 10_000]]]);
  });
  test('an approval may always hold', async () => {
    const one = await bought(1, 'make', 'refund', 'finish');
    expect(codeOf(await shop.file(one.orderItemId, { type: 'CANCEL', reason: 'OTHER' }))).toEqual([409, 'INVALID_STATUS']);
    const other = await bought(1, 'make');
    await shop.acted(await shop.filed(other.orderItemId, { type: 'CANCEL' }), 'approve', { holdRefund: true });
    expect(await paidBack(other)).toEqual([['HELD', 8500]]);
  });
});

describe('what a flow does itself', () => {
  test('a CANCELED end refunds once, gives the stock back, and says so', async () => {
    const one = await bought(2, 'refuse');
    expect(await shop.item(one.orderItemId)).toMatchObject({ status: 'CANCELED', canceledQuantity: 2, activeQuantity: 0 });
    expect(await paidBack(one)).toEqual([['DONE', 20_000]]);
    expect(await shop.movements(one.variantId)).toEqual([['CANCEL', 2, 0]]);
    expect(await eventsOf(one, 'ORDER.CANCELED')).toEqual([
      expect.objectContaining({ canceledQuantity: 2, refundAmount: 20_000, pointRefundAmount: 0, status: 'CANCELED' }),
    ]);
  });
  test('a refund on the way leaves the item active, and neither a claim nor a cancel nor an end pays again', async () => {
    const one = await bought(3, 'make', 'refund');
    expect(await shop.item(one.orderItemId)).toMatchObject({ status: 'CONFIRMED', activeQuantity: 3 });
    expect(await paidBack(one)).toEqual([['DONE', 24_000]]);
    const request = { type: 'CANCEL', quantity: 1, reason: 'OTHER' };
    expect(dataOf(await shop.preview(one.orderItemId, request))).toMatchObject({ expectedRefundAmount: 0, deductAmount: 0 });
    const claimId = await shop.filed(one.orderItemId, request);
    expect(await shop.acted(claimId, 'approve')).toMatchObject({ refundAmount: 0, deductAmount: 0, refundId: null });
    expect(dataOf(await canceledBySeller(one, { quantity: 1 }))).toMatchObject({ refundAmount: 0, canceledQuantity: 2 });
    await took(one, 'refuse');
    expect(await shop.item(one.orderItemId)).toMatchObject({ status: 'CANCELED', activeQuantity: 0 });
    expect(await paidBack(one)).toEqual([['DONE', 24_000]]);
    expect(await shop.stock(one.variantId)).toBe(100);
    expect((await eventsOf(one, 'ORDER.CANCELED')).map(({ refundAmount }) => refundAmount)).toEqual([0, 0, 0]);
  });
  test('what it has refunded is no part of what the purchase earns', async () => {
    const one = await bought(1, 'make', 'refund', 'finish');
    const [row] = await query('SELECT status, left_cash_won FROM order_item WHERE order_item_id = $1', [one.orderItemId]);
    expect(row).toMatchObject({ status: 'PURCHASE_DECIDED', left_cash_won: 10_000 });
  });
  test('stock that was given back is not given back again, and is taken again as far as it is there', async () => {
    const [ended, claimed, taken] = [await bought(2, 'make', 'free'), await bought(2, 'make', 'free'), await bought(2, 'make', 'free')];
    expect(await shop.stock(ended.variantId)).toBe(100);
    await took(ended, 'refuse');
    expect(await shop.movements(ended.variantId)).toEqual([['FLOW_RESTORED', 2, 0]]);
    expect(dataOf(await shop.file(claimed.orderItemId, { type: 'CANCEL', reason: 'OTHER' }))).toMatchObject({ refundAmount: 20_000 });
    expect(await shop.movements(claimed.variantId)).toEqual([['FLOW_RESTORED', 2, 0]]);
    await query('UPDATE variant SET stock_quantity = 1 WHERE variant_id = $1', [taken.variantId]);
    await took(taken, 'capture');
    expect(await shop.stock(taken.variantId)).toBe(0);
    expect((await shop.movements(taken.variantId)).slice(1)).toEqual([
      ['FLOW_CAPTURED', -1, 0],
      ['FLOW_SHORTFALL', 0, 1],
    ]);
  });
});

test('a seller cancels, and holds the refund, until the limits of the node', async () => {
  const one = await bought(3, 'make', 'pack');
  const cancel = async (body: Fields = {}) => codeOf(await canceledBySeller(one, { quantity: 1, ...body }));
  expect(await cancel({ holdRefund: true })).toEqual([200, 'OK']);
  await shop.world.advance('PT2H');
  expect(await cancel({ holdRefund: true })).toEqual([409, 'PERIOD_EXPIRED']);
  expect(await cancel()).toEqual([200, 'OK']);
  await shop.world.advance('P1D');
  expect(await cancel()).toEqual([409, 'PERIOD_EXPIRED']);
});
