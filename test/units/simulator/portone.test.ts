/** PortOne V2 as https://developers.portone.io/api/rest-v2/payment and its SDK's types describe it. */
import { describe, expect, test } from '@jest/globals';
import { CARD, newId, portone, simulator } from './started.ts';

const sim = simulator();
const KEY = portone('acme');
async function authenticated(ending = '0000', fields: Record<string, string> = {}) {
  const id = newId();
  const target = await sim.portone(id, { card: CARD(ending), noticeUrls: '', ...fields });
  const [txId, paymentToken] = [target.searchParams.get('txId')!, target.searchParams.get('paymentToken')!];
  return { id, body: { storeId: 'store-acme', paymentToken, txId, totalAmount: 1000, currency: 'KRW', isTest: true } };
}
const post = (path: string, body: object, key?: string, headers = KEY) =>
  sim.call('POST', `/payments/${path}`, { ...headers, ...(key !== undefined && { 'idempotency-key': key }) }, body);
const read = (id: string, headers = KEY, storeId = 'store-acme') => sim.call('GET', `/payments/${id}?storeId=${storeId}`, headers);
const paid = async (ending = '0000') => {
  const { id, body } = await authenticated(ending);
  expect((await post(`${id}/confirm`, body)).status).toBe(200);
  return id;
};

describe('the window', () => {
  test('leads back with what a confirm needs', async () => {
    const id = newId();
    const target = await sim.portone(id, { noticeUrls: '' });
    const { txId, paymentToken, ...rest } = Object.fromEntries(target.searchParams);
    expect(rest).toEqual({ transactionType: 'PAYMENT', paymentId: id });
    expect([txId, paymentToken]).toEqual([expect.any(String), expect.any(String)]);
    expect(await sim.ledger(id)).toEqual([
      {
        pg: 'portone',
        merchant: 'acme',
        environment: 'TEST',
        paymentKey: txId,
        orderId: id,
        method: 'CARD',
        status: 'READY',
        totalAmount: 1000,
        balanceAmount: 1000,
        cancels: [],
        confirmKeys: [],
      },
    ]);
  });
  test.each([
    [{ outcome: 'cancel' }, { code: 'FAILURE_TYPE_PG', pgCode: 'PAY_PROCESS_CANCELED' }],
    [{ card: CARD('0010') }, { code: 'FAILURE_TYPE_PG', pgCode: 'PAY_PROCESS_CANCELED' }],
    [{ card: CARD('0060') }, { code: 'ChannelNotFound' }],
    [{ channelKey: 'x' }, { code: 'ChannelNotFound' }],
    [{ storeId: 'x' }, { code: 'StoreNotFound' }],
  ])('leads back with codes at %j', async (fields, codes) => {
    const id = newId();
    const query = Object.fromEntries((await sim.portone(id, { noticeUrls: '', ...(fields as object) })).searchParams);
    expect(query).toMatchObject({ ...codes, paymentId: id, message: expect.any(String) });
    expect(Object.hasOwn(query, 'paymentToken')).toBe(false);
  });
  test('approves by itself with card 0070, and gives no token', async () => {
    const id = newId();
    const target = await sim.portone(id, { noticeUrls: '', card: CARD('0070') });
    expect([...target.searchParams.keys()]).toEqual(['transactionType', 'paymentId', 'txId']);
    expect((await read(id)).body).toMatchObject({ status: 'PAID' });
    expect((await sim.portone(id)).searchParams.get('code')).toBe('AlreadyPaid');
  });
  test('is a plain form, and opens the payment once', async () => {
    const id = newId();
    const fields = sim.portoneFields(id, { noticeUrls: '' });
    const { text } = await sim.page('/window/portone', fields);
    expect(text).toContain('<form id="window" method="get" action="/window/portone/submit">');
    for (const name of Object.keys(fields)) expect(text).toContain(`<input type="hidden" name="${name}" value="`);
    const opened = await sim.ledger(id);
    const target = await sim.portone(id, { noticeUrls: '' });
    expect(opened).toMatchObject([{ paymentKey: target.searchParams.get('txId') }]);
    expect((await sim.page('/window/portone', { ...fields, redirectUrl: 'x' })).status).toBe(400);
  });
});

describe('a confirm', () => {
  test('approves, and the read shows the payment', async () => {
    const { id, body } = await authenticated('0000', { payMethod: 'EASY_PAY', easyPayProvider: 'KAKAOPAY', currency: 'CURRENCY_KRW' });
    expect((await read(id)).body).toMatchObject({ status: 'READY', amount: { total: 1000, paid: 0, cancelled: 0 } });
    expect(await post(`${id}/confirm`, body)).toEqual({ status: 200, body: { pgTxId: expect.any(String), paidAt: expect.any(String) } });
    const shown = await read(id);
    expect(shown).toMatchObject({
      status: 200,
      body: {
        status: 'PAID',
        id,
        transactionId: body.txId,
        storeId: 'store-acme',
        channel: { type: 'TEST', key: 'channel-key-1' },
        method: { type: 'PaymentMethodEasyPay', provider: 'KAKAOPAY' },
        amount: { total: 1000, cancelled: 0, paid: 1000 },
        currency: 'KRW',
        orderName: '나이키 와플 트레이너 2 SD',
        paidAt: expect.any(String),
      },
    });
    expect(Object.keys(shown.body as object)).not.toContain('cancellations');
    expect(await post(`${id}/confirm`, body)).toMatchObject({ status: 409, body: { type: 'ALREADY_PAID' } });
  });
  test.each(['0001 REJECT_CARD_PAYMENT', '0002 INVALID_STOPPED_CARD', '0003 FDS_ERROR'])(
    'of card %s is declined by the PG',
    async (card) => {
      const [ending, pgCode] = card.split(' ') as [string, string];
      const { id, body } = await authenticated(ending);
      const declined = { status: 502, body: { type: 'PG_PROVIDER', message: expect.any(String), pgCode, pgMessage: expect.any(String) } };
      expect(await post(`${id}/confirm`, body)).toEqual(declined);
      expect(await post(`${id}/confirm`, body)).toEqual(declined);
      expect((await read(id)).body).toMatchObject({
        status: 'FAILED',
        failure: { reason: expect.any(String), pgCode, pgMessage: expect.any(String) },
      });
    },
  );
  test.each([
    ['0030', 500, 'INTERNAL_SERVER_ERROR', 'READY'],
    ['0031', 500, 'INTERNAL_SERVER_ERROR', 'PAID'],
    ['0050', 401, 'UNAUTHORIZED', 'READY'],
  ])('of card %s answers %i', async (ending, status, type, then) => {
    const { id, body } = await authenticated(ending);
    expect(await post(`${id}/confirm`, body)).toMatchObject({ status, body: { type } });
    expect((await read(id)).body.status).toBe(then);
  });
  test('that does not fit is refused', async () => {
    const { id, body } = await authenticated();
    const answer = async (changes: object) => {
      const { status, body: refusal } = await post(`${id}/confirm`, { ...body, ...changes });
      return `${status} ${String(refusal.type)}`;
    };
    expect(await answer({ paymentToken: 'x' })).toBe('400 INVALID_PAYMENT_TOKEN');
    expect(await answer({ paymentToken: undefined })).toBe('400 INVALID_REQUEST');
    for (const changes of [{ totalAmount: 999 }, { txId: 'x' }, { currency: 'USD' }, { isTest: false }])
      expect(await answer(changes)).toBe('409 INFORMATION_MISMATCH');
    expect(await answer({ storeId: 'store-other' })).toBe('404 PAYMENT_NOT_FOUND');
    expect((await post(`${id}/confirm`, { paymentToken: body.paymentToken })).status).toBe(200);
  });
});

describe('an idempotency key', () => {
  const key = '"confirm-0123456789"';
  test('repeats the answer, and is 409 while the request runs', async () => {
    const { id, body } = await authenticated();
    await sim.next({ op: 'confirm', behavior: '0020+300', orderId: id });
    const lost = expect(post(`${id}/confirm`, body, key)).rejects.toThrow('fetch failed');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await post(`${id}/confirm`, body, key)).toMatchObject({ status: 409, body: { type: 'IDEMPOTENCY_OUTSTANDING_REQUEST' } });
    await lost;
    expect(await post(`${id}/confirm`, body, key)).toMatchObject({ status: 200, body: { paidAt: expect.any(String) } });
  });
  test.each(['confirm-0123456789', '"short-0123456"', `"${'x'.repeat(257)}"`, '"with blanks 0123456789"'])(
    '%s is refused',
    async (wrong) => {
      const { id, body } = await authenticated();
      expect(await post(`${id}/confirm`, body, wrong)).toMatchObject({ status: 400, body: { type: 'INVALID_REQUEST' } });
    },
  );
});

describe('a cancel', () => {
  test('of a part with the cancellable amount, and of the rest without', async () => {
    const id = await paid();
    const wanted = { storeId: 'store-acme', amount: 300, reason: '환불 [r1]', currentCancellableAmount: 1000, requester: 'ADMIN' };
    const part = await post(`${id}/cancel`, wanted, '"refund-0123456789"');
    expect(part).toEqual({
      status: 200,
      body: {
        cancellation: {
          status: 'SUCCEEDED',
          id: expect.any(String),
          pgCancellationId: expect.any(String),
          totalAmount: 300,
          taxFreeAmount: 0,
          vatAmount: 0,
          reason: '환불 [r1]',
          cancelledAt: expect.any(String),
          requestedAt: expect.any(String),
        },
      },
    });
    expect(await post(`${id}/cancel`, wanted, '"refund-0123456789"')).toEqual(part);
    expect(await post(`${id}/cancel`, wanted)).toMatchObject({ status: 409, body: { type: 'CANCELLABLE_AMOUNT_CONSISTENCY_BROKEN' } });
    expect(await post(`${id}/cancel`, { amount: 701, reason: 'x' })).toMatchObject({
      status: 409,
      body: { type: 'CANCEL_AMOUNT_EXCEEDS_CANCELLABLE_AMOUNT' },
    });
    expect(await post(`${id}/cancel`, { amount: 1 })).toMatchObject({ status: 400, body: { type: 'INVALID_REQUEST' } });
    expect((await read(id)).body).toMatchObject({
      status: 'PARTIAL_CANCELLED',
      amount: { total: 1000, cancelled: 300 },
      cancellations: [{ status: 'SUCCEEDED', totalAmount: 300, reason: '환불 [r1]' }],
    });
    expect(await post(`${id}/cancel`, { reason: '[void-1]' })).toMatchObject({ body: { cancellation: { totalAmount: 700 } } });
    expect((await read(id)).body).toMatchObject({ status: 'CANCELLED', amount: { cancelled: 1000 } });
    expect(await post(`${id}/cancel`, { reason: 'x' })).toMatchObject({ status: 409, body: { type: 'PAYMENT_ALREADY_CANCELLED' } });
  });
  test('of what is not paid or not there', async () => {
    const { id } = await authenticated();
    expect(await post(`${id}/cancel`, { reason: 'x' })).toMatchObject({ status: 409, body: { type: 'PAYMENT_NOT_PAID' } });
    expect(await post(`${newId()}/cancel`, { reason: 'x' })).toMatchObject({ status: 404, body: { type: 'PAYMENT_NOT_FOUND' } });
  });
  test('of card 0040 fails twice', async () => {
    const id = await paid('0040');
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await post(`${id}/cancel`, { reason: 'x' }));
    expect(answers).toMatchObject([
      { status: 502, body: { type: 'PG_PROVIDER', pgCode: 'FAILED_METHOD_HANDLING_CANCEL' } },
      { status: 502 },
      { status: 200 },
    ]);
  });
  test('of card 0041 is REQUESTED, and done two seconds later', async () => {
    const id = await paid('0041');
    expect((await post(`${id}/cancel`, { reason: 'x', amount: 400 })).body.cancellation).toMatchObject({
      status: 'REQUESTED',
      totalAmount: 400,
    });
    expect((await read(id)).body).toMatchObject({ status: 'PAID', amount: { cancelled: 0 }, cancellations: [{ status: 'REQUESTED' }] });
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect((await read(id)).body).toMatchObject({
      status: 'PARTIAL_CANCELLED',
      amount: { cancelled: 400 },
      cancellations: [{ status: 'SUCCEEDED' }],
    });
  });
  test('that is ordered to be refused has a failed cancellation', async () => {
    const id = await paid();
    await sim.next({ pg: 'portone', op: 'cancel', behavior: 'refuse', orderId: id });
    expect((await post(`${id}/cancel`, { reason: 'x', amount: 1 })).body.cancellation).toMatchObject({ status: 'FAILED' });
    expect((await read(id)).body).toMatchObject({ status: 'PAID', amount: { cancelled: 0 }, cancellations: [{ status: 'FAILED' }] });
    expect(await sim.ledger(id)).toMatchObject([{ balanceAmount: 1000, cancels: [] }]);
  });
  test.each(['fail', 'drop', 'foreign'])('that is ordered to %s', async (behavior) => {
    const id = await paid();
    await sim.next({ op: 'cancel', behavior, orderId: id });
    const made = await post(`${id}/cancel`, { reason: 'x', amount: 10 }).catch(() => 'lost');
    const expected = { fail: { status: 502 }, drop: 'lost', foreign: { body: { cancellation: { totalAmount: 11 } } } }[behavior];
    expect([made]).toMatchObject([expected]);
    expect(await sim.ledger(id)).toMatchObject([{ balanceAmount: behavior === 'drop' ? 990 : 1000 }]);
  });
});

test('a read can be ordered to fail, or to be about another payment', async () => {
  const id = await paid();
  await sim.next({ op: 'read', behavior: 'fail', orderId: id });
  await sim.next({ op: 'read', behavior: 'foreign', orderId: id });
  expect([(await read(id)).status, (await read(id)).body.id, (await read(id)).body.id]).toEqual([500, `${id}x`, id]);
});

describe('a key', () => {
  test.each([{}, { authorization: 'PortOne x' }, { authorization: 'Bearer portone-acme-secret' }])('%j is 401', async (headers) => {
    expect(await read('x', headers as Record<string, string>)).toMatchObject({ status: 401, body: { type: 'UNAUTHORIZED' } });
  });
  test('reads its merchant’s payments; the channel says the environment', async () => {
    const { id } = await authenticated('0000', { channelKey: 'channel-key-live-1' });
    expect((await read(id)).body).toMatchObject({ channel: { type: 'LIVE' } });
    const answers = [await read(id, portone('acmev2')), await read(id, portone('other')), await read(id, portone('other'), 'store-other')];
    expect(answers).toMatchObject([{ status: 200 }, { status: 404, body: { type: 'PAYMENT_NOT_FOUND' } }, { status: 404 }]);
  });
});
