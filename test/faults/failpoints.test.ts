/** Kills a process once at each failpoint, in a scenario that passes it: everything that was acknowledged happens exactly once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { Buyer, call, pay } from '../../bin/dev/client.ts';
import { until as untilAtMost } from '../../bin/dev/until.ts';
import { type Failpoint, FAILPOINTS } from '../../db/kernel/failpoint.ts';
import { type ProviderName, PROVIDERS } from '../../domain/payments/providers.ts';
import type { Wanted } from '../kernel/approvals.ts';
import { Approving } from './approving.ts';
import { type ExternalCalls, startExternalCalls } from './externalCalls.ts';
import { answered, ClaimKills } from './claimKills.ts';
import { atMostEvery, type Bench, bench } from './harness.ts';
import { settle, violations } from './invariants.ts';
import { noPromises } from './load.ts';
import { earnedAfterKills } from './pointKills.ts';

/** Longer than usual: a lost activity is noticed by its timeout. */
const until: typeof untilAtMost = (what, holds) => untilAtMost(what, holds, 90_000);

const armed = mkdtempSync(join(tmpdir(), 'sangjeom-failpoints-'));
const promised = noPromises();
let under: Bench;
let database: Postgres;
let approving: Approving;
let claims: ClaimKills;
let externals: ExternalCalls;
beforeAll(async () => {
  under = await bench({ FAILPOINTS_ARMED: armed });
  database = new Postgres({ connectionString: under.system.databaseUrl });
  await database.connect();
  approving = await Approving.start(under.system, under.store);
  claims = await ClaimKills.start(under, armed, promised);
  externals = await startExternalCalls(under);
}, 120_000);
afterAll(async () => {
  await approving?.close();
  externals?.close();
  await database?.end();
  await under?.close();
  rmSync(armed, { recursive: true });
}, 60_000);

const count = async (text: string, values: readonly unknown[]): Promise<number> =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n ${text}`, [...values])).rows[0]!.n;

interface Started {
  readonly buyer: Buyer;
  readonly paymentId: string;
  readonly payUrl: string;
}
async function started(pg: ProviderName = 'tosspayments', productId = under.productId): Promise<Started> {
  const buyer = await Buyer.arrive(under.system.api, 'faults');
  const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
  const start = await answered(() => buyer.start(checkoutId, { option: { pg, method: 'CARD' } }));
  const { paymentId, payUrl } = start.body.data as { paymentId: string; payUrl: string };
  return { buyer, paymentId, payUrl };
}
/** Pays and returns the order, even when the buyer's return is interrupted. */
async function paid({ buyer, paymentId, payUrl }: Started, card?: string): Promise<{ orderId: string; orderItemId: string }> {
  await pay(payUrl, card).catch(() => null);
  const isCompleted = async () => {
    const { data } = (await buyer.status(paymentId).catch(() => null))?.body ?? {};
    return data?.status === 'completed' ? (data.orderId as string) : null;
  };
  // As long as a workflow task of a worker that died, and the readings of a lost confirm, take on a busy machine.
  const orderId = await until('the payment completes', isCompleted, 90_000);
  promised.orders.set(paymentId, orderId);
  const order = await answered(() => under.seller.call('GET', `/v1/orders/${orderId}`));
  return { orderId, orderItemId: order.body.data.items[0].orderItemId as string };
}

/** `arm` arms the failpoint: what follows is in progress when the process is killed. */
type Scenario = (arm: () => void) => Promise<void>;

/** A request with its own transaction: the same key gets the same checkout. */
const checkout: Scenario = async (arm) => {
  const buyer = await Buyer.arrive(under.system.api, 'faults');
  const body = { items: [{ productId: under.productId, quantity: 1 }] };
  const key = `checkout-${promised.checkouts.size}`;
  const open = () => buyer.call('POST', '/storefront/v1/checkout', body, { 'idempotency-key': key });
  arm();
  const { status, body: reply } = await answered(open);
  expect(status).toBe(201);
  const { checkoutId } = reply.data as { checkoutId: string };
  promised.checkouts.add(checkoutId);
  expect((await answered(open)).body.data.checkoutId).toBe(checkoutId);
  // One that nobody begins to pay is swept when the ends of holds have advanced the store's clock by a week (db/retention/kinds.ts).
  expect((await answered(() => buyer.start(checkoutId))).status).toBe(200);
};

/** A command to a run: the same key gets its reply, and the step is recorded once. */
const confirm: Scenario = async (arm) => {
  const { orderItemId } = await paid(await started());
  await quiet();
  arm();
  const confirmed = await answered(() =>
    under.seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}, { 'idempotency-key': orderItemId }),
  );
  expect(confirmed.status).toBe(200);
  promised.items.set(orderItemId, 'CONFIRMED');
  expect(await count(`FROM flow_step WHERE order_item_id = $1 AND event ->> 'key' = 'confirm'`, [orderItemId])).toBe(1);
};

/** A payment is charged once and creates one order, whose run is started; returns the keys under which it was confirmed. */
const purchase = async (arm: () => void): Promise<readonly string[]> => {
  await quiet();
  const payment = await started();
  arm();
  const { orderId } = await paid(payment);
  expect(await count('FROM orders WHERE payment_id = $1', [payment.paymentId])).toBe(1);
  const { rows } = await database.query<{ pg_order_id: string }>('SELECT pg_order_id FROM payment_attempt WHERE payment_id = $1', [
    payment.paymentId,
  ]);
  const ledger = (await call(under.system.simulator, 'GET', '/__sim/payments')).body as unknown as {
    orderId: string;
    status: string;
    confirmKeys: string[];
  }[];
  const charges = ledger.filter((charge) => charge.orderId === rows[0]!.pg_order_id);
  expect(charges.map(({ status }) => status)).toEqual(['DONE']);
  await until(
    'the run of the item is started',
    async () =>
      (await count(
        `FROM run r JOIN order_item i ON i.order_item_id = r.entity_id WHERE i.order_id = $1 AND r.loaded_at IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.entity_id = r.entity_id)`,
        [orderId],
      )) === 1,
  );
  return charges[0]!.confirmKeys;
};

/** A worker that is lost while it confirms: the confirm is sent again under its key, whose answer the provider repeats. */
const confirmTwice: Scenario = async (arm) => {
  const keys = await purchase(arm);
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys).size).toBe(1);
};

interface Booked {
  readonly orderId: string;
  readonly status: string;
  readonly cancels: readonly object[];
  readonly confirmKeys: readonly string[];
}
/** The attempt of a payment, and what its provider has on record. */
async function booked(paymentId: string): Promise<{ attemptId: string; charges: Booked[] }> {
  const { rows } = await database.query<{ attempt_id: string; pg_order_id: string }>(
    'SELECT attempt_id, pg_order_id FROM payment_attempt WHERE payment_id = $1',
    [paymentId],
  );
  const { attempt_id: attemptId, pg_order_id: orderId } = rows[0]!;
  const ledger = (await call(under.system.simulator, 'GET', '/__sim/payments')).body as unknown as Booked[];
  return { attemptId, charges: ledger.filter((one) => one.orderId === orderId) };
}
/** Arms failpoints that only this payment passes; ends when each has killed. */
function killsAt(names: readonly string[]): () => Promise<unknown> {
  const files = names.map((name) => join(armed, name));
  for (const file of files) writeFileSync(file, '');
  return () => until('every kill', async () => files.every((file) => !existsSync(file)));
}

/** `npm run faults` kills at every point, at both providers; a test run where PortOne differs from TossPayments, which every failpoint has. */
const ALL_KILLS = process.env['PAYMENT_KILLS'] === 'all';
/** The worker is killed when the approval is planned, or after the provider's answer to it. */
async function approvedAfterKills(pg: ProviderName, card: string) {
  const payment = await started(pg);
  const { paymentId } = payment;
  const { attemptId } = await booked(paymentId);
  const [planned, answer] = [`transition.after-commit@${paymentId}.pay`, `provider.after-answer@${attemptId}`];
  const outcomes = ['before', 'after'].map((when) => `transition.${when}-commit@${paymentId}.outcome`);
  const killed = killsAt(ALL_KILLS ? [planned, answer, ...outcomes] : [card.endsWith('0070') ? planned : answer]);
  const { orderId } = await paid(payment, card);
  await killed();
  const { charges } = await booked(paymentId);
  expect(charges.map(({ status }) => status)).toEqual([pg === 'portone' ? 'PAID' : 'DONE']);
  const orders = await count('FROM orders WHERE payment_id = $1 AND order_id = $2', [paymentId, orderId]);
  return { charges: charges.length, orders, keys: new Set(charges[0]!.confirmKeys).size };
}

/** The worker is killed after the provider's answer to a cancel that it carries out later; how many cancels the provider has. */
async function refundedAfterKill(pg: ProviderName): Promise<number> {
  const payment = await started(pg);
  const { orderItemId } = await paid(payment, '4111111111110041');
  const { attemptId } = await booked(payment.paymentId);
  const killed = killsAt([`provider.after-answer@${attemptId}`]);
  const key = { 'idempotency-key': `${orderItemId}-cancel` };
  const canceled = await answered(() => under.seller.call('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OTHER' }, key));
  expect(canceled.status).toBe(200);
  promised.canceled.set(orderItemId, 1);
  await killed();
  await until('the refund', async () => (await count(`FROM refund WHERE payment_id = $1 AND status = 'DONE'`, [payment.paymentId])) === 1);
  return (await booked(payment.paymentId)).charges.reduce((sum, { cancels }) => sum + cancels.length, 0);
}

/** An event reaches its receiver, and its delivery ends. */
const delivery: Scenario = async (arm) => {
  await quiet();
  const payment = await started();
  arm();
  const { orderId } = await paid(payment);
  await until('the event is delivered', async () => {
    await advanceNowAndThen();
    const { rows } = await database.query<{ event_id: string }>(
      `SELECT d.event_id FROM webhook_delivery d JOIN event e USING (event_id)
       WHERE d.status = 'SUCCESS' AND e.type = 'ORDER.PAID' AND e.body::jsonb -> 'data' ->> 'orderId' = $1`,
      [orderId],
    );
    return rows.length === 1 && under.delivered.has(rows[0]!.event_id);
  });
};

/** What was approved is carried out once: in a transaction of its own, and by a command to a run. */
const execution =
  (wanted: (orderItemId: string) => Wanted, effect: (orderItemId: string) => Promise<number>): Scenario =>
  async (arm) => {
    const { orderItemId } = await paid(await started());
    await quiet();
    const approvalId = await approving.filed(wanted(orderItemId));
    arm();
    // Its answer comes after eight seconds at the latest, the end of its execution when a worker is back.
    await answered(() => approving.approve(approvalId));
    const record = await until('the execution has ended', async () => {
      const { status, result } = await approving.read(approvalId);
      return status !== 'EXECUTING' && { status, code: result?.code };
    });
    expect(record).toEqual({ status: 'SUCCEEDED', code: 'OK' });
    expect(await effect(orderItemId)).toBe(1);
  };
const category = execution(
  (orderItemId) => ({ id: 'categories.create', body: { name: orderItemId } }),
  (orderItemId) => count('FROM category WHERE name = $1', [orderItemId]),
);
const cancel = execution(
  (orderItemId) => ({ id: 'orders.cancel', params: { orderItemId }, body: { reason: 'OTHER' } }),
  (orderItemId) => count(`FROM flow_step WHERE order_item_id = $1 AND event ->> 'type' = 'reduced'`, [orderItemId]),
);

/** Points expire once, although the advance that had begun to expire them is killed. */
const expiry: Scenario = async (arm) => {
  await Buyer.join(under.system.api, 'faults', 'expiry@example.com');
  const { rows } = await database.query<{ id: string }>(`SELECT customer_id AS id FROM customer WHERE email = 'expiry@example.com'`);
  const customerId = rows[0]!.id;
  const { now } = (await under.seller.call('GET', '/v1/sandbox/clock')).body.data as { now: string };
  const expiresAt = new Date(Date.parse(now) + 3_600_000).toISOString();
  const grant = { amount: 700, reason: '사과', expiresAt };
  const granted = await answered(() =>
    under.seller.call('POST', `/v1/customers/${customerId}/points/adjustments`, grant, { 'idempotency-key': 'expiry' }),
  );
  expect(granted.status).toBe(201);
  arm();
  await until('the points have expired', async () => {
    await advance();
    return (await count(`FROM point_history WHERE customer_id = $1 AND type = 'EXPIRE'`, [customerId])) === 1;
  });
  await advance();
  expect(await count(`FROM point_history WHERE customer_id = $1`, [customerId])).toBe(2);
  expect(await count(`FROM check_point_accounts('', '', 10000) c WHERE c.balance_won <> c.lots_won OR c.wrong_lots > 0`, [])).toBe(0);
};

/** Visits are counted once, although the advance that had begun to count them is killed. */
const visits: Scenario = async (arm) => {
  const headers = { 'x-store-code': 'faults', 'x-svc-visitor': 'v', 'x-svc-session': 's' };
  const body = { events: [{ type: 'PAGE_VIEW', path: '/' }] };
  expect((await answered(() => call(under.system.api, 'POST', '/storefront/v1/events', { body, headers }))).status).toBe(200);
  arm();
  await until('the visit is counted', async () => {
    await advance();
    return (await count(`FROM visit_batch`, [])) === 0;
  });
  await advance();
  expect(await count(`FROM visit_sum WHERE list = 'ALL' AND page_views = 1`, [])).toBe(1);
  expect(await count(`FROM visit_distinct WHERE list IN ('VISITOR', 'SESSION') AND n = 1`, [])).toBe(2);
};

/** An external service is asked so often, and what became of it is unknown: the flow goes on as after a failure. */
const externalCall =
  (requests: number): Scenario =>
  async (arm) => {
    const { orderItemId } = await paid(await started('tosspayments', externals.productId));
    await quiet();
    arm();
    expect(await externals.after(orderItemId)).toEqual([requests, 'failed']);
  };

const SCENARIOS: Readonly<Record<Failpoint, Scenario>> = {
  'request.before-commit': checkout,
  'request.after-commit': checkout,
  'transition.before-commit': confirm,
  'transition.after-commit': confirm,
  'relay.after-start': async (arm) => void (await purchase(arm)),
  'provider.after-answer': confirmTwice,
  'execution.after-answer': cancel,
  'expiry.before-commit': expiry,
  'visits.before-commit': visits,
  'webhook.before-send': delivery,
  'webhook.after-send': delivery,
  'external.before-send': externalCall(0),
  'external.after-send': externalCall(1),
};

/** Failed deliveries are retried by the store's clock, which only this advances. */
const advance = () => under.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT3H' }).catch(() => null);
const advanceNowAndThen = atMostEvery(1500, advance);

/** Waits until nothing is in progress; unpaid payments have expired. */
const quiet = () =>
  until('nothing is under way', async () => {
    await advanceNowAndThen();
    return (await settle(under.system.databaseUrl, 1)) === null;
  });

describe('killed once at', () => {
  test.each(FAILPOINTS)(
    '%s: what was promised happens, once',
    async (failpoint) => {
      const file = join(armed, failpoint);
      await SCENARIOS[failpoint](() => writeFileSync(file, ''));
      expect(existsSync(file)).toBe(false);
    },
    120_000,
  );
  test.each(['request.before-commit', 'request.after-commit', 'execution.after-answer'] as const)(
    '%s of an approved request: it is carried out once',
    async (failpoint) => {
      const file = join(armed, failpoint);
      await category(() => writeFileSync(file, ''));
      expect(existsSync(file)).toBe(false);
    },
    120_000,
  );
  describe('between our commit and a provider’s answer', () => {
    test('of an approval: it is charged once, at both providers and by a channel that approves by itself', async () => {
      const kinds = [
        ...(ALL_KILLS ? [['tosspayments', '0000', 1] as const] : []),
        ['portone', '0000', 1] as const,
        ['portone', '0070', 0] as const,
      ];
      await quiet();
      // One after the other: a kill interrupts the others too.
      for (const [pg, card, keys] of kinds)
        expect([pg, card, await approvedAfterKills(pg, `411111111111${card}`)]).toEqual([pg, card, { charges: 1, orders: 1, keys }]);
    }, 300_000);
    test('of a refund that is carried out later: it is made once, at both providers', async () => {
      await quiet();
      for (const pg of ALL_KILLS ? PROVIDERS : (['portone'] as const)) expect([pg, await refundedAfterKill(pg)]).toEqual([pg, 1]);
    }, 300_000);
  });
  describe('every step of a claim', () => {
    test.each(['request.before-commit', 'request.after-commit'] as const)(
      '%s: a cancel is filed and completed at once, once',
      async (failpoint) => {
        const replies = await claims.filedAt(failpoint, 'CANCEL');
        expect(replies.map(({ status, body }) => [status, body.data?.status])).toEqual(replies.map(() => [201, 'COMPLETED']));
      },
      120_000,
    );
    test('the transitions of its run, and the refund that they bring', async () => {
      const replies = await claims.all();
      expect(replies.map(({ status, body }) => [status, body.error])).toEqual(replies.map(() => [200, null]));
    }, 400_000);
  });
  test('a decision: its purchase earns points once', async () => {
    await quiet();
    expect(await earnedAfterKills(under, armed, database, promised)).toEqual([100]);
  }, 300_000);
  test('every one of them loses and repeats nothing', async () => {
    await quiet();
    const seen = { delivered: under.delivered, invitations: under.inviting.answered, promised };
    expect(await violations(under.system.databaseUrl, under.system.simulator, seen)).toEqual([]);
  }, 120_000);
});
