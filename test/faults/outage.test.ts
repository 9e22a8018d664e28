/** Outages of a separate system: Postgres hangs, Temporal loses its database, every process is killed once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { Client as Postgres } from 'pg';
import { Buyer, call, pay } from '../../bin/dev/client.ts';
import { entityStatus } from '../../workflows/kernel/attributes.ts';
import { CLOCK_SIGNAL } from '../../workflows/kernel/messages.ts';
import { type Bench, bench, freeze, kill, killUnderLoad } from './harness.ts';
import { settle } from './invariants.ts';

let under: Bench;
let temporal: Client;
beforeAll(async () => {
  under = await bench();
  temporal = new Client({ connection: await Connection.connect({ address: under.system.temporalAddress }) });
}, 120_000);
afterEach(() => freeze(under.system, 'SIGCONT'));
afterAll(() => under.close(), 60_000);

const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
  const client = new Postgres({ connectionString: under.system.databaseUrl });
  await client.connect();
  const result = await client.query<Row & Record<string, unknown>>(text, [...values]);
  await client.end();
  return result.rows;
};
const until = async (what: string, holds: () => Promise<boolean>, ms = 60_000) => {
  const end = Date.now() + ms;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await sleep(200);
  }
};
const started = async () => {
  const buyer = await Buyer.arrive(under.system.api, 'faults');
  const { checkoutId } = (await buyer.checkout(under.productId)).body.data as { checkoutId: string };
  const { paymentId, payUrl } = (await buyer.start(checkoutId)).body.data as { paymentId: string; payUrl: string };
  return { buyer, paymentId, payUrl };
};
const bought = async () => {
  const { buyer, paymentId, payUrl } = await started();
  await pay(payUrl);
  const { orderId } = (await buyer.status(paymentId)).body.data as { orderId: string };
  return (await under.seller.call('GET', `/v1/orders/${orderId}`)).body.data.items[0] as { orderItemId: string; orderItemNo: string };
};
const act = (id: string, action: string, body: object = {}, key = `${id}-${action}`) =>
  under.seller.call('POST', `/v1/order-items/${id}/${action}`, body, { 'idempotency-key': key });
const statusOf = async (paymentId: string) =>
  (await rows<{ status: string }>('SELECT status FROM payment WHERE payment_id = $1', [paymentId]))[0]?.status;
const pending = async (workflowId: string) => {
  const { raw } = await temporal.workflow.getHandle(workflowId).describe();
  return (raw.pendingActivities ?? []).map((activity) => ({
    name: activity.activityType?.name,
    attempt: activity.attempt,
    failure: activity.lastFailure?.message,
  }));
};

describe('Postgres hangs', () => {
  test('what was under way is pending, and then goes on once', async () => {
    const { storeId } = under.store;
    const [item, due] = [await bought(), await bought()];
    await act(due.orderItemId, 'confirm');
    await act(due.orderItemId, 'dispatch', { deliveryMethod: 'NONE' });
    await act(item.orderItemId, 'confirm');
    const paying = await started();
    const dueRun = `order-item/${storeId}/${due.orderItemNo}`;
    await until('quiet', async () => (await settle(under.system.databaseUrl, 20_000)) === null);
    const itemRun = `order-item/${storeId}/${item.orderItemNo}`;
    const shown = await temporal.workflow.getHandle(dueRun).describe();
    expect(shown.typedSearchAttributes.get(entityStatus)).toBe('DISPATCHED');

    // The command waits for a lock inside its transaction, the provider's response comes after four seconds, and the clock signal makes the
    // deadline due.
    const lock = new Postgres({ connectionString: under.system.databaseUrl });
    lock.on('error', () => {});
    await lock.connect();
    await lock.query('BEGIN');
    const [{ pg_order_id: orderId } = {}] = await rows<{ pg_order_id?: string }>(
      'SELECT pg_order_id FROM payment_attempt WHERE payment_id = $1',
      [paying.paymentId],
    );
    await call(under.system.simulator, 'POST', '/__sim/next', { body: { op: 'confirm', behavior: '0000+4000', orderId } });
    const settlement = pay(paying.payUrl).catch(() => null);
    await until('the provider is asked', async () => (await statusOf(paying.paymentId)) === 'processing');
    await lock.query('SELECT 1 FROM order_item WHERE order_item_id = $1 FOR UPDATE', [item.orderItemId]);
    const command = act(item.orderItemId, 'dispatch', { deliveryMethod: 'NONE' }, 'outage');
    await until('the command waits for its row', async () => (await rows(`SELECT 1 FROM pg_locks WHERE NOT granted`)).length > 0);
    freeze(under.system, 'SIGSTOP');
    await temporal.workflow.getHandle(dueRun).signal(CLOCK_SIGNAL, 8 * 86_400_000);
    const first = await command.catch(() => null);
    expect([200, 503, undefined]).toContain(first?.status);
    const stuck = {
      [dueRun]: 'transitionOrderItem',
      [itemRun]: 'transitionOrderItem',
      [`payment/${storeId}/${paying.paymentId}`]: 'transitionPayment',
    };
    for (const [workflowId, name] of Object.entries(stuck))
      await until(
        `${workflowId} is pending and says why`,
        async () => {
          const [activity] = await pending(workflowId);
          return activity?.name === name && (activity.attempt ?? 0) > 1 && String(activity.failure).includes('Postgres is out of reach');
        },
        20_000,
      );
    expect((await fetch(`${under.system.api}/health/ready`)).status).toBe(503);
    freeze(under.system, 'SIGCONT');
    await lock.end().catch(() => {});

    await until(
      'the deadline happened',
      async () =>
        (await rows<{ status: string }>('SELECT status FROM order_item WHERE order_item_id = $1', [due.orderItemId]))[0]?.status ===
        'DELIVERED',
    );
    await until(
      'the same key answers',
      async () => (await act(item.orderItemId, 'dispatch', { deliveryMethod: 'NONE' }, 'outage')).status === 200,
    );
    await settlement;
    await until('paid', async () => (await paying.buyer.status(paying.paymentId)).body.data.status === 'completed');
    for (const { orderItemId } of [item, due]) {
      const steps = await rows<{ n: number }>(
        `SELECT count(*)::int AS n FROM flow_step WHERE order_item_id = $1 AND event ->> 'key' = 'dispatch'`,
        [orderItemId],
      );
      expect(steps).toEqual([{ n: 1 }]);
    }
    expect(await rows('SELECT 1 FROM orders WHERE payment_id = $1', [paying.paymentId])).toHaveLength(1);
  }, 120_000);
});

describe('Temporal loses its whole database', () => {
  test('every open run comes back by itself', async () => {
    const item = await bought();
    await act(item.orderItemId, 'confirm');
    await act(item.orderItemId, 'dispatch', { deliveryMethod: 'NONE' });
    const { paymentId } = await started();
    await until('loaded', async () => (await rows('SELECT 1 FROM run WHERE done_at IS NULL AND loaded_at IS NULL')).length === 0);
    const open = await rows<{ workflow_id: string }>('SELECT workflow_id FROM run WHERE done_at IS NULL');
    expect(open.length).toBeGreaterThanOrEqual(2);
    const folder = under.system.dataDir;
    kill(under.system, 'temporal');
    for (const ending of ['', '-wal', '-shm']) rmSync(join(folder, `temporal.db${ending}`), { force: true });
    await until(
      'every run is back',
      async () => {
        const back = await Promise.all(
          open.map(({ workflow_id: id }) =>
            temporal.workflow
              .getHandle(id)
              .describe()
              .then(
                ({ status }) => status.name,
                () => null,
              ),
          ),
        );
        return back.every((status) => status === 'RUNNING' || status === 'COMPLETED');
      },
      90_000,
    );
    expect((await under.seller.call('POST', '/v1/sandbox/clock', { advance: 'P30D' })).status).toBe(200);
    await until(
      'decided',
      async () =>
        (await rows<{ status: string }>('SELECT status FROM order_item WHERE order_item_id = $1', [item.orderItemId]))[0]?.status ===
        'PURCHASE_DECIDED',
    );
    await until(
      'expired',
      async () =>
        (await rows<{ status: string }>('SELECT status FROM payment WHERE payment_id = $1', [paymentId]))[0]?.status === 'expired',
    );
  }, 150_000);
});

describe('kill -9 under load', () => {
  test('of API, worker, Postgres and Temporal loses and repeats nothing', async () => {
    const report = await killUnderLoad(under, { kills: 4, buyers: 2, orders: 2 });
    expect(report.violations).toEqual([]);
    expect(report.orders).toBeGreaterThan(0);
  }, 240_000);
});
