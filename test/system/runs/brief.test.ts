/** Brief calls: what becomes of a payment whose first confirm, a local activity, is refused, fails, or ends too late. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { call } from '../../../bin/dev/client.ts';
import { transitionPurchase } from '../../../db/purchases.ts';
import type { CommandContent, Command, RunEvent } from '../../../workflows/kernel/messages.ts';
import type { RunName } from '../../../workflows/kernel/start.ts';
import { underTest } from '../../kernel/world.ts';
import { type Host, host } from './hosted.ts';

/** Stands in the way of the next brief call; `make` makes it. */
let next: ((make: () => Promise<unknown>) => Promise<unknown>) | null = null;
let under: Host;
beforeAll(async () => {
  under = await host({
    server: 'dev',
    around: ({ info }) => ({
      inbound: {
        async execute(input, make) {
          if (!info.isLocal || info.activityType !== 'confirmPayment' || !next) return make(input);
          const disturb = next;
          next = null;
          return disturb(() => make(input));
        },
      },
    }),
  });
}, 120_000);
afterAll(() => under.close());

/** The calls of a run as ordinary activities, each with its task queue. */
async function visibleCalls({ workflowId }: RunName): Promise<string[]> {
  const { events } = await under.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled && scheduled.activityType!.name !== 'transitionPayment'
      ? [`${scheduled.activityType!.name!} on ${scheduled.taskQueue!.name!}`]
      : [],
  );
}
/** Pays, again where the run was lost, and waits for the end: the run's visible calls, and the keys under which it was confirmed. */
async function paid(disturb: (make: () => Promise<unknown>, run: RunName) => Promise<unknown>) {
  const payment = await under.payment();
  next = (make) => disturb(make, payment.run);
  const input = await under.authenticated(payment);
  const operation = { principal: 't', key: randomUUID(), id: 't', fingerprint: 'pay' };
  const pay = () => under.command(payment.run, 'pay', input, { wait: 'idle', operation });
  await pay().catch(pay);
  await under.client.workflow.getHandle(payment.run.workflowId).result();
  expect(next).toBeNull();
  const { entityId } = payment.run;
  expect(await under.rows('SELECT status FROM payment WHERE payment_id = ?', [entityId])).toEqual([{ status: 'completed' }]);
  expect(await under.rows('SELECT 1 FROM orders WHERE payment_id = ?', [entityId])).toHaveLength(1);
  const ledger = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as Charge[];
  const charges = ledger.filter(({ orderId }) => orderId === payment.pgOrderId);
  expect(charges.map(({ status }) => status)).toEqual(['DONE']);
  return { calls: await visibleCalls(payment.run), keys: charges[0]!.confirmKeys };
}
type Started = Awaited<ReturnType<Host['payment']>>;
interface Charge {
  readonly orderId: string;
  readonly status: string;
  readonly confirmKeys: readonly string[];
}

test('one that its worker does not begin, because it makes so many already, is an ordinary activity', async () => {
  const { calls, keys } = await paid(() => Promise.resolve(null));
  expect(calls).toEqual(['confirmPayment on payment-calls']);
  expect(keys).toHaveLength(1);
});

test('one that fails after it was sent is read, and not sent again', async () => {
  const { calls, keys } = await paid(async (make) => {
    await make();
    throw ApplicationFailure.create({ type: 'INTERNAL', message: 'INTERNAL' });
  });
  expect(calls).toEqual(['readPayment on payment-calls']);
  expect(keys).toHaveLength(1);
});

test('one that comes long after its plan is not sent, but read: it may be the second', async () => {
  const { calls, keys } = await paid(async (make) => {
    await make();
    await under.rows(`UPDATE payment_attempt SET confirmed_at = confirmed_at - interval '7 seconds' WHERE status = 'CONFIRMING'`);
    return make();
  });
  expect(calls).toEqual(['readPayment on payment-calls']);
  expect(keys).toHaveLength(1);
});

test('one that fails before it was sent is read, and then sent as an ordinary activity', async () => {
  const { calls, keys } = await paid(() => Promise.reject(ApplicationFailure.create({ type: 'OUTAGE', message: 'OUTAGE' })));
  expect(calls).toEqual(['readPayment on payment-calls', 'confirmPayment on payment-calls']);
  expect(keys).toHaveLength(1);
});

test('one whose run is lost after it was sent is sent again as an ordinary activity, under the same key', async () => {
  let answered = () => {};
  const { calls, keys } = await paid(async (make, { workflowId }) => {
    const answer = await make();
    await under.client.workflow.getHandle(workflowId).terminate('drill');
    // The lost run would go on with the answer.
    await new Promise<void>((resolve) => (answered = resolve));
    return answer;
  });
  answered();
  expect(calls).toEqual(['confirmPayment on payment-calls']);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test('one whose answer comes after its time is read, and the late answer changes nothing', async () => {
  let answered = () => {};
  let late: Promise<unknown> | undefined;
  const { calls, keys } = await paid((make) => {
    const end = new Promise<void>((resolve) => (answered = resolve));
    return (late = Promise.all([make(), end]).then(([answer]) => answer));
  });
  expect(calls).toEqual(['readPayment on payment-calls']);
  expect(keys).toHaveLength(1);
  answered();
  expect(await late).toMatchObject({ result: 'APPROVED' });
  // The worker goes on after an answer that nobody waits for.
  const { calls: others } = await paid((make) => make());
  expect(others).toEqual([]);
});

const envelope = (name: CommandContent<'payment'>['name'], input: object): Command<'payment'> =>
  ({
    name,
    input,
    operation: { principal: 't', key: randomUUID(), id: 't', fingerprint: name },
    requestId: randomUUID(),
    actor: 't',
    clock: 0,
    notAfter: Date.now() + 8000,
  }) as Command<'payment'>;
test.each<[string, (payment: Started) => RunEvent<'payment'>]>([
  ['a timer', () => ({ type: 'elapsed' })],
  ['a buyer who gives up', ({ attemptId }) => ({ type: 'command', command: envelope('giveUp', { attemptId }) })],
  ['an outcome of another call', () => ({ type: 'outcome', callId: 'another', outcome: { result: 'LOST' } })],
])('one that %s finds planned may have been sent: it is not the first any more', async (_, event) => {
  const payment = await under.payment();
  const input = await under.authenticated(payment);
  const { storeId, entityId } = payment.run;
  const carryOut = (one: RunEvent<'payment'>) => under.inTenant((tx) => transitionPurchase(tx, { storeId, entityId }, one));
  const planned = await carryOut({ type: 'command', command: envelope('pay', input) });
  expect(planned!.plan.calls).toMatchObject([{ name: 'confirmPayment', isBrief: true }]);
  const { plan } = (await carryOut(event(payment)))!;
  expect(plan.calls.map(({ name, isBrief }) => [name, isBrief])).toEqual([['confirmPayment', undefined]]);
  expect(await under.rows('SELECT is_unknown FROM payment_attempt WHERE attempt_id = ?', [payment.attemptId])).toEqual([
    { is_unknown: true },
  ]);
});
