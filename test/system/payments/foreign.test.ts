/** One provider account may serve many stores: a payment counts as ours only if order id, amount and payment key are ours. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { call, formOf, get, pay } from '../../../bin/dev/client.ts';
import { support } from '../../kernel/support.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';
import { roleUrl } from '../../kernel/database.ts';

const KEY = { authorization: `Basic ${btoa('test_sk_sangjeom:')}` };
interface Charge {
  readonly paymentKey: string;
  readonly orderId: string;
  readonly status: string;
  readonly balanceAmount: number;
  readonly cancels: readonly object[];
}
const ledger = async (orderId: string) =>
  ((await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as Charge[]).filter((one) => one.orderId === orderId);
const next = (op: string, behavior: string, orderId: string, times = 1) =>
  call(underTest.simulator, 'POST', '/__sim/next', { body: { op, behavior, orderId, times } });
const stock = async (variantId: string) =>
  (await query<{ n: number }>('SELECT stock_quantity AS n FROM variant WHERE variant_id = $1', [variantId]))[0]!.n;
const attemptOf = async (paymentId: string) =>
  (
    await query<{ attempt_id: string; pg_order_id: string; amount_won: number; status: string; payment_key: string }>(
      `SELECT attempt_id, pg_order_id, amount_won, status, payment_key FROM payment_attempt WHERE payment_id = $1 ORDER BY seq DESC
       LIMIT 1`,
      [paymentId],
    )
  )[0]!;

/** Goes through the provider's window, and keeps what it hands to the return address. */
async function authenticate(orderId: string, amount: number): Promise<string> {
  const form = {
    orderId,
    amount: String(amount),
    orderName: 'x',
    successUrl: 'http://localhost/s',
    failUrl: 'http://localhost/f',
    card: '4111111111110000',
  };
  const { location } = await get(`${underTest.simulator}/window/toss/submit?${String(new URLSearchParams(form))}`);
  return location!.searchParams.get('paymentKey')!;
}
/** Has the provider approve a payment behind our back. */
async function payElsewhere(paymentKey: string, orderId: string, amount: number): Promise<void> {
  const { status } = await call(underTest.simulator, 'POST', '/v1/payments/confirm', {
    body: { paymentKey, orderId, amount },
    headers: KEY,
  });
  expect(status).toBe(200);
}
/** The buyer comes back with what an attacker has put into the address. */
const comeBack = (payUrl: string, paymentKey: string, orderId: string, amount: number) =>
  get(`${payUrl.replace('?', '/return?')}&${String(new URLSearchParams({ paymentKey, orderId, amount: String(amount) }))}`);

let shop: World;
let rival: World;
let product: { productId: string; variantId: string };
beforeAll(async () => {
  [shop, rival] = [await world(), await world()];
  product = await shop.product({ stockQuantity: 50 });
});

/** A definite failure: nothing charged by us, the stock back, the session pending, and the provider's books untouched by us. */
async function expectNotCharged(paymentId: string, before: number): Promise<void> {
  await until(
    'decided',
    async () =>
      (await query(`SELECT 1 FROM payment WHERE payment_id = $1 AND status = 'pending' AND result = 'FAILED'`, [paymentId])).length === 1,
    60_000,
  );
  expect(await stock(product.variantId)).toBe(before);
  expect(await query('SELECT 1 FROM orders WHERE payment_id = $1', [paymentId])).toEqual([]);
}

describe('a buyer who comes back with another payment’s key', () => {
  test('of another store with the same amount pays nothing here', async () => {
    const before = await stock(product.variantId);
    const theirs = await rival.payment();
    await pay(theirs.payUrl);
    const paid = await attemptOf(theirs.paymentId);
    const ours = await shop.payment(product);
    const { pg_order_id: orderId, amount_won: amount } = await attemptOf(ours.paymentId);
    expect(amount).toBe(paid.amount_won);
    await comeBack(ours.payUrl, paid.payment_key, orderId, amount);
    await expectNotCharged(ours.paymentId, before);
    expect(await ledger(paid.pg_order_id)).toMatchObject([{ status: 'DONE', cancels: [] }]);
  });

  test('of another store, before its own buyer comes back with it, takes nothing from that payment', async () => {
    const before = await stock(product.variantId);
    const [theirs, ours] = [await rival.payment(), await shop.payment(product)];
    const [their, our] = [await attemptOf(theirs.paymentId), await attemptOf(ours.paymentId)];
    const key = await authenticate(their.pg_order_id, their.amount_won);
    await comeBack(ours.payUrl, key, our.pg_order_id, our.amount_won);
    await expectNotCharged(ours.paymentId, before);
    await comeBack(theirs.payUrl, key, their.pg_order_id, their.amount_won);
    await until('completed', async () => (await theirs.buyer.status(theirs.paymentId)).body.data.status === 'completed');
    expect(await ledger(their.pg_order_id)).toMatchObject([{ status: 'DONE', cancels: [] }]);
    await shop.advance('PT25M');
    expect(await ledger(their.pg_order_id)).toMatchObject([{ status: 'DONE', cancels: [] }]);
  });
  test('while another store’s confirm with it runs, is refused, and the buyer may come back again', async () => {
    const [theirs, ours] = [await rival.payment(), await shop.payment(product)];
    const [their, our] = [await attemptOf(theirs.paymentId), await attemptOf(ours.paymentId)];
    const key = await authenticate(their.pg_order_id, their.amount_won);
    await query(`UPDATE payment_attempt SET payment_key = $1, status = 'CONFIRMING' WHERE attempt_id = $2`, [key, our.attempt_id]);
    expect((await comeBack(theirs.payUrl, key, their.pg_order_id, their.amount_won)).status).toBe(409);
    expect((await attemptOf(theirs.paymentId)).status).toBe('OPEN');
    await query(`UPDATE payment_attempt SET payment_key = NULL, status = 'OPEN' WHERE attempt_id = $1`, [our.attempt_id]);
    await comeBack(theirs.payUrl, key, their.pg_order_id, their.amount_won);
    await until('completed', async () => (await theirs.buyer.status(theirs.paymentId)).body.data.status === 'completed');
  });

  test('of another order with the same amount pays nothing twice', async () => {
    const first = await shop.payment(product);
    await pay(first.payUrl);
    const paid = await attemptOf(first.paymentId);
    const before = await stock(product.variantId);
    const second = await shop.payment(product);
    const { pg_order_id: orderId, amount_won: amount } = await attemptOf(second.paymentId);
    await comeBack(second.payUrl, paid.payment_key, orderId, amount);
    await expectNotCharged(second.paymentId, before);
    expect(await ledger(paid.pg_order_id)).toMatchObject([{ status: 'DONE', cancels: [] }]);
    const retry = await call(underTest.api, 'POST', `/payments/${second.paymentId}/attempts`, {
      body: { option: { pg: 'tosspayments', method: 'CARD' } },
    });
    await pay(retry.body.data.payUrl as string);
    expect((await second.buyer.status(second.paymentId)).body.data.status).toBe('completed');
  });
});

describe('a payment that was made elsewhere under our order id', () => {
  test.each([
    ['with another key', 0],
    ['with another key and amount', 1000],
  ])('%s is not charged by us', async (_, less) => {
    const before = await stock(product.variantId);
    const { paymentId, payUrl, buyer } = await shop.payment(product);
    const { pg_order_id: orderId, amount_won: amount } = await attemptOf(paymentId);
    const ours = await authenticate(orderId, amount);
    const other = await authenticate(orderId, amount - less);
    await payElsewhere(other, orderId, amount - less);
    await comeBack(payUrl, ours, orderId, amount);
    await expectNotCharged(paymentId, before);
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ status: 'pending', lastFailure: { code: 'NOT_CHARGED' } });
    await shop.advance('PT25M');
    const books = new Map(
      (await ledger(orderId)).map(({ paymentKey, status, cancels }) => [paymentKey === ours, `${status} ${cancels.length}`]),
    );
    expect(books).toEqual(
      new Map([
        [true, 'IN_PROGRESS 0'],
        [false, 'DONE 0'],
      ]),
    );
    expect((await attemptOf(paymentId)).status).toBe('DECLINED');
  });

  test('does not take the order away from our own charge whose answer was lost', async () => {
    const { paymentId, payUrl, buyer } = await shop.payment(product);
    const { pg_order_id: orderId, amount_won: amount } = await attemptOf(paymentId);
    const ours = await authenticate(orderId, amount);
    await next('confirm', '0020', orderId);
    // A window that was opened a second time and not paid: the provider tells of that one first.
    await authenticate(orderId, amount);
    await comeBack(payUrl, ours, orderId, amount);
    await until('completed', async () => (await buyer.status(paymentId)).body.data.status === 'completed');
  });
});

describe('a provider that confuses payments', () => {
  const status = async (refundId: string) =>
    (
      await query<{ status: string; failure_code: string | null }>('SELECT status, failure_code FROM refund WHERE refund_id = $1', [
        refundId,
      ])
    )[0]!;
  const mismatches = async () => {
    const text = await (await fetch(underTest.metrics.worker)).text();
    return [...text.matchAll(/^sangjeom_provider_mismatches_total\{.*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
  };

  test('a refund answered with another payment is requested again, and paid back once', async () => {
    const counted = await mismatches();
    const order = await shop.order(product, 2);
    const { pg_order_id: orderId } = await attemptOf(order.paymentId);
    await next('cancel', 'foreign', orderId);
    const { refundId } = (await shop.act(order.orderItemId, 'cancel', { reason: 'OTHER', quantity: 1 })).body.data as { refundId: string };
    await until('paid back', async () => {
      await shop.advance('PT1M');
      return (await status(refundId)).status === 'DONE';
    });
    expect(await ledger(orderId)).toMatchObject([{ cancels: [{}], balanceAmount: 13_000 }]);
    expect(await mismatches()).toBeGreaterThan(counted);
  });

  test('a refund that is found on another payment is left to an operator', async () => {
    const order = await shop.order(product, 2);
    const { pg_order_id: orderId } = await attemptOf(order.paymentId);
    await next('cancel', 'drop', orderId);
    await next('read', 'foreign', orderId);
    const { refundId } = (await shop.act(order.orderItemId, 'cancel', { reason: 'OTHER', quantity: 1 })).body.data as { refundId: string };
    await until('given up', async () => (await status(refundId)).failure_code === 'FOREIGN_PAYMENT');
    expect(String(await support('explain', refundId))).toContain('the payment at the provider is not this one');
    expect(String(await support('retry', refundId))).toContain('looked for, and asked for again only when it is not there');
    await until('found', async () => (await status(refundId)).status === 'DONE');
    expect(await ledger(orderId)).toMatchObject([{ cancels: [{}] }]);
  });

  test('a void answered with another payment is made again', async () => {
    const { paymentId, payUrl, buyer } = await shop.payment(product);
    const paying = pay(payUrl, '4111111111110030').catch(() => null);
    await until('processing', async () => (await buyer.status(paymentId)).body.data.status === 'processing');
    await shop.advance('PT5M');
    await paying;
    const { payment_key: key, pg_order_id: orderId, amount_won: amount } = await attemptOf(paymentId);
    await next('confirm', '0000', orderId);
    await payElsewhere(key, orderId, amount);
    await next('cancel', 'foreign', orderId);
    await shop.advance('PT15M');
    await until('voided', async () => (await ledger(orderId))[0]?.status === 'CANCELED');
    await until('noted', async () => (await attemptOf(paymentId)).status === 'VOIDED');
  });
});

describe('numbers are unique over all stores', () => {
  const first = async (world_: World) => (await world_.payment()).paymentId;
  test('constraints hold order numbers, provider order ids and payment keys apart', async () => {
    const [ours, theirs] = [await first(shop), await first(rival)];
    const [number] = await query<{ order_no: string; pg_order_id: string }>(
      'SELECT order_no, pg_order_id FROM payment JOIN payment_attempt USING (store_id, payment_id) WHERE payment_id = $1',
      [theirs],
    );
    await expect(query('UPDATE payment SET order_no = $1 WHERE payment_id = $2', [number!.order_no, ours])).rejects.toMatchObject({
      code: '23505',
    });
    await expect(
      query('UPDATE payment_attempt SET pg_order_id = $1 WHERE payment_id = $2', [number!.pg_order_id, ours]),
    ).rejects.toMatchObject({ code: '23505' });
    await query(`UPDATE payment_attempt SET payment_key = $1 WHERE payment_id = $2`, [`key-${ours}`, ours]);
    await expect(query(`UPDATE payment_attempt SET payment_key = $1 WHERE payment_id = $2`, [`key-${ours}`, theirs])).rejects.toMatchObject(
      { code: '23505' },
    );
    await query(`UPDATE payment_attempt SET payment_key = NULL WHERE payment_id = $1`, [ours]);
  });
  const isTaken = async (client: Client, no: string) =>
    (await client.query<{ taken: boolean }>('SELECT order_no_taken($1) AS taken', [no])).rows[0]!.taken;
  test('a store learns that another one has an order number', async () => {
    const [number] = await query<{ order_no: string }>('SELECT order_no FROM payment WHERE payment_id = $1', [await first(rival)]);
    const client = new Client(roleUrl(underTest.databaseUrl, 'sangjeom_app'));
    await client.connect();
    expect(await isTaken(client, number!.order_no)).toBe(true);
    await client.end();
  });
  test('two at once do not both learn that a number is free', async () => {
    const [one, two] = [
      new Client(roleUrl(underTest.databaseUrl, 'sangjeom_app')),
      new Client(roleUrl(underTest.databaseUrl, 'sangjeom_app')),
    ];
    await Promise.all([one.connect(), two.connect()]);
    await Promise.all([one.query('BEGIN'), two.query('BEGIN')]);
    expect(await isTaken(one, '99123100000000')).toBe(false);
    await two.query('SET lock_timeout = 200');
    await expect(isTaken(two, '99123100000000')).rejects.toMatchObject({ code: '55P03' });
    await Promise.all([one.end(), two.end()]);
  });
});

describe('an ended payment’s page', () => {
  test('is answered from its row', async () => {
    const { paymentId, payUrl } = await shop.payment(product);
    await pay(payUrl);
    const expired = await shop.payment(product);
    await shop.advance('PT11M');
    const traces = async () => ({
      operations: await query('SELECT key FROM operation WHERE principal = ANY($1) ORDER BY key', [[paymentId, expired.paymentId]]),
      outbox: await query('SELECT outbox_id FROM outbox WHERE entity_id = ANY($1)', [[paymentId, expired.paymentId]]),
    });
    const runs = async () => {
      const { temporalClient } = await import('../../kernel/world.ts');
      const client = await temporalClient();
      const ids = [paymentId, expired.paymentId].map((id) => `payment/${shop.store.storeId}/${id}`);
      return Promise.all(ids.map(async (id) => (await client.workflow.getHandle(id).describe()).runId));
    };
    await until(
      'at rest',
      async () =>
        (await query('SELECT 1 FROM run WHERE entity_id = ANY($1) AND done_at IS NULL', [[paymentId, expired.paymentId]])).length === 0 &&
        (await traces()).outbox.length === 0,
    );
    const [before, started] = [await traces(), await runs()];
    for (const [url, result] of [
      [payUrl, 'COMPLETED'],
      [expired.payUrl, 'EXPIRED'],
    ] as const) {
      for (const way of ['/return?paymentKey=k&orderId=x&amount=1&', '/fail?code=PAY_PROCESS_CANCELED&']) {
        const { status, location } = await get(url.replace('?', way));
        expect([status, location?.searchParams.get('svcResult')]).toEqual([303, result]);
      }
      const form = formOf((await get(url)).text, 'retry');
      expect(form === null || result === 'EXPIRED').toBe(true);
    }
    expect(await traces()).toEqual(before);
    expect(await runs()).toEqual(started);
  });
});

describe('a payment without credentials', () => {
  /** As if its store had none: of older attempts, too. */
  const withoutCredentials = async (paymentId: string): Promise<() => Promise<unknown>> => {
    const { storeId } = shop.store;
    await query('UPDATE payment_attempt SET credential_id = NULL WHERE payment_id = $1', [paymentId]);
    await query(`UPDATE payment_credential SET status = 'UNVERIFIED', is_serving = false WHERE store_id = $1`, [storeId]);
    return () => query(`UPDATE payment_credential SET status = 'VERIFIED', is_serving = is_newest WHERE store_id = $1`, [storeId]);
  };
  test('is not confirmed: it is declined, and nothing is sent', async () => {
    const { paymentId, payUrl, buyer } = await shop.payment(product);
    const { pg_order_id: orderId, amount_won: amount } = await attemptOf(paymentId);
    const key = await authenticate(orderId, amount);
    const restore = await withoutCredentials(paymentId);
    await comeBack(payUrl, key, orderId, amount);
    await until('declined', async () => (await attemptOf(paymentId)).status === 'DECLINED').finally(restore);
    expect((await buyer.status(paymentId)).body.data).toMatchObject({
      status: 'pending',
      lastFailure: { category: 'CONFIGURATION', optionUnavailable: true },
    });
    expect(await ledger(orderId)).toMatchObject([{ status: 'IN_PROGRESS' }]);
  });
  test('is not refunded until there are some again', async () => {
    const order = await shop.order(product);
    const paid = await attemptOf(order.paymentId);
    const restore = await withoutCredentials(order.paymentId);
    const { refundId } = (await shop.act(order.orderItemId, 'cancel', { reason: 'OTHER' })).body.data as { refundId: string };
    const plannedCall = async () =>
      (await query<{ call: { name: string } }>('SELECT call FROM payment WHERE payment_id = $1', [order.paymentId]))[0]!.call?.name;
    await until('not asked', async () => (await plannedCall()) === 'findRefund').finally(restore);
    expect(await ledger(paid.pg_order_id)).toMatchObject([{ cancels: [] }]);
    await until('paid back', async () => {
      await shop.advance('PT1M');
      return (await query(`SELECT 1 FROM refund WHERE refund_id = $1 AND status = 'DONE'`, [refundId])).length === 1;
    });
    expect(await ledger(paid.pg_order_id)).toMatchObject([{ cancels: [{}] }]);
  });
});
