/** States of keys, the log of calls, PortOne's notifications, the SDKs. */
import { createHash, createHmac } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { basic, CARD, newId, portone, type Received, simulator, until } from './started.ts';

const sim = simulator();

describe('a merchant’s key', () => {
  const read = { tosspayments: '/v1/payments/orders/x', portone: '/payments/x' };
  const keyOf = { tosspayments: (name: string) => basic(`test_sk_${name}`), portone };
  test.each(['tosspayments', 'portone'] as const)('of %s can be revoked, out of order or slow', async (pg) => {
    const status = async (name: string) => (await sim.call('GET', read[pg], keyOf[pg](name))).status;
    await sim.state(pg, 'somebody', 'REVOKED');
    expect([await status('somebody'), await status('somebodyv2'), await status('sangjeom')]).toEqual([401, 404, 404]);
    await sim.state(pg, 'somebody', 'DOWN');
    await expect(status('somebody')).rejects.toThrow('fetch failed');
    await sim.state(pg, 'somebody', 'SLOW');
    const began = Date.now();
    expect(await status('somebody')).toBe(404);
    expect(Date.now() - began).toBeGreaterThan(2900);
    await sim.state(pg, 'somebody', 'OK');
    expect(await status('somebody')).toBe(404);
  });
  test('has no other states', async () => {
    expect((await sim.state('portone', 'x', 'BROKEN')).status).toBe(400);
    expect((await sim.state('paypal', 'x', 'OK')).status).toBe(400);
    expect((await sim.next({ op: 'approve', behavior: 'x' })).status).toBe(400);
  });
});

test('the log shows the calls of an order, and no secret', async () => {
  const [tossId, id] = [newId(), newId()];
  const paymentKey = (await sim.toss(tossId)).searchParams.get('paymentKey')!;
  const confirm = { paymentKey, orderId: tossId, amount: 15_000 };
  await sim.call('POST', '/v1/payments/confirm', { ...basic('test_sk_sangjeom'), 'idempotency-key': 'confirm-a' }, confirm);
  await sim.call('GET', `/v1/payments/${paymentKey}`, basic('test_sk_sangjeom'));
  expect(await sim.calls(tossId)).toEqual([
    {
      pg: 'tosspayments',
      merchant: 'sangjeom',
      environment: 'TEST',
      method: 'POST',
      path: '/v1/payments/confirm',
      scheme: 'Basic',
      contentType: 'application/json',
      idempotencyKey: 'confirm-a',
      body: confirm,
      status: 200,
      at: expect.any(String),
    },
    expect.objectContaining({ method: 'GET', path: `/v1/payments/${paymentKey}`, contentType: null, idempotencyKey: null, body: null }),
  ]);
  const target = await sim.portone(id, { channelKey: 'channel-key-live-1', noticeUrls: '', card: CARD('0020') });
  const token = { paymentToken: target.searchParams.get('paymentToken')! };
  const key = { ...portone('acme'), 'idempotency-key': '"confirm-0123456789"' };
  await sim.call('POST', `/payments/${id}/confirm`, key, token).catch(() => null);
  await sim.call('GET', `/payments/${id}?storeId=store-acme`, { authorization: 'PortOne canary' });
  expect(await sim.calls(id)).toMatchObject([
    {
      pg: 'portone',
      merchant: 'acme',
      environment: 'LIVE',
      scheme: 'PortOne',
      idempotencyKey: '"confirm-0123456789"',
      body: token,
      status: null,
    },
    { merchant: null, path: `/payments/${id}?storeId=store-acme`, scheme: 'PortOne', status: 401 },
  ]);
  const shown = JSON.stringify([await sim.calls(tossId), await sim.calls(id)]);
  for (const secret of ['test_sk', 'portone-acme-secret', 'canary', Buffer.from('test_sk_sangjeom:').toString('base64')])
    expect(shown).not.toContain(secret);
});

describe('PortOne’s notifications', () => {
  const of = (id: string): Received[] => sim.received.filter(({ body }) => body.includes(`"paymentId":"${id}"`));
  const typesOf = (id: string) => of(id).map(({ body }) => (JSON.parse(body) as { type: string }).type);
  const isGenuine = ({ headers, body }: Received, merchant = 'acme') => {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const secret = createHash('sha256').update(merchant).digest();
    return headers['webhook-signature'] === `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`;
  };
  const paid = async (id: string) => {
    const target = await sim.portone(id);
    await sim.call('POST', `/payments/${id}/confirm`, portone('acme'), { paymentToken: target.searchParams.get('paymentToken') });
  };

  test('tell every change of a payment at once, signed', async () => {
    const id = newId();
    await sim.page('/window/portone', sim.portoneFields(id));
    await until(() => of(id).length === 1);
    await paid(id);
    await until(() => of(id).length === 2);
    for (const [amount, count] of [
      [400, 3],
      [600, 4],
    ] as const) {
      await sim.call('POST', `/payments/${id}/cancel`, portone('acme'), { reason: 'x', amount });
      await until(() => of(id).length === count);
    }
    expect(typesOf(id)).toEqual(['Transaction.Ready', 'Transaction.Paid', 'Transaction.PartialCancelled', 'Transaction.Cancelled']);
    expect(of(id).map((one) => isGenuine(one))).toEqual([true, true, true, true]);
    const [, one, part] = of(id);
    expect(JSON.parse(one!.body)).toEqual({
      type: 'Transaction.Paid',
      timestamp: expect.any(String),
      data: { paymentId: id, storeId: 'store-acme', transactionId: expect.any(String) },
    });
    expect(JSON.parse(part!.body)).toMatchObject({ data: { cancellationId: expect.any(String) } });
    expect(one!.headers['content-type']).toBe('application/json');
    expect(Math.abs(Number(one!.headers['webhook-timestamp']) * 1000 - Date.now())).toBeLessThan(60_000);
    expect(new Set(of(id).map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  });
  test('tell a failure, and an asynchronous cancel when it is done', async () => {
    const [failed, canceled] = [newId(), newId()];
    await sim.portone(failed, { outcome: 'cancel' });
    await until(() => typesOf(failed).includes('Transaction.Failed'));
    await sim.portone(canceled, { card: CARD('0070') });
    const asynchronous = newId();
    const target = await sim.portone(asynchronous, { card: CARD('0041') });
    const token = { paymentToken: target.searchParams.get('paymentToken') };
    await sim.call('POST', `/payments/${asynchronous}/confirm`, portone('acme'), token);
    await until(() => typesOf(canceled).includes('Transaction.Paid'));
    await sim.call('POST', `/payments/${asynchronous}/cancel`, portone('acme'), { reason: 'x' });
    expect(typesOf(asynchronous)).not.toContain('Transaction.Cancelled');
    await until(() => typesOf(asynchronous).includes('Transaction.Cancelled'));
  });
  test('can be lost, repeated, late or forged', async () => {
    const order = (orderId: string, ...behaviours: string[]) =>
      Promise.all(behaviours.map((behavior) => sim.next({ pg: 'portone', op: 'notify', behavior, orderId })));
    const [lost, twice, late, forged] = [newId(), newId(), newId(), newId()];
    for (const [id, behaviour] of Object.entries({ [lost]: 'drop', [twice]: 'twice', [late]: 'late', [forged]: 'forged' })) {
      await order(id, behaviour);
      await sim.portone(id, { outcome: 'cancel' });
    }
    await until(() => of(twice).length === 3 && of(forged).length === 2);
    expect(typesOf(lost)).toEqual(['Transaction.Failed']);
    expect(new Set(of(twice).map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(new Set(of(forged).map((one) => isGenuine(one)))).toEqual(new Set([false, true]));
    await until(() => of(late).length === 2);
    expect(typesOf(late)).toEqual(['Transaction.Failed', 'Transaction.Ready']);
    expect(of(late)[1]!.at - of(late)[0]!.at).toBeGreaterThan(2500);
  });
});

describe('an SDK', () => {
  /** What a page sees: the script's global, and where the browser went. */
  async function loaded(path: string) {
    const response = await fetch(sim.origin() + path);
    const page = {
      document: { currentScript: { src: `${sim.origin()}${path}` } },
      location: { href: '', assign: (href: string) => void (page.location.href = href) },
      URL,
      URLSearchParams,
    } as { location: { href: string; assign: (href: string) => void } } & Record<string, unknown>;
    runInNewContext(await response.text(), page);
    const wentTo = async () => {
      const { pathname, searchParams } = new URL(await until(() => page.location.href !== '' && page.location.href));
      return [pathname, [...searchParams]] as const;
    };
    return { type: response.headers.get('content-type'), page, wentTo };
  }
  test('of TossPayments leads to its window', async () => {
    const { type, page, wentTo } = await loaded('/sdk/toss.js');
    expect(type).toContain('javascript');
    type Toss = (key: string) => { payment: (of: object) => { requestPayment: (request: object) => Promise<never> } };
    const TossPayments = page['TossPayments'] as Toss;
    const [orderId, successUrl, failUrl] = [newId(), 'https://shop.example/s', 'https://shop.example/f'];
    const payment = TossPayments('test_ck_sangjeom').payment({ customerKey: 'ANONYMOUS' });
    await expect(payment.requestPayment({ method: 'CARD' })).rejects.toMatchObject({ code: 'INVALID_PARAMETERS' });
    expect(() => TossPayments('x')).toThrow('clientKey');
    const amount = { currency: 'KRW', value: 15_000 };
    const card = { flowMode: 'DIRECT', easyPay: 'TOSSPAY' };
    void payment.requestPayment({ method: 'CARD', amount, orderId, orderName: 'x', successUrl, failUrl, card, windowTarget: 'self' });
    const [path, fields] = await wentTo();
    expect([path, Object.fromEntries(fields)]).toEqual([
      '/window/toss',
      {
        clientKey: 'test_ck_sangjeom',
        customerKey: 'ANONYMOUS',
        method: 'CARD',
        amount: '15000',
        currency: 'KRW',
        orderId,
        orderName: 'x',
        successUrl,
        failUrl,
        flowMode: 'DIRECT',
        easyPay: 'TOSSPAY',
      },
    ]);
  });
  test('of PortOne leads to its window', async () => {
    const { page, wentTo } = await loaded('/sdk/portone.js');
    const { requestPayment } = page['PortOne'] as { requestPayment: (request: object) => Promise<never> };
    await expect(requestPayment({ storeId: 'store-acme' })).rejects.toMatchObject({ code: 'INVALID_PARAMETERS' });
    const { noticeUrls: _, totalAmount: __, ...fields } = sim.portoneFields(newId());
    const easyPay = { easyPayProvider: 'KAKAOPAY' };
    const noticeUrls = ['https://a.example/', 'https://b.example/'];
    void requestPayment({ ...fields, totalAmount: 1000, easyPay, noticeUrls, forceRedirect: true, windowType: { pc: 'REDIRECTION' } });
    const [path, sent] = await wentTo();
    const lines = (pairs: readonly (readonly string[])[]) => pairs.map((pair) => pair.join('=')).toSorted((a, b) => a.localeCompare(b));
    expect([path, lines(sent)]).toEqual([
      '/window/portone',
      lines([
        ...Object.entries(fields),
        ['totalAmount', '1000'],
        ['easyPayProvider', 'KAKAOPAY'],
        ...noticeUrls.map((url) => ['noticeUrls', url]),
      ]),
    ]);
  });
});
