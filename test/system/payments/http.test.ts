import { describe, expect, test } from '@jest/globals';
import { ADDRESS, call, get, GUEST, pay } from '../../../bin/dev/client.ts';
import { query, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';

const stock = async (variantId: string) =>
  (await query<{ n: number }>('SELECT stock_quantity AS n FROM variant WHERE variant_id = $1', [variantId]))[0]!.n;
const charged = async (paymentId: string) => {
  const { body } = await call(underTest.simulator, 'GET', '/__sim/payments');
  const orders = await query<{ pg_order_id: string }>('SELECT pg_order_id FROM payment_attempt WHERE payment_id = $1', [paymentId]);
  const ours = new Set(orders.map((row) => row.pg_order_id));
  return (body as unknown as Charge[]).filter((p) => ours.has(p.orderId));
};
interface Charge {
  readonly orderId: string;
  readonly status: string;
  readonly totalAmount: number;
  readonly balanceAmount: number;
  readonly confirmKeys: readonly string[];
}
/** The calls that a payment's run has made as ordinary activities. */
const visibleCalls = async ({ store }: World, paymentId: string) => {
  const { events } = await (await temporalClient()).workflow.getHandle(`payment/${store.storeId}/${paymentId}`).fetchHistory();
  const names = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? '');
  return names.filter((name) => name !== '' && name !== 'transitionPayment');
};

describe('a payment', () => {
  test('that is approved makes one order', async () => {
    const shop = await world();
    const product = await shop.product({ stockQuantity: 5, fulfillment: { type: 'SHIPPING', shipping: { deliveryFee: 2500 } } });
    const { buyer, paymentId, payUrl, checkoutId } = await shop.payment(product);
    const end = await pay(payUrl);
    expect(end.searchParams.get('a')).toBe('1');
    expect([end.searchParams.get('svcPaymentId'), end.searchParams.get('svcResult')]).toEqual([paymentId, 'COMPLETED']);
    const { data } = (await buyer.status(paymentId)).body;
    expect(data).toMatchObject({ status: 'completed', result: 'COMPLETED', lastFailure: null, testPayment: true });
    expect(await stock(product.variantId)).toBe(4);
    expect(await charged(paymentId)).toMatchObject([{ status: 'DONE', totalAmount: 12_500 }]);
    expect(await visibleCalls(shop, paymentId)).not.toContain('confirmPayment');
    const order = (await shop.seller.call('GET', `/v1/orders/${data.orderId}`)).body.data;
    expect(order).toMatchObject({
      orderNo: data.orderNo,
      amounts: { productAmount: 10_000, deliveryFee: 2500, totalAmount: 12_500 },
      payment: { paymentId, pg: 'tosspayments', method: 'CARD', approvedMethod: 'CARD', totalAmount: 12_500 },
      shippingAddress: ADDRESS,
      buyer: { name: GUEST.name },
      items: [{ orderItemNo: `${data.orderNo}01`, status: 'PAID', quantity: 1 }],
    });
    expect((await buyer.start(checkoutId)).body.error?.code).toBe('ALREADY_PAID');
    const again = await call(underTest.api, 'POST', `/storefront/v1/payments/${paymentId}/attempts`, {
      body: { option: { pg: 'tosspayments', method: 'CARD' } },
    });
    expect(again.body.error?.code).toBe('ALREADY_PAID');
  });

  test.each([
    ['0001', 'LIMIT_OR_BALANCE', 'REJECT_CARD_PAYMENT'],
    ['0002', 'INVALID_INSTRUMENT', 'INVALID_STOPPED_CARD'],
  ])('that is declined (card %s) can be paid by a new attempt', async (ending, category, code) => {
    const shop = await world();
    const product = await shop.product({ stockQuantity: 5 });
    const { buyer, paymentId, payUrl } = await shop.payment(product);
    expect((await pay(payUrl, `411111111111${ending}`)).searchParams.get('svcResult')).toBe('FAILED');
    expect((await buyer.status(paymentId)).body.data).toMatchObject({
      status: 'pending',
      result: 'FAILED',
      lastFailure: { category, code },
    });
    expect(await stock(product.variantId)).toBe(5);
    const retry = await call(underTest.api, 'POST', `/payments/${paymentId}/attempts`, {
      body: { option: { pg: 'tosspayments', method: 'CARD' } },
    });
    expect(retry.status).toBe(200);
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'pending', result: 'PENDING' });
    expect((await pay(retry.body.data.payUrl as string)).searchParams.get('svcResult')).toBe('COMPLETED');
    expect(await stock(product.variantId)).toBe(4);
  });

  test('that the buyer cancels stays pending', async () => {
    const shop = await world();
    const { buyer, paymentId, payUrl } = await shop.payment();
    expect((await pay(payUrl, undefined, 'cancel')).searchParams.get('svcResult')).toBe('CANCELED');
    expect((await buyer.status(paymentId)).body.data).toMatchObject({
      status: 'pending',
      result: 'CANCELED',
      lastFailure: { category: 'BUYER_CANCELED' },
    });
  });

  test('that was charged without an answer is completed, and charged once', async () => {
    const shop = await world();
    const product = await shop.product({ stockQuantity: 5 });
    for (const ending of ['0020', '0031']) {
      const { buyer, paymentId, payUrl } = await shop.payment(product);
      await pay(payUrl, `411111111111${ending}`);
      expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'completed' });
      expect(await charged(paymentId)).toMatchObject([{ status: 'DONE' }]);
    }
    expect(await stock(product.variantId)).toBe(3);
  });

  test('that is approved by a provider which answers in a minute is read, and charged once', async () => {
    const shop = await world();
    const { buyer, paymentId, payUrl } = await shop.payment();
    const [attempt] = await query<{ pg_order_id: string }>('SELECT pg_order_id FROM payment_attempt WHERE payment_id = $1', [paymentId]);
    await call(underTest.simulator, 'POST', '/__sim/next', {
      body: { op: 'confirm', behavior: '0000+60000', orderId: attempt!.pg_order_id },
    });
    expect((await pay(payUrl)).searchParams.get('svcResult')).toBe('COMPLETED');
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'completed' });
    expect(await charged(paymentId)).toMatchObject([{ status: 'DONE', confirmKeys: [expect.any(String)] }]);
    expect(await visibleCalls(shop, paymentId)).toEqual(['readPayment']);
  });

  test('that a provider has not decided after a reading is asked for again under its key, with more time', async () => {
    const shop = await world();
    const { paymentId, payUrl } = await shop.payment();
    const paying = pay(payUrl, '4111111111110022');
    const keys = await until('asked again', async () => {
      const [charge] = await charged(paymentId);
      return charge !== undefined && charge.confirmKeys.length > 1 && charge.confirmKeys;
    });
    expect(new Set(keys).size).toBe(1);
    expect((await visibleCalls(shop, paymentId)).slice(0, 2)).toEqual(['readPayment', 'confirmPayment']);
    // Its ninety seconds are not over, but the buyer's authentication is.
    await shop.advance('PT11M');
    await paying;
    expect(await charged(paymentId)).toMatchObject([{ status: 'IN_PROGRESS' }]);
  });

  test('that was not charged at a 500 of the provider is pending again', async () => {
    const shop = await world();
    const product = await shop.product({ stockQuantity: 5 });
    const { buyer, paymentId, payUrl, checkoutId } = await shop.payment(product);
    const paying = pay(payUrl, '4111111111110030').catch(() => null);
    await until('processing', async () => (await buyer.status(paymentId)).body.data.status === 'processing');
    expect((await buyer.start(checkoutId)).body.error?.code).toBe('PAYMENT_IN_PROGRESS');
    expect(await stock(product.variantId)).toBe(4);
    expect(await shop.advance('PT5M')).toMatchObject({ settled: true });
    expect((await buyer.status(paymentId)).body.data).toMatchObject({
      status: 'pending',
      result: 'FAILED',
      lastFailure: { category: 'PROVIDER_UNAVAILABLE' },
    });
    expect(await stock(product.variantId)).toBe(5);
    await paying;
  });

  test('that is approved after it counted as not charged is voided', async () => {
    const shop = await world();
    const product = await shop.product({ stockQuantity: 5 });
    const { buyer, paymentId, payUrl } = await shop.payment(product);
    const paying = pay(payUrl, '4111111111110030').catch(() => null);
    await until('processing', async () => (await buyer.status(paymentId)).body.data.status === 'processing');
    await shop.advance('PT5M');
    await paying;
    const [attempt] = await query<{ payment_key: string; pg_order_id: string }>(
      'SELECT payment_key, pg_order_id FROM payment_attempt WHERE payment_id = $1',
      [paymentId],
    );
    // The provider's own second thoughts: the first attempt is approved behind our back.
    const body = { paymentKey: attempt!.payment_key, orderId: attempt!.pg_order_id, amount: 13_000 };
    await call(underTest.simulator, 'POST', '/__sim/next', { body: { op: 'confirm', behavior: '0000', orderId: attempt!.pg_order_id } });
    const approved = await call(underTest.simulator, 'POST', '/v1/payments/confirm', {
      body,
      headers: { authorization: `Basic ${btoa('test_sk_sangjeom:')}` },
    });
    expect(approved.status).toBe(200);
    const retry = await call(underTest.api, 'POST', `/payments/${paymentId}/attempts`, {
      body: { option: { pg: 'tosspayments', method: 'CARD' } },
    });
    await pay(retry.body.data.payUrl as string);
    expect((await buyer.status(paymentId)).body.data.status).toBe('completed');
    await shop.advance('PT15M');
    expect((await charged(paymentId)).map(({ status }) => status).toSorted()).toEqual(['CANCELED', 'DONE']);
    expect(await query('SELECT status FROM payment_attempt WHERE payment_id = $1 ORDER BY seq', [paymentId])).toEqual([
      { status: 'VOIDED' },
      { status: 'APPROVED' },
    ]);
    expect(await stock(product.variantId)).toBe(4);
  });

  test('expires after ten minutes of the store’s clock', async () => {
    const shop = await world();
    const { buyer, paymentId, payUrl, checkoutId } = await shop.payment();
    await shop.advance('PT10M');
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'expired', result: 'EXPIRED' });
    const over = await get(payUrl);
    expect([over.status, over.text.includes('결제 시간이 지났습니다'), over.text.includes('svcResult=EXPIRED')]).toEqual([200, true, true]);
    expect((await get(`${payUrl}&lang=en`)).text).toContain('The time to pay is over');
    const late = await call(underTest.api, 'POST', `/storefront/v1/payments/${paymentId}/attempts`, {
      body: { option: { pg: 'tosspayments', method: 'CARD' } },
    });
    expect(late.body.error?.code).toBe('PAYMENT_EXPIRED');
    const anew = await buyer.start(checkoutId);
    expect(anew.body.data.paymentId).not.toBe(paymentId);
    await shop.advance('PT21M');
    expect((await buyer.start(checkoutId)).body.error?.code).toBe('CHECKOUT_EXPIRED');
  });

  test('that expired before its run noticed gives way to another', async () => {
    const shop = await world();
    const { buyer, paymentId, checkoutId } = await shop.payment();
    await query(`UPDATE payment SET expires_at = now() - interval '1 second' WHERE payment_id = $1`, [paymentId]);
    const anew = await buyer.start(checkoutId);
    expect([anew.status, anew.body.data?.paymentId === paymentId]).toEqual([200, false]);
    await until(
      'closed',
      async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND done_at IS NOT NULL', [paymentId])).length === 1,
    );
  });

  test('that is canceled at the provider while in doubt is declined', async () => {
    const shop = await world();
    const product = await shop.product({ stockQuantity: 5 });
    const { buyer, paymentId, payUrl } = await shop.payment(product);
    const paying = pay(payUrl, '4111111111110031').catch(() => null);
    await until('charged', async () => (await charged(paymentId))[0]?.status === 'DONE');
    const [attempt] = await query<{ payment_key: string }>('SELECT payment_key FROM payment_attempt WHERE payment_id = $1', [paymentId]);
    await call(underTest.simulator, 'POST', `/v1/payments/${attempt!.payment_key}/cancel`, {
      body: { cancelReason: 'dashboard' },
      headers: { authorization: `Basic ${btoa('test_sk_sangjeom:')}` },
    });
    await shop.advance('PT5M');
    await paying;
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'pending', result: 'FAILED' });
    expect(await stock(product.variantId)).toBe(5);
  });

  test('happens at the store’s time where its clock is ahead', async () => {
    const shop = await world();
    await shop.advance('P30D');
    const { orderId } = await shop.order();
    const [attempt] = await query<{ started_at: Date; confirmed_at: Date }>(
      'SELECT a.started_at, a.confirmed_at FROM payment_attempt a JOIN orders USING (payment_id) WHERE order_id = $1',
      [orderId],
    );
    expect(Math.abs(attempt!.confirmed_at.getTime() - attempt!.started_at.getTime())).toBeLessThan(30_000);
  });

  test('of more than 2,000,000,000 won is refused at the checkout', async () => {
    const shop = await world();
    const dear = await shop.product({ salePrice: 1_500_000_000 });
    const buyer = await shop.buyer();
    expect((await buyer.checkout(dear.productId, 2)).body.error?.fieldErrors).toMatchObject([{ field: 'items', code: 'OUT_OF_RANGE' }]);
    expect((await buyer.checkout(dear.productId)).status).toBe(201);
  });

  test('takes no points', async () => {
    const shop = await world();
    const { productId } = await shop.product({ salePrice: 1_500_000_000 });
    const buyer = await shop.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    expect((await buyer.start(checkoutId, { pointAmount: 10 })).body.error?.code).toBe('POINTS_UNAVAILABLE');
    expect((await buyer.start(checkoutId, { pointAmount: 0 })).status).toBe(200);
  });

  test('is not paid in the window of an attempt that a new start superseded', async () => {
    const shop = await world();
    const { buyer, paymentId, payUrl, checkoutId } = await shop.payment();
    const second = await buyer.start(checkoutId);
    expect(second.body.data.paymentId).toBe(paymentId);
    expect((await get(payUrl)).location?.searchParams.get('svcResult')).toBe('PENDING');
    await pay(second.body.data.payUrl as string);
    expect(await charged(paymentId)).toHaveLength(1);
    expect((await buyer.status(paymentId)).body.data.status).toBe('completed');
  });

  test('without stock fails before the provider hears of it', async () => {
    const shop = await world();
    const product = await shop.product({ stockQuantity: 1 });
    const [first, second] = [await shop.payment(product), await shop.payment(product)];
    await pay(first.payUrl);
    expect((await pay(second.payUrl)).searchParams.get('svcResult')).toBe('FAILED');
    expect((await second.buyer.status(second.paymentId)).body.data).toMatchObject({
      status: 'failed',
      lastFailure: { code: 'OUT_OF_STOCK' },
    });
    expect(await charged(second.paymentId)).toMatchObject([{ status: 'IN_PROGRESS' }]);
    expect((await second.buyer.start(second.checkoutId)).body.error?.code).toBe('CHECKOUT_STALE');
  });
});

describe('payment start refuses', () => {
  test.each([
    ['a missing address', { shippingAddress: undefined }, 'SHIPPING_ADDRESS_REQUIRED'],
    ['a return address over http', { returnUrl: 'http://shop.example/' }, 'RETURN_URL_NOT_ALLOWED'],
    ['a return address that is none', { returnUrl: 'done' }, 'VALIDATION_FAILED'],
    ['a way to pay that is not offered', { option: { pg: 'tosspayments', method: 'VIRTUAL_ACCOUNT' } }, 'PAYMENT_NOT_CONFIGURED'],
    ['an expected amount that is wrong', { expectedTotalAmount: 1 }, 'AMOUNT_CHANGED'],
  ])('%s', async (_, changes, code) => {
    const shop = await world();
    const { productId } = await shop.product();
    const buyer = await shop.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    expect((await buyer.start(checkoutId, changes)).body.error?.code).toBe(code);
    expect(await query('SELECT 1 FROM payment WHERE checkout_id = $1', [checkoutId])).toEqual([]);
  });

  test('what belongs to another buyer or store', async () => {
    const [shop, rival] = [await world(), await world()];
    const { checkoutId, paymentId } = await shop.payment();
    expect((await (await shop.buyer()).start(checkoutId)).body.error?.code).toBe('CHECKOUT_NOT_FOUND');
    expect((await (await rival.buyer()).start(checkoutId)).body.error?.code).toBe('CHECKOUT_NOT_FOUND');
    const headers = { 'x-store-code': rival.store.storeCode };
    expect((await call(underTest.api, 'GET', `/storefront/v1/payments/${paymentId}`, { headers })).body.error?.code).toBe(
      'PAYMENT_NOT_FOUND',
    );
  });
});

describe('the pay screen', () => {
  test('allows no frame, no script and no store', async () => {
    const screen = await get((await (await world()).payment()).payUrl);
    expect(screen.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(screen.headers.get('cache-control')).toBe('no-store');
  });
  test('reveals nothing of unknown payments and attempts', async () => {
    const { paymentId } = await (await world()).payment();
    for (const url of [
      `${underTest.api}/pay/${paymentId}?attemptId=att_x`,
      `${underTest.api}/pay/pay_${'x'.repeat(32)}?attemptId=a`,
      `${underTest.api}/pay/zz`,
    ]) {
      const { status, text } = await get(url);
      expect([status, text.includes('결제 화면을 열 수 없습니다')]).toEqual([404, true]);
    }
  });
  test('a return with another amount or order is not asked of the provider', async () => {
    const shop = await world();
    const { payUrl, paymentId, attemptId, buyer } = await shop.payment();
    const forged = payUrl.replace('?', '/return?') + '&paymentKey=k&orderId=x&amount=1';
    expect((await get(forged)).status).toBe(409);
    expect(attemptId).toBeTruthy();
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'pending', result: 'PENDING' });
  });
  test('a popup’s message is for the shop’s origin alone', async () => {
    const shop = await world();
    const { payUrl, paymentId } = await shop.payment();
    const { text } = await get(payUrl.replace('?', '/fail?') + '&mode=popup&code=PAY_PROCESS_CANCELED');
    const signal = JSON.parse(/<script type="application\/json" id="signal">(.*?)<\/script>/s.exec(text)![1]!) as object;
    expect(signal).toEqual({ message: { type: 'svc:payment', paymentId, result: 'CANCELED' }, targetOrigin: 'http://localhost:9' });
  });
});
