/** Seller cancels end to end: money at the provider, stock, delivery fees, held refunds, and races. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, pay } from '../../../bin/dev/client.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

interface Ledger {
  readonly orderId: string;
  readonly status: string;
  readonly balanceAmount: number;
  readonly cancels: readonly { amount: number; reason: string }[];
}
let shop: World;
beforeAll(async () => {
  shop = await world();
});

/** An order of these lines, with what the provider shows of it. */
async function order(lines: readonly { productId: string; quantity: number }[], card = '4111111111110000', zipCode?: string) {
  const buyer = await shop.buyer();
  const opened = await buyer.call('POST', '/storefront/v1/checkout', { items: lines });
  const address = zipCode === undefined ? {} : { shippingAddress: { receiverName: 'r', phone: '010-0000-0000', zipCode, address1: 'a' } };
  const { paymentId, payUrl } = (await buyer.start(opened.body.data.checkoutId as string, address)).body.data as Record<string, string>;
  await pay(payUrl!, card);
  const { orderId, orderNo } = (await buyer.status(paymentId!)).body.data as { orderId: string; orderNo: string };
  const ledger = async (): Promise<Ledger> => {
    const all = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as Ledger[];
    return all.find((payment) => payment.orderId === `${orderNo}-01`)!;
  };
  const read = async () => (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data;
  return { orderId, read, ledger, items: (await read()).items.map((item: { orderItemId: string }) => item.orderItemId) as string[] };
}
const cancel = (id: string, body: object = {}, headers: Record<string, string> = {}) =>
  shop.seller.call('POST', `/v1/order-items/${id}/cancel`, { reason: 'OUT_OF_STOCK', ...body }, headers);
const settledRefunds = (orderId: string) =>
  until('refunds settled', async () => {
    const rows = await query<{ status: string; amount_won: number }>(
      'SELECT status, amount_won FROM refund WHERE order_id = $1 ORDER BY created_at',
      [orderId],
    );
    return rows.every(({ status }) => status !== 'PENDING') && rows;
  });

describe('a seller cancel', () => {
  test('of one unit after the other pays back exactly what was paid', async () => {
    const { productId, variantId } = await shop.product({ salePrice: 10_000 });
    await query('UPDATE product SET sale_price_won = 10000 WHERE product_id = $1', [productId]);
    const { orderId, items, ledger, read } = await order([{ productId, quantity: 3 }]);
    const [id] = items;
    await query('UPDATE order_item SET total_price_won = 10000 WHERE order_item_id = $1', [id]);
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push((await cancel(id!, { quantity: 1, detail: '카나리아메모' })).body.data);
    expect(answers.map((a) => [a.refundAmount, a.canceledQuantity, a.deliveryFeeRefundAmount])).toEqual([
      [3333, 1, 0],
      [3333, 2, 0],
      [6334, 3, 3000],
    ]);
    expect((await cancel(id!)).body.error?.code).toBe('ALREADY_CANCELED');
    const item = (await read()).items[0];
    expect(item).toMatchObject({ status: 'CANCELED', activeQuantity: 0, canceledQuantity: 3 });
    expect(item.sellerMemo.split('\n')).toEqual(Array.from({ length: 3 }, () => '[취소 1개: OUT_OF_STOCK] 카나리아메모'));
    expect((await read()).progressStatus).toBe('CANCELED');
    expect(await query('SELECT stock_quantity AS n FROM variant WHERE variant_id = $1', [variantId])).toEqual([{ n: 100 }]);
    expect((await settledRefunds(orderId)).map(({ status }) => status)).toEqual(['DONE', 'DONE', 'DONE']);
    expect((await ledger()).cancels.map(({ amount }) => amount)).toEqual([3333, 3333, 6334]);
  });

  test('pays a bundle’s fee back with its last item', async () => {
    await shop.seller.call('PATCH', '/v1/store', { shippingPolicy: { jejuSurcharge: 2000 } });
    const [a, b] = [await shop.product(), await shop.product()];
    const { items, orderId, ledger } = await order(
      [
        { productId: a.productId, quantity: 1 },
        { productId: b.productId, quantity: 1 },
      ],
      undefined,
      '63100',
    );
    expect((await cancel(items[0]!)).body.data).toMatchObject({ refundAmount: 10_000, deliveryFeeRefundAmount: 0 });
    expect((await cancel(items[1]!)).body.data).toMatchObject({ refundAmount: 15_000, deliveryFeeRefundAmount: 5000 });
    await settledRefunds(orderId);
    expect(await ledger()).toMatchObject({ status: 'CANCELED', balanceAmount: 0 });
    await shop.seller.call('PATCH', '/v1/store', { shippingPolicy: { jejuSurcharge: 0 } });
  });

  test('that is refused changes nothing', async () => {
    const { productId } = await shop.product();
    const { items } = await order([{ productId, quantity: 2 }]);
    const [id] = items;
    expect((await cancel(id!, { quantity: 3 })).body.error).toMatchObject({ code: 'INVALID_QUANTITY', details: { activeQuantity: 2 } });
    expect((await cancel(id!, { quantity: 0 })).body.error?.code).toBe('VALIDATION_FAILED');
    await shop.act(id!, 'confirm');
    await shop.act(id!, 'dispatch', { deliveryMethod: 'NONE' });
    expect((await cancel(id!)).body.error?.code).toBe('INVALID_STATUS');
    expect(await query('SELECT 1 FROM refund WHERE order_item_id = $1', [id])).toEqual([]);
  });

  test('with the same key is one cancel', async () => {
    const { productId } = await shop.product();
    const { items, orderId } = await order([{ productId, quantity: 3 }]);
    const twice = await Promise.all([1, 2].map(() => cancel(items[0]!, { quantity: 1 }, { 'idempotency-key': 'once' })));
    expect(twice.map(({ body }) => body.data.canceledQuantity)).toEqual([1, 1]);
    expect(await settledRefunds(orderId)).toHaveLength(1);
  });

  test('emits ORDER.CANCELED with its amounts', async () => {
    const { productId } = await shop.product();
    const { items, orderId } = await order([{ productId, quantity: 2 }]);
    await cancel(items[0]!, { quantity: 1 });
    await cancel(items[0]!);
    const events = (await shop.events({ about: orderId })).filter(({ type }) => type !== 'ORDER.PAID');
    const dataOf = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
    expect(events).toHaveLength(3);
    const [first, last] = dataOf('ORDER.CANCELED');
    const [moved] = dataOf('ORDER.FLOW_STATE_CHANGED');
    expect(first).toEqual({
      orderId,
      orderItemId: items[0],
      canceledQuantity: 1,
      refundAmount: 10_000,
      pointRefundAmount: 0,
      status: 'PAID',
      testPayment: true,
    });
    expect(moved).toEqual({ orderId, orderItemId: items[0], from: 'paid', to: 'canceled', label: '취소 완료', coreStatus: 'CANCELED' });
    expect(last).toMatchObject({ canceledQuantity: 1, refundAmount: 13_000, status: 'CANCELED' });
  });
});

describe('holdRefund', () => {
  test('pays back once, when the seller says so', async () => {
    const { productId } = await shop.product();
    const { items, orderId, ledger, read } = await order([{ productId, quantity: 1 }]);
    const { refundId } = (await cancel(items[0]!, { holdRefund: true })).body.data as { refundId: string };
    const { payment } = await read();
    const detail = async () => (await shop.seller.call('GET', `/v1/payments/${payment.paymentId as string}`)).body.data;
    expect(await detail()).toMatchObject({
      result: 'COMPLETED',
      attempts: [{ status: 'APPROVED' }],
      refunds: [{ refundId, amount: 13_000, status: 'HELD' }],
    });
    expect((await ledger()).cancels).toEqual([]);
    const release = () => shop.seller.call('POST', `/v1/payments/refunds/${refundId}/process`);
    const released = await Promise.all([release(), release()]);
    expect(new Set(released.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect((await release()).body.error?.code).toBe('REFUND_NOT_HELD');
    expect((await settledRefunds(orderId)).map(({ status }) => status)).toEqual(['DONE']);
    expect((await ledger()).cancels.map(({ amount }) => amount)).toEqual([13_000]);
    expect((await shop.seller.call('POST', '/v1/payments/refunds/rfd_x/process')).body.error?.code).toBe('REFUND_NOT_FOUND');
  });
});

describe('the provider', () => {
  const behave = (behavior: string, orderId: string) =>
    call(underTest.simulator, 'POST', '/__sim/next', { body: { op: 'cancel', behavior, orderId } });
  test.each([
    ['breaks the connection after it has paid back', 'drop', 'DONE'],
    ['fails without paying back', 'fail', 'DONE'],
    ['answers late', 'late', 'DONE'],
    ['refuses for good', 'refuse', 'FAILED'],
  ])('%s: the refund agrees with the provider’s ledger', async (_, behavior, status) => {
    const { productId } = await shop.product();
    const { items, orderId, ledger } = await order([{ productId, quantity: 1 }]);
    await behave(behavior, (await ledger()).orderId);
    await cancel(items[0]!);
    await shop.advance('PT10M');
    expect((await settledRefunds(orderId)).map((row) => row.status)).toEqual([status]);
    expect((await ledger()).cancels).toHaveLength(status === 'DONE' ? 1 : 0);
  });
  test('fails twice (card …0040) and is paid back once', async () => {
    const { productId } = await shop.product();
    const { items, orderId, ledger } = await order([{ productId, quantity: 1 }], '4111111111110040');
    await cancel(items[0]!);
    await shop.advance('PT10M');
    await shop.advance('PT10M');
    expect((await settledRefunds(orderId)).map((row) => row.status)).toEqual(['DONE']);
    expect((await ledger()).cancels).toHaveLength(1);
  });
});

describe('races', () => {
  test('10 parallel cancels of one on a line of 3 cancel three', async () => {
    const { productId, variantId } = await shop.product();
    const { items, orderId, ledger } = await order([{ productId, quantity: 3 }]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(items[0]!, { quantity: 1 })));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(3);
    expect(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error?.code)).toEqual(Array(7).fill('ALREADY_CANCELED'));
    expect(done.reduce((sum, { body }) => sum + (body.data.refundAmount as number), 0)).toBe(33_000);
    await settledRefunds(orderId);
    expect(await ledger()).toMatchObject({ status: 'CANCELED', balanceAmount: 0 });
    expect(await query('SELECT stock_quantity AS n FROM variant WHERE variant_id = $1', [variantId])).toEqual([{ n: 100 }]);
  });
  test('the two items of one bundle, canceled at once, give the fee back once', async () => {
    const [a, b] = [await shop.product(), await shop.product()];
    const { items, orderId, ledger } = await order([
      { productId: a.productId, quantity: 1 },
      { productId: b.productId, quantity: 1 },
    ]);
    const answers = await Promise.all(items.map((id) => cancel(id)));
    expect(answers.reduce((sum, { body }) => sum + (body.data.deliveryFeeRefundAmount as number), 0)).toBe(3000);
    await settledRefunds(orderId);
    expect((await ledger()).balanceAmount).toBe(0);
  });
});
