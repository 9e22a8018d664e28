/** Payments at PortOne from the window to the refund, against the simulator. */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, formOf, get, pay } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

const OPTION = { pg: 'portone', method: 'CARD' };
const PORTONE = '/v1/store/payment-providers/portone';
const card = (ending: string) => `411111111111${ending}`;

interface Shop {
  readonly world: World;
  readonly merchant: string;
  readonly request: (method: string, path: string, body?: object) => Promise<void>;
  readonly product: { readonly productId: string; readonly variantId: string };
}
/** A shop that is paid at PortOne with keys of its own, because tests revoke them. */
async function openShop(): Promise<Shop> {
  const shop = await world();
  await people(shop);
  const { storeId, storeCode } = shop.store;
  const token = await storeToken(`owner@${storeCode}.example`, storeId);
  const request: Shop['request'] = async (method, path, body = {}) => {
    const { status, body: reply } = await call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}` } });
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.error)}`);
  };
  const merchant = `m${storeCode.replaceAll(/[^a-z0-9]/g, '')}m`;
  await request('PUT', PORTONE, keysOf(merchant));
  await request('POST', `${PORTONE}/verify`);
  return { world: shop, merchant, request, product: await shop.product({ stockQuantity: 50 }) };
}
const keysOf = (merchant: string, suffix = '') => ({
  environment: 'TEST',
  storeId: `store-${merchant}`,
  channelKey: `channel-key-${merchant}`,
  apiSecret: `portone-${merchant}${suffix}-secret`,
  webhookSecret: `whsec_${createHash('sha256').update(merchant).digest('base64')}`,
});

async function start({ world: shop, product }: Shop) {
  const buyer = await shop.buyer();
  const checkout = await buyer.checkout(product.productId);
  const started = await buyer.start(checkout.body.data.checkoutId as string, { option: OPTION });
  if (started.status >= 300) throw new Error(JSON.stringify(started.body.error));
  const { paymentId, payUrl } = started.body.data as { paymentId: string; payUrl: string };
  return { buyer, paymentId, payUrl };
}
interface Attempt {
  readonly attempt_id: string;
  readonly pg_order_id: string;
  readonly status: string;
  readonly code: string | null;
}
const attemptsOf = (paymentId: string) =>
  query<Attempt>(
    `SELECT attempt_id, pg_order_id, status, failure->>'code' AS code FROM payment_attempt WHERE payment_id = $1 ORDER BY seq`,
    [paymentId],
  );
const refundsOf = (paymentId: string) =>
  query<{ refund_id: string; status: string }>('SELECT refund_id, status FROM refund WHERE payment_id = $1', [paymentId]);
const callsOf = async (orderId: string) =>
  (await call(underTest.simulator, 'GET', `/__sim/calls?orderId=${orderId}`)).body as unknown as {
    method: string;
    path: string;
    scheme: string;
    contentType: string;
    idempotencyKey: string | null;
    body: Record<string, unknown> | null;
  }[];
const statusAt = async (orderId: string) =>
  ((await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as { orderId: string; status: string }[]).find(
    (one) => one.orderId === orderId,
  )?.status;
const sim = (path: string, body: object) => call(underTest.simulator, 'POST', `/__sim/${path}`, { body });

const windowOf = async (payUrl: string) => formOf((await get(payUrl)).text, 'pay')!;
/** The buyer pays in the window and never comes back. */
const payAndLeave = async (payUrl: string, number: string): Promise<void> => void (await payIn(await windowOf(payUrl), number));
/** Where the window leads back to. */
async function payIn(window: Awaited<ReturnType<typeof windowOf>>, number: string): Promise<URL | null> {
  const page = await get(`${window.action}?${String(new URLSearchParams(window.fields))}`);
  const form = formOf(page.text, 'window')!;
  const fields = new URLSearchParams({ ...form.fields, card: number, outcome: 'pay' });
  return (await get(`${new URL(form.action, window.action).href}?${String(fields)}`)).location;
}
async function paid(shop: Shop, number: string) {
  const started = await start(shop);
  const end = await pay(started.payUrl, number);
  expect(end.searchParams.get('svcResult')).toBe('COMPLETED');
  const [item] = await query<{ order_item_id: string }>(
    `SELECT order_item_id FROM order_item WHERE order_id = (SELECT order_id FROM payment WHERE payment_id = $1)`,
    [started.paymentId],
  );
  const [attempt] = await attemptsOf(started.paymentId);
  return { ...started, orderItemId: item!.order_item_id, orderId: attempt!.pg_order_id };
}
const refunded = (paymentId: string) => until('refunded', async () => (await refundsOf(paymentId))[0]?.status === 'DONE', 60_000);

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

describe('a payment at PortOne', () => {
  test('is confirmed with its token, read, and refunded', async () => {
    const { paymentId, orderItemId, orderId } = await paid(shop, card('0000'));
    const [confirm, read] = (await callsOf(orderId)).filter(({ path }) => path.includes(orderId));
    expect(confirm).toMatchObject({
      method: 'POST',
      path: `/payments/${orderId}/confirm`,
      scheme: 'PortOne',
      contentType: 'application/json',
    });
    expect(confirm!.body).toMatchObject({ storeId: `store-${shop.merchant}`, currency: 'KRW', isTest: true });
    expect(read).toMatchObject({ method: 'GET', idempotencyKey: null });
    await shop.world.act(orderItemId, 'cancel', { reason: 'OTHER' });
    await refunded(paymentId);
    const [refund] = await refundsOf(paymentId);
    const cancel = (await callsOf(orderId)).find(({ path }) => path.endsWith('/cancel'));
    expect(cancel).toMatchObject({ idempotencyKey: `"${refund!.refund_id}"`, body: { requester: 'ADMIN' } });
    expect(await statusAt(orderId)).toBe('CANCELLED');
  });
  test('with an asynchronous cancel is refunded when that is done', async () => {
    const { paymentId, orderItemId } = await paid(shop, card('0041'));
    await shop.world.act(orderItemId, 'cancel', { reason: 'OTHER' });
    await refunded(paymentId);
  });
  test('that is declined says why, as TossPayments does', async () => {
    const { paymentId, payUrl, buyer } = await start(shop);
    await pay(payUrl, card('0001'));
    expect((await buyer.status(paymentId)).body.data.lastFailure).toMatchObject({
      category: 'LIMIT_OR_BALANCE',
      code: 'REJECT_CARD_PAYMENT',
    });
  });
  test('whose approval is lost, is read', async () => {
    const { orderId } = await paid(shop, card('0020'));
    expect(await statusAt(orderId)).toBe('PAID');
  });
});

describe('a channel that approves by itself', () => {
  test('is never confirmed: the payment is read', async () => {
    const { orderId } = await paid(shop, card('0070'));
    expect((await callsOf(orderId)).filter(({ method }) => method === 'POST')).toEqual([]);
  });
  test('has its order made by a notification, when the buyer does not come back', async () => {
    const { paymentId, payUrl, buyer } = await start(shop);
    await payAndLeave(payUrl, card('0070'));
    await until('paid', async () => (await buyer.status(paymentId)).body.data.status === 'completed', 30_000);
  });
  test('has what it approved for an attempt before voided', async () => {
    const { paymentId, payUrl, buyer } = await start(shop);
    const [first] = await attemptsOf(paymentId);
    await sim('next', { pg: 'portone', op: 'notify', behavior: 'drop', orderId: first!.pg_order_id, times: 3 });
    await payAndLeave(payUrl, card('0070'));
    const again = await buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: OPTION });
    expect(again.status).toBeLessThan(300);
    await until('voided', async () => (await attemptsOf(paymentId))[0]!.status === 'VOIDED', 30_000);
    expect(await statusAt(first!.pg_order_id)).toBe('CANCELLED');
    const end = await pay((again.body.data as { payUrl: string }).payUrl, card('0000'));
    expect(end.searchParams.get('svcResult')).toBe('COMPLETED');
  });
  const isRead = async (paymentId: string) =>
    (await query(`SELECT 1 FROM payment_attempt WHERE payment_id = $1 AND seq = 1 AND is_unknown AND readings = 1`, [paymentId])).length ===
    1;
  test('has what it approves for an attempt before, in a window that was left open, voided when none can be', async () => {
    const { paymentId, payUrl, buyer } = await start(shop);
    const [first] = await attemptsOf(paymentId);
    await sim('next', { pg: 'portone', op: 'notify', behavior: 'drop', orderId: first!.pg_order_id, times: 3 });
    const window = await windowOf(payUrl);
    await buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: OPTION });
    await until('read early', () => isRead(paymentId), 30_000);
    await payIn(window, card('0070'));
    await shop.world.advance('PT11M');
    await until('voided', async () => (await attemptsOf(paymentId))[0]!.status === 'VOIDED', 60_000);
    expect(await statusAt(first!.pg_order_id)).toBe('CANCELLED');
  });
  test('… or at once, when the buyer comes back from it', async () => {
    const { paymentId, payUrl, buyer } = await start(shop);
    const [first] = await attemptsOf(paymentId);
    await sim('next', { pg: 'portone', op: 'notify', behavior: 'drop', orderId: first!.pg_order_id, times: 3 });
    const window = await windowOf(payUrl);
    await buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: OPTION });
    await until('read early', () => isRead(paymentId), 30_000);
    await payIn(window, card('0070'));
    await get(`${payUrl.replace('?', '/return?')}&paymentId=${first!.pg_order_id}`);
    await until('voided', async () => (await attemptsOf(paymentId))[0]!.status === 'VOIDED', 30_000);
  });
  test('that says it is paid already is read, and the order made', async () => {
    const { paymentId, payUrl, buyer } = await start(shop);
    const [first] = await attemptsOf(paymentId);
    await sim('next', { pg: 'portone', op: 'notify', behavior: 'drop', orderId: first!.pg_order_id, times: 3 });
    await payAndLeave(payUrl, card('0070'));
    await get(`${payUrl.replace('?', '/return?')}&paymentId=${first!.pg_order_id}&code=AlreadyPaid`);
    await until('paid', async () => (await buyer.status(paymentId)).body.data.status === 'completed', 30_000);
  });
  test('takes no stock for a return that nothing was paid for; the payment can be made yet', async () => {
    const { paymentId, payUrl, buyer } = await start(shop);
    const [first] = await attemptsOf(paymentId);
    const stock = () => query('SELECT stock_quantity FROM variant WHERE variant_id = $1', [shop.product.variantId]);
    const before = await stock();
    const back = await get(`${payUrl.replace('?', '/return?')}&paymentId=${first!.pg_order_id}`);
    expect(back.status).toBe(303);
    expect([await stock(), (await buyer.status(paymentId)).body.data.status]).toEqual([before, 'pending']);
    await shop.world.advance('PT1M');
    await until('looked for', async () => (await windowOf(payUrl)) !== null, 90_000);
    expect((await pay(payUrl, card('0000'))).searchParams.get('svcResult')).toBe('COMPLETED');
  });
});

test('keys that are refused at a confirm take the provider out, and charge nothing', async () => {
  const other = await openShop();
  const { paymentId, payUrl, buyer } = await start(other);
  await pay(payUrl, card('0050'));
  const { status, lastFailure } = (await buyer.status(paymentId)).body.data;
  expect([status, lastFailure]).toMatchObject(['pending', { category: 'CONFIGURATION', optionUnavailable: true }]);
  const rejected = await query(
    `SELECT 1 FROM payment_credential WHERE store_id = $1 AND provider = 'portone' AND rejected_at IS NOT NULL`,
    [other.world.store.storeId],
  );
  expect(rejected).toHaveLength(1);
});

test('a refund whose keys were revoked waits, and is made at once when others are verified', async () => {
  const other = await openShop();
  const { paymentId, orderItemId, orderId } = await paid(other, card('0000'));
  await sim('merchants', { pg: 'portone', name: other.merchant, state: 'REVOKED' });
  await other.world.act(orderItemId, 'cancel', { reason: 'OTHER' });
  const blocked = () => query(`SELECT 1 FROM payment WHERE payment_id = $1 AND call->>'isBlocked' = 'true'`, [paymentId]);
  await until('blocked', async () => (await blocked()).length === 1, 30_000);
  expect(await refundsOf(paymentId)).toMatchObject([{ status: 'PENDING' }]);
  await other.request('PUT', PORTONE, keysOf(other.merchant, 'v2'));
  await other.request('POST', `${PORTONE}/verify`);
  await refunded(paymentId);
  expect(await statusAt(orderId)).toBe('CANCELLED');
});

test('a cancel at the provider changes no order, and an operator hears of it', async () => {
  const { paymentId, orderId } = await paid(shop, card('0000'));
  const count = async () =>
    Number(/foreign_cancels_total\{provider="portone"\} (\d+)/.exec(await (await fetch(underTest.metrics.worker)).text())![1]);
  const before = await count();
  const canceled = await call(underTest.simulator, 'POST', `/payments/${orderId}/cancel`, {
    body: { storeId: `store-${shop.merchant}`, reason: '단순 변심', amount: 100 },
    headers: { authorization: `PortOne portone-${shop.merchant}-secret`, 'idempotency-key': '"from-the-console-1"' },
  });
  expect(canceled.status).toBe(200);
  await until('alarmed', async () => (await count()) === before + 1, 30_000);
  expect(await query(`SELECT 1 FROM payment WHERE payment_id = $1 AND status = 'completed'`, [paymentId])).toHaveLength(1);
});

describe('a window that was opened with a channel of the other environment', () => {
  test.each([
    ['is confirmed', '0000'],
    ['is confirmed, and the card would be declined', '0001'],
    ['approves by itself', '0070'],
  ])('%s: the reason is CONFIGURATION, and nothing stays charged', async (_, ending) => {
    const { paymentId, payUrl, buyer } = await start(shop);
    const window = await windowOf(payUrl);
    const fields = { ...window.fields, channelKey: `channel-key-live-${shop.merchant}` };
    const back = await payIn({ ...window, fields }, card(ending));
    await get(back!.href);
    await until('decided', async () => (await buyer.status(paymentId)).body.data.lastFailure !== null);
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'pending', lastFailure: { category: 'CONFIGURATION' } });
    const [attempt] = await attemptsOf(paymentId);
    await until('not charged', async () => (await statusAt(attempt!.pg_order_id)) !== 'PAID');
  });
});
