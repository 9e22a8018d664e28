/** TossPayments as https://docs.tosspayments.com/reference describes it. */
import { describe, expect, test } from '@jest/globals';
import { basic, CARD, newId, simulator } from './started.ts';

const sim = simulator();
const KEY = basic('test_sk_sangjeom');
async function authenticated(ending = '0000', fields: Record<string, string> = {}) {
  const orderId = newId();
  const target = await sim.toss(orderId, { card: CARD(ending), ...fields });
  return { orderId, amount: 15_000, paymentKey: target.searchParams.get('paymentKey')! };
}
const confirm = (order: object, key?: string, headers = KEY) =>
  sim.call('POST', '/v1/payments/confirm', { ...headers, ...(key !== undefined && { 'idempotency-key': key }) }, order);
const cancel = (paymentKey: string, body: object, key?: string) =>
  sim.call('POST', `/v1/payments/${paymentKey}/cancel`, { ...KEY, ...(key !== undefined && { 'idempotency-key': key }) }, body);
const paid = async (ending = '0000') => {
  const order = await authenticated(ending);
  expect((await confirm(order)).status).toBe(200);
  return order;
};

describe('the window', () => {
  test('leads to the success address with the documented query', async () => {
    const orderId = newId();
    const target = await sim.toss(orderId);
    expect([target.origin + target.pathname, Object.fromEntries(target.searchParams)]).toEqual([
      'https://shop.example/success',
      { a: '1', paymentType: 'NORMAL', orderId, paymentKey: expect.stringMatching(/^tgen_/), amount: '15000' },
    ]);
  });
  test.each([
    [{ outcome: 'cancel' }, 'PAY_PROCESS_CANCELED'],
    [{ card: CARD('0010') }, 'PAY_PROCESS_CANCELED'],
    [{ card: CARD('0060') }, 'NOT_SUPPORTED_METHOD'],
    [{ clientKey: 'test_gck_sangjeom' }, 'INVALID_CLIENT_KEY'],
  ])('leads to the fail address at %j', async (fields, code) => {
    const orderId = newId();
    const target = await sim.toss(orderId, fields);
    expect([target.pathname, Object.fromEntries(target.searchParams)]).toEqual(['/fail', { code, message: expect.any(String), orderId }]);
    expect(await sim.ledger(orderId)).toEqual([]);
  });
  test('is a plain form with the arguments, a card and two buttons', async () => {
    const fields = sim.tossFields(newId(), { orderName: '"<b>&' });
    const { text } = await sim.page('/window/toss', fields);
    expect(text).toContain('<form id="window" method="get" action="/window/toss/submit">');
    for (const name of Object.keys(fields)) expect(text).toContain(`<input type="hidden" name="${name}" value="`);
    expect(text).toContain('value="&#34;&#60;b&#62;&#38;"');
    expect([...text.matchAll(/name="(card|outcome)" value="(\w+)"/g)].map(([, , value]) => value)).toEqual([
      '4111111111110000',
      'pay',
      'cancel',
    ]);
  });
});

describe('a confirm', () => {
  test('answers the payment, which both reads show', async () => {
    const order = await authenticated();
    const { status, body } = await confirm(order);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        mId: 'sangjeom',
        paymentKey: order.paymentKey,
        orderId: order.orderId,
        orderName: '토스 티셔츠 외 2건',
        status: 'DONE',
        method: '카드',
        totalAmount: 15_000,
        balanceAmount: 15_000,
        currency: 'KRW',
        approvedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/),
        card: { number: '411111******0000', amount: 15_000 },
        easyPay: null,
        cancels: null,
        failure: null,
      }),
    ]);
    expect((await sim.call('GET', `/v1/payments/${order.paymentKey}`, KEY)).body).toEqual(body);
    expect((await sim.call('GET', `/v1/payments/orders/${order.orderId}`, KEY)).body).toEqual(body);
    expect((await confirm(order)).body).toMatchObject({ code: 'ALREADY_PROCESSED_PAYMENT' });
  });
  test.each([
    ['0001', 403, 'REJECT_CARD_PAYMENT', 'ABORTED'],
    ['0002', 403, 'INVALID_STOPPED_CARD', 'ABORTED'],
    ['0003', 403, 'FDS_ERROR', 'ABORTED'],
    ['0030', 500, 'FAILED_INTERNAL_SYSTEM_PROCESSING', 'IN_PROGRESS'],
    ['0031', 500, 'FAILED_INTERNAL_SYSTEM_PROCESSING', 'DONE'],
    ['0050', 401, 'UNAUTHORIZED_KEY', 'IN_PROGRESS'],
  ])('of card %s answers %i %s', async (ending, status, code, then) => {
    const order = await authenticated(ending);
    expect(await confirm(order)).toEqual({ status, body: { code, message: expect.any(String) } });
    expect(await sim.ledger(order.orderId)).toMatchObject([{ status: then }]);
  });
  test('of card 0020 approves and loses the answer, which its key repeats', async () => {
    const order = await authenticated('0020');
    await expect(confirm(order, 'k')).rejects.toThrow('fetch failed');
    expect(await confirm(order, 'k')).toMatchObject({ status: 200, body: { status: 'DONE' } });
  });
  test('of an easy payment names the wallet', async () => {
    const order = await authenticated('0000', { easyPay: 'KAKAOPAY', flowMode: 'DIRECT' });
    const { body } = await confirm(order);
    expect(body).toMatchObject({ method: '간편결제', easyPay: { provider: '카카오페이', amount: 15_000, discountAmount: 0 }, card: null });
    expect(await sim.ledger(order.orderId)).toMatchObject([{ method: 'EASY_PAY' }]);
  });
  test('of another amount or an unknown payment is refused', async () => {
    const order = await authenticated();
    expect(await confirm({ ...order, amount: 14_999 })).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(await confirm({ ...order, paymentKey: 'x' })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND_PAYMENT_SESSION' } });
    const duplicate = { ...order, paymentKey: (await sim.toss(order.orderId)).searchParams.get('paymentKey')! };
    expect((await confirm(order)).status).toBe(200);
    expect(await confirm(duplicate)).toMatchObject({ status: 400, body: { code: 'DUPLICATED_ORDER_ID' } });
  });
  test('is repeated under its key, and 409 while it is in progress', async () => {
    const order = await authenticated();
    await sim.next({ op: 'confirm', behavior: '0000+300', orderId: order.orderId });
    const first = confirm(order, 'confirm-1');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await confirm(order, 'confirm-1')).toMatchObject({ status: 409, body: { code: 'IDEMPOTENT_REQUEST_PROCESSING' } });
    expect(await first).toMatchObject({ status: 200, body: { status: 'DONE' } });
    expect(await confirm(order, 'confirm-1')).toEqual(await first);
    expect(await confirm(order, 'x'.repeat(301))).toMatchObject({ status: 400, body: { code: 'INVALID_IDEMPOTENCY_KEY' } });
    expect(await sim.ledger(order.orderId)).toMatchObject([{ confirmKeys: expect.arrayContaining(['confirm-1']) }]);
  });
  test('of a test code answers it', async () => {
    const answer = await confirm(await authenticated(), 'k', { ...KEY, 'tosspayments-test-code': 'REJECT_CARD_COMPANY' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'REJECT_CARD_COMPANY' } });
  });
});

describe('a cancel', () => {
  test('of a part and of the rest', async () => {
    const { orderId, paymentKey } = await paid();
    const part = await cancel(paymentKey, { cancelReason: '고객 변심', cancelAmount: 5000 }, 'c1');
    expect(part).toMatchObject({
      status: 200,
      body: {
        status: 'PARTIAL_CANCELED',
        balanceAmount: 10_000,
        cancels: [{ cancelAmount: 5000, cancelReason: '고객 변심', cancelStatus: 'DONE', transactionKey: expect.any(String) }],
      },
    });
    expect(await cancel(paymentKey, { cancelReason: '고객 변심', cancelAmount: 5000 }, 'c1')).toEqual(part);
    expect(await cancel(paymentKey, { cancelReason: 'x', cancelAmount: 10_001 })).toMatchObject({ status: 400 });
    expect(await cancel(paymentKey, { cancelReason: 'x', cancelAmount: '1' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
    expect(await cancel(paymentKey, {})).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(await cancel(paymentKey, { cancelReason: 'x' })).toMatchObject({ body: { status: 'CANCELED', balanceAmount: 0 } });
    expect(await cancel(paymentKey, { cancelReason: 'x' })).toMatchObject({ status: 400, body: { code: 'ALREADY_CANCELED_PAYMENT' } });
    expect(await sim.ledger(orderId)).toMatchObject([
      {
        status: 'CANCELED',
        balanceAmount: 0,
        cancels: [{ amount: 5000, reason: '고객 변심', at: expect.any(String) }, { amount: 10_000 }],
      },
    ]);
  });
  test('of card 0040 fails twice', async () => {
    const { paymentKey } = await paid('0040');
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push((await cancel(paymentKey, { cancelReason: 'x' })).status);
    expect(answers).toEqual([500, 500, 200]);
  });
  test('of card 0041 is done two seconds later', async () => {
    const { orderId, paymentKey } = await paid('0041');
    const { status, body } = await cancel(paymentKey, { cancelReason: 'x', cancelAmount: 1000 });
    expect([status, body]).toMatchObject([200, { status: 'DONE', balanceAmount: 15_000, cancels: [{ cancelStatus: 'IN_PROGRESS' }] }]);
    expect(await cancel(paymentKey, { cancelReason: 'x' })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_CONSECUTIVE_REQUEST' } });
    expect(await sim.ledger(orderId)).toMatchObject([{ status: 'DONE', cancels: [] }]);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect((await sim.call('GET', `/v1/payments/${paymentKey}`, KEY)).body).toMatchObject({
      status: 'PARTIAL_CANCELED',
      balanceAmount: 14_000,
      cancels: [{ cancelStatus: 'DONE' }],
    });
  });
  test.each([
    ['refuse', 403, 'NOT_CANCELABLE_PAYMENT'],
    ['fail', 500, 'FAILED_METHOD_HANDLING_CANCEL'],
  ])('that is ordered to %s', async (behavior, status, code) => {
    const { orderId, paymentKey } = await paid();
    await sim.next({ op: 'cancel', behavior, orderId, pg: 'portone' });
    await sim.next({ op: 'cancel', behavior, orderId, pg: 'tosspayments' });
    expect(await cancel(paymentKey, { cancelReason: 'x' })).toMatchObject({ status, body: { code } });
    expect(await cancel(paymentKey, { cancelReason: 'x' })).toMatchObject({ status: 200 });
  });
});

describe('a key', () => {
  test.each([
    ['of no form', { authorization: 'Basic eA==' }],
    ['of a widget', basic('test_gsk_sangjeom')],
    ['too short', basic('test_sk_x')],
    ['for another scheme', { authorization: 'Bearer test_sk_sangjeom' }],
    ['that is absent', {}],
  ])('%s is 401', async (_, headers) => {
    expect(await sim.call('GET', '/v1/payments/orders/x', headers as Record<string, string>)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED_KEY' },
    });
  });
  test('reads its merchant’s payments in its environment; a reissued one too', async () => {
    const { orderId } = await paid();
    const status = async (secret: string) => (await sim.call('GET', `/v1/payments/orders/${orderId}`, basic(secret))).status;
    expect(await Promise.all(['test_sk_sangjeom', 'test_sk_sangjeomv2', 'live_sk_sangjeom', 'test_sk_somebody'].map(status))).toEqual([
      200, 200, 404, 404,
    ]);
    const live = newId();
    await sim.toss(live, { clientKey: 'live_ck_somebody' });
    expect(await sim.ledger(live)).toMatchObject([
      { pg: 'tosspayments', merchant: 'somebody', environment: 'LIVE', status: 'IN_PROGRESS' },
    ]);
  });
});
