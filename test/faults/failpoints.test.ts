/** Kills a process once at each failpoint, in a scenario that passes it: everything that was acknowledged happens exactly once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Buyer, call } from '../../bin/dev/client.ts';
import { type Failpoint, FAILPOINTS } from '../../db/kernel/failpoint.ts';
import type { Wanted } from '../kernel/approvals.ts';
import { Approving } from './approving.ts';
import { answered } from './claimKills.ts';
import { type ExternalCalls, startExternalCalls } from './externalCalls.ts';
import type { Bench } from './harness.ts';
import { Killing, until } from './killing.ts';

let kills: Killing;
let under: Bench;
let approving: Approving;
let externals: ExternalCalls;
beforeAll(async () => {
  kills = await Killing.open();
  ({ under } = kills);
  approving = await Approving.start(under.system, under.store);
  externals = await startExternalCalls(under);
}, 120_000);
afterAll(async () => {
  await approving?.close();
  externals?.close();
  await kills?.close();
}, 60_000);

/** `arm` arms the failpoint: what follows is in progress when the process is killed. */
type Scenario = (arm: () => void) => Promise<void>;

/** A request with its own transaction: the same key gets the same checkout. */
const checkout: Scenario = async (arm) => {
  const buyer = await Buyer.arrive(under.system.api, 'faults');
  const body = { items: [{ productId: under.productId, quantity: 1 }] };
  const key = `checkout-${kills.promised.checkouts.size}`;
  const open = () => buyer.call('POST', '/storefront/v1/checkout', body, { 'idempotency-key': key });
  arm();
  const { status, body: reply } = await answered(open);
  expect(status).toBe(201);
  const { checkoutId } = reply.data as { checkoutId: string };
  kills.promised.checkouts.add(checkoutId);
  expect((await answered(open)).body.data.checkoutId).toBe(checkoutId);
  // One that nobody begins to pay is swept when the ends of holds have advanced the store's clock by a week (db/retention/kinds.ts).
  expect((await answered(() => buyer.start(checkoutId))).status).toBe(200);
};

/** A command to a run: the same key gets its reply, and the step is recorded once. */
const confirm: Scenario = async (arm) => {
  const { orderItemId } = await kills.paid(await kills.started());
  await kills.quiet();
  arm();
  const confirmed = await answered(() =>
    under.seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}, { 'idempotency-key': orderItemId }),
  );
  expect(confirmed.status).toBe(200);
  kills.promised.items.set(orderItemId, 'CONFIRMED');
  expect(await kills.count(`FROM flow_step WHERE order_item_id = $1 AND event ->> 'key' = 'confirm'`, [orderItemId])).toBe(1);
};

/** A payment is charged once and creates one order, whose run is started; returns the keys under which it was confirmed. */
const purchase = async (arm: () => void): Promise<readonly string[]> => {
  await kills.quiet();
  const payment = await kills.started();
  arm();
  const { orderId } = await kills.paid(payment);
  expect(await kills.count('FROM orders WHERE payment_id = $1', [payment.paymentId])).toBe(1);
  const { rows } = await kills.database.query<{ pg_order_id: string }>('SELECT pg_order_id FROM payment_attempt WHERE payment_id = $1', [
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
      (await kills.count(
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

/** An event reaches its receiver, and its delivery ends. */
const delivery: Scenario = async (arm) => {
  await kills.quiet();
  const payment = await kills.started();
  arm();
  const { orderId } = await kills.paid(payment);
  await until('the event is delivered', async () => {
    await kills.advanceNowAndThen();
    const { rows } = await kills.database.query<{ event_id: string }>(
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
    const { orderItemId } = await kills.paid(await kills.started());
    await kills.quiet();
    const approvalId = await approving.created(wanted(orderItemId));
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
  (orderItemId) => kills.count('FROM category WHERE name = $1', [orderItemId]),
);
const cancel = execution(
  (orderItemId) => ({ id: 'orders.cancel', params: { orderItemId }, body: { reason: 'OTHER' } }),
  (orderItemId) => kills.count(`FROM flow_step WHERE order_item_id = $1 AND event ->> 'type' = 'reduced'`, [orderItemId]),
);

/** Points expire once, although the advance that had begun to expire them is killed. */
const expiry: Scenario = async (arm) => {
  await Buyer.join(under.system.api, 'faults', 'expiry@example.com');
  const { rows } = await kills.database.query<{ id: string }>(`SELECT customer_id AS id FROM customer WHERE email = 'expiry@example.com'`);
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
    await kills.advanceNowAndThen();
    return (await kills.count(`FROM point_history WHERE customer_id = $1 AND type = 'EXPIRE'`, [customerId])) === 1;
  });
  await kills.advance();
  expect(await kills.count(`FROM point_history WHERE customer_id = $1`, [customerId])).toBe(2);
  expect(await kills.count(`FROM check_point_accounts('', '', 10000) c WHERE c.balance_won <> c.lots_won OR c.wrong_lots > 0`, [])).toBe(0);
};

/** Visits are counted once, although the advance that had begun to count them is killed. */
const visits: Scenario = async (arm) => {
  const headers = { 'x-store-code': 'faults', 'x-svc-visitor': 'v', 'x-svc-session': 's' };
  const body = { events: [{ type: 'PAGE_VIEW', path: '/' }] };
  expect((await answered(() => call(under.system.api, 'POST', '/storefront/v1/events', { body, headers }))).status).toBe(200);
  arm();
  await until('the visit is counted', async () => {
    await kills.advanceNowAndThen();
    return (await kills.count(`FROM visit_batch`, [])) === 0;
  });
  await kills.advance();
  expect(await kills.count(`FROM visit_sum WHERE list = 'ALL' AND page_views = 1`, [])).toBe(1);
  expect(await kills.count(`FROM visit_distinct WHERE list IN ('VISITOR', 'SESSION') AND n = 1`, [])).toBe(2);
};

/** An external service is asked so often, and what became of it is unknown: the flow goes on as after a failure. */
const externalCall =
  (requests: number): Scenario =>
  async (arm) => {
    const { orderItemId } = await kills.paid(await kills.started('tosspayments', externals.productId));
    await kills.quiet();
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

describe('killed once at', () => {
  test.each(FAILPOINTS)(
    '%s: what was promised happens, once',
    async (failpoint) => {
      const file = join(kills.armed, failpoint);
      await SCENARIOS[failpoint](() => writeFileSync(file, ''));
      expect(existsSync(file)).toBe(false);
    },
    120_000,
  );
  test.each(['request.before-commit', 'request.after-commit', 'execution.after-answer'] as const)(
    '%s of an approved request: it is carried out once',
    async (failpoint) => {
      const file = join(kills.armed, failpoint);
      await category(() => writeFileSync(file, ''));
      expect(existsSync(file)).toBe(false);
    },
    120_000,
  );
  test('every one of them loses and repeats nothing', async () => {
    expect(await kills.violations()).toEqual([]);
  }, 120_000);
});
