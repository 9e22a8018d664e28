/**
 * A worker of the test's own in a Temporal namespace of its own, or on a server of its own where that skips time: the shipped bundle,
 * every real activity, real Postgres.
 */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Pool } from 'pg';
import { createActivities } from '../../../activities/index.ts';
import { Attempts } from '../../../activities/kernel/attempts.ts';
import { Places } from '../../../activities/kernel/places.ts';
import { createStorage } from '../../../activities/providers/storage.ts';
import { executorOf } from '../../../api/executor.ts';
import { seedMembers } from '../../../bin/dev/people.ts';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { listProducts } from '../../../db/products/queries.ts';
import { openCheckout } from '../../../db/checkout/commands.ts';
import type { WantedLine } from '../../../db/checkout/lines.ts';
import { findCheckout } from '../../../db/checkout/queries.ts';
import { realClock } from '../../../db/kernel/clock.ts';
import { readConfig } from '../../../db/kernel/config.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { createLog } from '../../../db/kernel/log.ts';
import { openOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { startPurchase } from '../../../db/purchases.ts';
import { createApproval } from '../../../db/approvals/commands.ts';
import { approvalRun } from '../../../db/approvals/queries.ts';
import { issueApiToken } from '../../../db/identity/apiTokens.ts';
import { fileClaim } from '../../../db/claims/file.ts';
import { lockItem } from '../../../db/claims/item.ts';
import { claimRun } from '../../../db/claims/rows.ts';
import { invite } from '../../../db/invitations/commands.ts';
import { invitationRun } from '../../../db/invitations/queries.ts';
import { registerWebhook } from '../../../db/webhooks/commands.ts';
import { workflowBundle } from '../../../worker/bundle.ts';
import { untraced } from '../../../worker/tracing.ts';
import { Pressure } from '../../../worker/pressure.ts';
import { runRelay } from '../../../worker/relay.ts';
import { addSearchAttributes } from '../../../worker/searchAttributes.ts';
import {
  CLOCK_SIGNAL,
  COMMAND_UPDATE,
  type CommandContent,
  type CommandEnvelope,
  orderItemRun,
  runOf,
} from '../../../workflows/kernel/messages.ts';
import type { ClaimRequest } from '../../../domain/claims/rules.ts';
import type { PaymentMessages } from '../../../domain/payments/messages.ts';
import { storeText } from '../../../db/runs/text.ts';
import { DELIVERIES_QUEUE, RUNS_QUEUE, YIELDING_QUEUE } from '../../../workflows/kernel/queues.ts';
import { startOptions, type RunName } from '../../../workflows/kernel/start.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { ADDRESS, GUEST, OPTION } from '../../../bin/dev/client.ts';
import { newApproval, type Wanted } from '../../kernel/approvals.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { installRuntime, newNamespace } from '../../kernel/temporal.ts';
import { underTest, until } from '../../kernel/world.ts';
import { tenancy } from '../../kernel/tenancy.ts';

export interface Hosting {
  /** The time-skipping server forgets updates of terminated runs; the dev server, which all suites share, is the real one. */
  readonly server: 'time-skipping' | 'dev';
  /** The way to Postgres. */
  readonly through?: (url: string) => string;
  /** Sees every execution of an activity, local ones too. */
  readonly around?: ActivityInterceptorsFactory;
}

/** The SDK gives a server five seconds to start: too few while every suite starts at once. */
async function startedAtLast(start: () => Promise<TestWorkflowEnvironment>): Promise<TestWorkflowEnvironment> {
  for (let left = 2; left > 0; left--)
    try {
      return await start();
    } catch (error) {
      process.stderr.write(`Started again: ${String(error)}\n`);
    }
  return start();
}

const startTimeSkipping = (): Promise<TestWorkflowEnvironment> =>
  startedAtLast(() =>
    TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path: underTest.testServer } } }),
  );

const openNamespace = async (): Promise<TestWorkflowEnvironment> =>
  TestWorkflowEnvironment.createFromExistingServer({ address: underTest.temporalAddress, namespace: await newNamespace('host') });

/** Starts a database and a worker in a namespace of their own, or on a server that skips time. */
export async function host({ server, around, through = (url) => url }: Hosting) {
  const url = await migratedDatabase('skip');
  const store = await makeStore(url, { code: 'skip', name: 's', sandbox: true, withProduct: true }, underTest.env['SEALING_KEYS']);
  const { storeId } = store;
  await seedMembers(url, storeId, [{ role: 'OWNER', email: 'owner@skip.example' }]);
  const orm = await openOrm(through(roleUrl(url, 'sangjeom_app')), 10);
  const pool = new Pool({ connectionString: roleUrl(url, 'sangjeom_relay'), max: 4 });

  const log = createLog('test', 'fatal');
  installRuntime();
  const env = await (server === 'dev' ? openNamespace() : startTimeSkipping());
  const namespace = env.namespace ?? 'default';
  await addSearchAttributes(env.nativeConnection, namespace);
  const config = readConfig(underTest.env);
  const keyring = createKeyring(config.sealingKeys);
  const stopping = new AbortController();
  const shares = { orm, config, keyring, clock: realClock, log };
  const storage = await createStorage(config.storage);
  const executorThrough = (temporal: Client) => executorOf({ ...shares, storage, temporal, stopping: stopping.signal });
  const executor = await executorThrough(env.client);
  const deps = { ...shares, executor, places: new Places(), attempts: new Attempts() };
  const shared = { connection: env.nativeConnection, namespace, ...(around && { interceptors: { activity: [around] } }) };
  const hosts = { ...shared, ...untraced, workflowBundle: await workflowBundle() };
  const activities = createActivities(deps);
  const workers = await Promise.all([
    Worker.create({ ...hosts, taskQueue: RUNS_QUEUE, activities: activities.transitions }),
    ...[DELIVERIES_QUEUE, YIELDING_QUEUE].map((taskQueue) =>
      Worker.create({ ...hosts, taskQueue, activities: activities.createDeliveries() }),
    ),
    ...Object.entries(activities.calls).map(([taskQueue, calls]) => Worker.create({ ...shared, taskQueue, activities: calls })),
  ]);
  const running = [
    ...workers.map((worker) => worker.run()),
    // As the worker's relay: on the workers' own connection, so that a first task comes with the answer to its start.
    runRelay({
      pool,
      client: new Client({ connection: env.nativeConnection, namespace }),
      clock: realClock,
      log,
      signal: stopping.signal,
      pressure: new Pressure(),
      attempts: deps.attempts,
    }),
  ];

  const rows = <Row extends object>(text: string, values: readonly unknown[] = []) =>
    inTenant(orm, tenancy(storeId), REQUEST, ({ em }) => em.execute<Row[]>(text, [...values]));
  let offset = 0;
  let sent = 0;
  const now = async () => (await env.currentTimeMs()) + offset;
  /**
   * An execution that would do something else than what is shown does nothing, and shows what it would do: so the request has its preview.
   */
  const shownAnew = async ({ entityId: approvalId }: RunName, userId: string) => {
    const at = await now();
    await rows(
      `UPDATE approval_request SET decision = 'APPROVE', status = 'EXECUTING', executing_since = ?, approver_user_id = ?,
         approver_scopes = required_scopes WHERE approval_id = ?`,
      [new Date(at), userId, approvalId],
    );
    await executor.execute({ storeId, approvalId, at });
    await rows(
      `UPDATE approval_request SET decision = NULL, status = 'PENDING', executing_since = NULL, approver_user_id = NULL,
         approver_scopes = NULL, execution_round = 1 WHERE approval_id = ?`,
      [approvalId],
    );
  };
  const relayed = () => until('the outbox is empty', async () => (await pool.query('SELECT 1 FROM outbox LIMIT 1')).rowCount === 0);
  return {
    store,
    storeId,
    databaseUrl: url,
    temporalAddress: env.address,
    temporalNamespace: namespace,
    client: env.client,
    now,
    rows,
    /** Moves the sandbox store's clock, and tells the run as the API does. */
    async advance(run: RunName, ms: number): Promise<void> {
      offset += ms;
      await rows('UPDATE store SET clock_offset_ms = ? WHERE store_id = ?', [offset, storeId]);
      await env.client.workflow.getHandle(run.workflowId).signal(CLOCK_SIGNAL, offset);
    },
    /** Business time, as the API passes it in. */
    inTenant: async <T>(work: (tx: Tx) => Promise<T>) => inTenant(orm, { storeId, at: await now(), realNow: Date.now() }, REQUEST, work),
    keyring,
    executor,
    /** Another executor, with its own way to Temporal. */
    executorThrough,
    receiver: (receiverUrl: string) =>
      inTenant(orm, tenancy(storeId), REQUEST, (tx) => registerWebhook(tx, keyring, { url: receiverUrl, eventTypes: ['ORDER.PAID'] })),
    /** Lets time pass on a server that skips it, once the relay has sent what is committed: it works in real time. */
    async skip(ms: number): Promise<void> {
      await relayed();
      await env.sleep(ms);
    },
    relayed,
    /** The latest delivery of a receiver. */
    async deliveryRun(webhookId: string): Promise<RunName> {
      const [delivery] = await rows<{ delivery_id: string }>(
        'SELECT delivery_id FROM webhook_delivery WHERE webhook_id = ? ORDER BY delivery_id DESC LIMIT 1',
        [webhookId],
      );
      return runOf('webhookDelivery', storeId, delivery!.delivery_id);
    },
    /** A started payment, as the API makes one; without lines of the store's first product. Business time is the server's own. */
    async payment(wanted?: readonly WantedLine[]) {
      return inTenant(orm, { storeId, at: await now(), realNow: Date.now() }, REQUEST, async (tx) => {
        const lines = wanted ?? [{ productId: (await listProducts(tx, { page: 1, size: 1 })).items[0]!.product.productId, quantity: 1 }];
        const opened = await openCheckout(tx, 'gst_x', { lines });
        await tx.em.flush();
        const checkout = await findCheckout(tx, opened.checkoutId, 'gst_x', true);
        const { name, phone, email } = GUEST;
        const start = {
          option: { ...OPTION, provider: null },
          returnUrl: 'http://localhost/',
          shippingAddress: ADDRESS,
          buyer: { name, phone, email },
          orderPasswordHash: 'x',
          visit: null,
          pointAmount: 0,
        };
        const { payment, attempt } = await startPurchase(tx, checkout, start);
        const { paymentId, orderNo } = payment;
        const run: RunName = runOf('payment', storeId, paymentId, orderNo);
        return { run, orderNo, attemptId: attempt!.attemptId, pgOrderId: attempt!.pgOrderId, amount: attempt!.amountWon };
      });
    },
    /** Keeps a text aside, as the API does; its id. */
    text: (value: string) => inTenant(orm, tenancy(storeId), REQUEST, (tx) => storeText(tx, value)),
    /** The buyer's way through the provider's window: what the provider hands to the return address. */
    async authenticated(payment: { attemptId: string; pgOrderId: string; amount: number }): Promise<PaymentMessages['commands']['pay']> {
      const { attemptId, pgOrderId, amount } = payment;
      const submit = new URLSearchParams({
        orderId: pgOrderId,
        orderName: 'x',
        amount: String(amount),
        successUrl: 'http://localhost/s',
        failUrl: 'http://localhost/f',
        card: '4111111111110000',
      });
      const answer = await fetch(`${underTest.simulator}/window/toss/submit?${submit.toString()}`, { redirect: 'manual' });
      const paymentKey = new URL(answer.headers.get('location')!).searchParams.get('paymentKey')!;
      const paymentKeyId = await inTenant(orm, tenancy(storeId), REQUEST, (tx) => storeText(tx, paymentKey));
      return { attemptId, paymentKeyId, pgOrderId, amount };
    },
    /** An invitation, as the API makes one. */
    async invitation(email: string): Promise<RunName> {
      // A day apart on the clock that counts mails: a sender may send fifty in one.
      sent++;
      const tenant = { storeId, at: await now(), realNow: Date.now() + sent * DAY };
      const [owner] = await rows<{ user_id: string }>('SELECT user_id FROM member');
      const wanted = { email, role: 'STAFF', invitedBy: owner!.user_id } as const;
      return inTenant(orm, tenant, REQUEST, async (tx) => invitationRun(await invite(tx, keyring, wanted)));
    },
    /** What an agent asks for, as the API files it. */
    async approval(wanted: Wanted): Promise<RunName<'approval'>> {
      const [owner] = await rows<{ user_id: string }>('SELECT user_id FROM member');
      const token = {
        name: 'robot',
        scopes: ['category:rw', 'order:rw', 'promotion:rw'],
        purpose: 'agent',
        expiresInDays: null,
        createdBy: owner!.user_id,
      } as const;
      const tenant = { storeId, at: await now(), realNow: Date.now() };
      return inTenant(orm, tenant, REQUEST, async (tx) => {
        const { tokenId } = await issueApiToken(tx, token);
        const { approval } = await createApproval(tx, newApproval({ tokenId, principal: tokenId }, wanted));
        return approvalRun(storeId, approval!.approvalId);
      }).then(async (run) => {
        await shownAnew(run, owner!.user_id);
        return run;
      });
    },
    /** What a buyer files for an item, as the API does. */
    async claim(orderItemId: string, request: ClaimRequest): Promise<RunName<'claim'>> {
      const tenant = { storeId, at: await now(), realNow: Date.now() };
      return inTenant(orm, tenant, REQUEST, async (tx) => claimRun(await fileClaim(await lockItem(tx, orderItemId), request, '')));
    },
    async itemOf(orderNo: string): Promise<RunName> {
      const [item] = await rows<{ order_item_id: string; order_item_no: string }>(
        'SELECT order_item_id, order_item_no FROM order_item WHERE order_item_no = ?',
        [`${orderNo}01`],
      );
      return orderItemRun({ storeId, orderItemId: item!.order_item_id, orderItemNo: item!.order_item_no });
    },
    /** One update-with-start, as the API sends it. */
    async command(run: RunName, name: CommandContent['name'], input: object, changes: Partial<CommandEnvelope> = {}): Promise<void> {
      const key = changes.operation?.key ?? randomUUID();
      const command = {
        name,
        input,
        operation: { principal: 't', key, id: 't', fingerprint: key },
        requestId: randomUUID(),
        clock: offset,
        actor: 't',
        notAfter: Date.now() + 8000,
        ...changes,
      };
      const startWorkflowOperation = new WithStartWorkflowOperation(run.workflowType, startOptions(run));
      await env.client.workflow.executeUpdateWithStart(COMMAND_UPDATE, {
        args: [command],
        updateId: command.requestId,
        startWorkflowOperation,
      });
    },
    async close() {
      stopping.abort();
      for (const worker of workers) worker.shutdown();
      await Promise.allSettled(running);
      await pool.end();
      await orm.close();
      await env.teardown();
    },
  };
}
export type Host = Awaited<ReturnType<typeof host>>;
