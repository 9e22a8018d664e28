/** Workflows on the time-skipping server, from the shipped bundle, with real Postgres: weeks pass in milliseconds. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { Client as PgClient, Pool } from 'pg';
import { createCalls, createTransitions } from '../../activities/index.ts';
import { makeStore } from '../../bin/setup/stores.ts';
import { listProducts } from '../../db/catalog/store.ts';
import { findCheckout, openCheckout } from '../../db/checkout/store.ts';
import { realClock } from '../../db/kernel/clock.ts';
import { readConfig, roleUrl } from '../../db/kernel/config.ts';
import { createKeyring } from '../../db/kernel/keyring.ts';
import { createLog } from '../../db/kernel/log.ts';
import { migrate } from '../../db/migrate.ts';
import { inStore, openOrm, REQUEST, sql } from '../../db/orm.ts';
import { startPayment } from '../../db/payments/store.ts';
import { registerWebhook } from '../../db/webhooks/store.ts';
import { workflowBundle } from '../../worker/bundle.ts';
import { runRelay } from '../../worker/relay.ts';
import { searchAttributes } from '../../workflows/kernel/attributes.ts';
import type { Command } from '../../workflows/kernel/obligations.ts';
import { RUNS_QUEUE } from '../../workflows/kernel/queues.ts';
import { startOptions, type RunName } from '../../workflows/kernel/start.ts';
import { orderItemWorkflowId } from '../../workflows/orders/contract.ts';
import { paymentWorkflowId } from '../../workflows/payments/contract.ts';
import { webhookWorkflowId } from '../../workflows/webhooks/contract.ts';
import { ADDRESS, GUEST, OPTION } from '../kernel/http.ts';
import { underTest } from '../kernel/world.ts';

let env: TestWorkflowEnvironment;
let orm: MikroORM;
let storeId: string;
const stopping = new AbortController();
const running: Promise<unknown>[] = [];
const workers: Worker[] = [];
let pool: Pool;

beforeAll(async () => {
  const database = `skip_${Date.now().toString(36)}`;
  const owner = new PgClient({ connectionString: underTest.databaseUrl });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${database}`);
  await owner.end();
  const url = new URL(underTest.databaseUrl);
  url.pathname = `/${database}`;
  await migrate(url.href);
  ({ storeId } = await makeStore(url.href, { code: 'skip', name: 's', sandbox: false, withProduct: true }));
  orm = await openOrm(roleUrl(url.href, 'sangjeom_app'), 10);
  pool = new Pool({ connectionString: roleUrl(url.href, 'sangjeom_relay'), max: 4 });

  const log = createLog('test', 'fatal');
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path: underTest.testServer } } });
  await env.connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(searchAttributes.map(({ name, type }) => [name, type === 'KEYWORD' ? 2 : 6])),
  });
  const config = readConfig({ ...underTest.env, DATABASE_URL: url.href });
  const deps = { orm, config, keyring: createKeyring(config.sealingKeys), clock: realClock, log };
  const shared = { connection: env.nativeConnection, namespace: 'default' };
  workers.push(
    await Worker.create({ ...shared, taskQueue: RUNS_QUEUE, workflowBundle: await workflowBundle(), activities: createTransitions(deps) }),
    ...(await Promise.all(
      Object.entries(createCalls(deps)).map(([taskQueue, activities]) => Worker.create({ ...shared, taskQueue, activities })),
    )),
  );
  running.push(
    ...workers.map((worker) => worker.run()),
    runRelay({ pool, client: env.client, clock: realClock, log, signal: stopping.signal }),
  );
}, 120_000);

afterAll(async () => {
  stopping.abort();
  for (const worker of workers) worker.shutdown();
  await Promise.allSettled(running);
  await pool.end();
  await orm.close();
  await env.teardown();
});

const rows = <Row extends object>(text: string, values: readonly unknown[] = []) =>
  inStore(orm, storeId, REQUEST, (em) => sql<Row>(em, text, values));

/** A started payment, as the API makes one. Business time is the server's own. */
async function paymentOf(): Promise<{ paymentId: string; attemptId: string; pgOrderId: string; amount: number; orderNo: string }> {
  const at = await env.currentTimeMs();
  return inStore(orm, storeId, REQUEST, async (em) => {
    const { product } = (await listProducts(em, storeId, { page: 1, size: 1 })).items[0]!;
    const opened = await openCheckout(em, storeId, 'gst_x', [{ productId: product.productId, quantity: 1 }], at);
    await em.flush();
    const checkout = await findCheckout(em, storeId, opened.checkoutId, 'gst_x', true);
    const { name, phone, email } = GUEST;
    const wanted = {
      option: OPTION,
      returnUrl: 'http://localhost/',
      shippingAddress: ADDRESS,
      buyer: { name, phone, email },
      orderPasswordHash: 'x',
      testPayment: true,
    };
    const { payment, attempt } = await startPayment(em, checkout, wanted, { at, realNow: Date.now() });
    return {
      paymentId: payment.paymentId,
      attemptId: attempt.attemptId,
      pgOrderId: attempt.pgOrderId,
      amount: attempt.amountWon,
      orderNo: payment.orderNo,
    };
  });
}
async function command(run: RunName, name: string, input: Command['input'], wait: Command['wait'] = 'committed'): Promise<void> {
  const key = randomUUID();
  const wish: Command = {
    name,
    input,
    wait,
    operation: { principal: 't', key, id: 't', fingerprint: key },
    requestId: key,
    clock: 0,
    actor: 't',
    notAfter: Date.now() + 8000,
  };
  const startWorkflowOperation = new WithStartWorkflowOperation(run.kind, startOptions(run));
  await env.client.workflow.executeUpdateWithStart('command', { args: [wish], updateId: key, startWorkflowOperation });
}
async function bought(): Promise<{ orderItemId: string; run: RunName }> {
  const paid = await paymentOf();
  const payment: RunName = {
    storeId,
    kind: 'payment',
    workflowId: paymentWorkflowId(storeId, paid.paymentId),
    runId: paid.paymentId,
    orderNo: paid.orderNo,
  };
  const submit = new URLSearchParams({
    orderId: paid.pgOrderId,
    orderName: 'x',
    amount: String(paid.amount),
    successUrl: 'http://localhost/s',
    failUrl: 'http://localhost/f',
    card: '4111111111110000',
  });
  const answer = await fetch(`${underTest.simulator}/window/toss/submit?${submit.toString()}`, { redirect: 'manual' });
  const paymentKey = new URL(answer.headers.get('location')!).searchParams.get('paymentKey')!;
  await command(payment, 'pay', { attemptId: paid.attemptId, paymentKey, pgOrderId: paid.pgOrderId, amount: paid.amount }, 'settled');
  const [item] = await rows<{ order_item_id: string; order_item_no: string }>(
    'SELECT order_item_id, order_item_no FROM order_item WHERE order_item_no = ?',
    [`${paid.orderNo}01`],
  );
  const workflowId = orderItemWorkflowId(storeId, item!.order_item_no);
  return {
    orderItemId: item!.order_item_id,
    run: { storeId, kind: 'orderItem', workflowId, runId: item!.order_item_id, orderNo: paid.orderNo },
  };
}

describe('on the time-skipping server', () => {
  test('a payment that nobody pays expires after ten minutes', async () => {
    const { paymentId } = await paymentOf();
    const before = await env.currentTimeMs();
    await env.client.workflow.start(
      'payment',
      startOptions({ storeId, kind: 'payment', workflowId: paymentWorkflowId(storeId, paymentId), runId: paymentId, orderNo: null }),
    );
    await env.client.workflow.getHandle(paymentWorkflowId(storeId, paymentId)).result();
    expect(Math.round(((await env.currentTimeMs()) - before) / 60_000)).toBe(10);
    expect(await rows('SELECT status, result FROM payment WHERE payment_id = ?', [paymentId])).toEqual([
      { status: 'expired', result: 'EXPIRED' },
    ]);
  });

  test('an item that is dispatched is delivered after 7 days and decided after 14', async () => {
    const { orderItemId, run } = await bought();
    await command(run, 'confirm', {});
    await command(run, 'dispatch', { deliveryMethod: 'NONE' });
    await env.client.workflow.getHandle(run.workflowId).result();
    const steps = await rows<{ at: string; event: { type: string } }>(
      'SELECT at, event FROM flow_step WHERE order_item_id = ? ORDER BY seq',
      [orderItemId],
    );
    const days = steps.slice(3).map(({ at }) => (Date.parse(at) - Date.parse(steps[2]!.at)) / 86_400_000);
    expect(days).toEqual([7, 14]);
    expect(await rows('SELECT status FROM order_item WHERE order_item_id = ?', [orderItemId])).toEqual([{ status: 'PURCHASE_DECIDED' }]);
    expect(await rows('SELECT 1 AS open FROM run WHERE run_id = ? AND done_at IS NULL', [orderItemId])).toEqual([]);
  });

  test('a delivery to a dead receiver is tried five times over 2 hours 36 minutes', async () => {
    const { webhook } = await inStore(orm, storeId, REQUEST, (em) =>
      registerWebhook(
        em,
        createKeyring(underTest.env['SEALING_KEYS']!),
        storeId,
        { url: 'http://127.0.0.1:9/', eventTypes: ['ORDER.PAID'] },
        Date.now(),
      ),
    );
    await bought();
    const [delivery] = await rows<{ delivery_id: string; created_at: string }>(
      'SELECT delivery_id, created_at FROM webhook_delivery WHERE webhook_id = ?',
      [webhook.webhookId],
    );
    const deliveryId = delivery!.delivery_id;
    const run: RunName = {
      storeId,
      kind: 'webhookDelivery',
      workflowId: webhookWorkflowId(storeId, deliveryId),
      runId: deliveryId,
      orderNo: null,
    };
    await env.client.workflow.start('webhookDelivery', startOptions(run));
    await env.client.workflow.getHandle(run.workflowId).result();
    const [ended] = await rows<{ status: string; attempt_count: number; error_code: string; attempted_at: string }>(
      'SELECT status, attempt_count, error_code, attempted_at FROM webhook_delivery WHERE delivery_id = ?',
      [deliveryId],
    );
    expect(ended).toMatchObject({ status: 'FAILED', attempt_count: 5, error_code: 'CONNECTION_FAILED' });
    expect(Math.round((Date.parse(ended!.attempted_at) - Date.parse(delivery!.created_at)) / 60_000)).toBe(156);
  });

  test('a command that comes after its deadline never happens', async () => {
    const { orderItemId, run } = await bought();
    const key = randomUUID();
    const late: Command = {
      name: 'confirm',
      input: {},
      operation: { principal: 't', key, id: 't', fingerprint: key },
      requestId: key,
      actor: 't',
      clock: 0,
      notAfter: Date.now() - 1,
    };
    const startWorkflowOperation = new WithStartWorkflowOperation('orderItem', startOptions(run));
    const refused = env.client.workflow.executeUpdateWithStart('command', { args: [late], updateId: key, startWorkflowOperation });
    await expect(refused).rejects.toMatchObject({ cause: { type: 'TEMPORARILY_UNAVAILABLE' } });
    expect(await rows('SELECT status FROM order_item WHERE order_item_id = ?', [orderItemId])).toEqual([{ status: 'PAID' }]);
  });
});
