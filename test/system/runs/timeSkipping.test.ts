/** Workflows on the time-skipping server, from the shipped bundle, with real Postgres: weeks pass in milliseconds. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOptions, type RunName } from '../../../workflows/kernel/start.ts';
import { rotateSecret } from '../../../db/webhooks/commands.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { reviewPayment } from '../../../db/payments/refunds.ts';
import { retryRefund } from '../../../db/payments/refunds.ts';
import { call } from '../../../bin/dev/client.ts';
import { Receiver, underTest, until } from '../../kernel/world.ts';
import { type Host, host } from './hosted.ts';

let under: Host;
beforeAll(async () => {
  under = await host({ server: 'time-skipping' });
}, 120_000);
afterAll(() => under.close());

async function bought(): Promise<RunName> {
  const payment = await under.payment();
  await under.command(payment.run, 'pay', await under.authenticated(payment), { wait: 'idle' });
  return under.itemOf(payment.orderNo);
}
/** When the run ended, by the server: what it skips after that is nobody's time. */
async function finished(run: RunName): Promise<number> {
  const handle = under.client.workflow.getHandle(run.workflowId);
  await handle.result();
  return (await handle.describe()).closeTime!.getTime();
}

describe('on the time-skipping server', () => {
  test('a payment that nobody pays expires after ten minutes', async () => {
    const { run } = await under.payment();
    const before = await under.now();
    await under.client.workflow.start(run.workflowType, startOptions(run));
    expect(Math.round(((await finished(run)) - before) / 60_000)).toBe(10);
    expect(await under.rows('SELECT status, result FROM payment WHERE payment_id = ?', [run.entityId])).toEqual([
      { status: 'expired', result: 'EXPIRED' },
    ]);
  });

  test('an item that is dispatched is delivered after 7 days and decided after 14', async () => {
    const run = await bought();
    await under.command(run, 'confirm', {});
    await under.command(run, 'dispatch', { deliveryMethod: 'NONE' });
    await finished(run);
    const steps = await under.rows<{ at: string }>('SELECT at FROM flow_step WHERE order_item_id = ? ORDER BY seq', [run.entityId]);
    const days = steps.slice(3).map(({ at }) => (Date.parse(at) - Date.parse(steps[2]!.at)) / 86_400_000);
    expect(days).toEqual([7, 14]);
    expect(await under.rows('SELECT status FROM order_item WHERE order_item_id = ?', [run.entityId])).toEqual([
      { status: 'PURCHASE_DECIDED' },
    ]);
    expect(await under.rows('SELECT 1 AS open FROM run WHERE entity_id = ? AND done_at IS NULL', [run.entityId])).toEqual([]);
  });

  test('a delivery to a dead receiver is tried five times over 2 hours 36 minutes', async () => {
    const { webhook } = await under.receiver('http://127.0.0.1:9/');
    await bought();
    const run = await under.deliveryRun(webhook.webhookId);
    await under.client.workflow.start(run.workflowType, startOptions(run));
    await finished(run);
    const [ended] = await under.rows<Record<string, string>>(
      'SELECT status, attempt_count, error_code, attempted_at, created_at FROM webhook_delivery WHERE delivery_id = ?',
      [run.entityId],
    );
    expect(ended).toMatchObject({ status: 'FAILED', attempt_count: 5, error_code: 'CONNECTION_FAILED' });
    expect(Math.round((Date.parse(ended!['attempted_at']!) - Date.parse(ended!['created_at']!)) / 60_000)).toBe(156);
  });

  test('a parcel is looked for every four hours, delivered after a day and decided a week later', async () => {
    const run = await bought();
    await under.command(run, 'confirm', {});
    await under.command(run, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumberId: await under.text('1') });
    await finished(run);
    const steps = await under.rows<{ at: string }>('SELECT at FROM flow_step WHERE order_item_id = ? ORDER BY seq', [run.entityId]);
    expect(steps.slice(3).map(({ at }) => (Date.parse(at) - Date.parse(steps[2]!.at)) / DAY)).toEqual([1, 8]);
    const [item] = await under.rows<{ asked: number }>(
      "SELECT (tracking ->> 'asked')::int AS asked FROM order_item WHERE order_item_id = ?",
      [run.entityId],
    );
    expect(item).toEqual({ asked: 7 });
  });

  test('a receiver that fails for a day is suspended; a rotated secret signs for 24 hours and no longer', async () => {
    let isUp = true;
    const hook = await Receiver.listen((_, response) => void response.writeHead(isUp ? 200 : 500).end());
    const { webhook } = await under.receiver(hook.url);
    const delivered = async () => {
      const before = hook.received.length;
      await bought();
      return until('delivered', async () => hook.received[before]);
    };
    const values = async () => String((await delivered()).headers['svc-signature']).match(/v1=/g)!.length;
    expect(await values()).toBe(1);
    const at = await under.now();
    await under.inTenant((em) => rotateSecret(em, under.keyring, under.storeId, webhook.webhookId, at));
    expect(await values()).toBe(2);
    await under.skip(DAY - HOUR);
    expect(await values()).toBe(2);
    await under.skip(2 * HOUR);
    expect(await values()).toBe(1);
    isUp = false;
    const isActive = async () =>
      (await under.rows('SELECT 1 FROM webhook WHERE webhook_id = ? AND status = ?', [webhook.webhookId, 'ACTIVE'])).length > 0;
    const began = await under.now();
    // Something happens every two hours, and what fails is tried five times within 156 minutes: no gap is over three hours.
    for (; await isActive(); await under.skip(2 * HOUR)) await delivered();
    const hours = ((await under.now()) - began) / HOUR;
    expect(hours).toBeGreaterThanOrEqual(24);
    expect(hours).toBeLessThan(29);
    // Its own run ends what waits.
    const waiting = "SELECT 1 FROM webhook_delivery WHERE webhook_id = ? AND status IN ('PENDING', 'PENDING_RETRY')";
    await until('nothing waits', async () => (await under.rows(waiting, [webhook.webhookId])).length === 0);
    expect(await under.rows('SELECT workflow_type FROM run WHERE entity_id = ?', [webhook.webhookId])).toEqual([
      { workflow_type: 'webhookSubscription' },
    ]);
    hook.close();
  });

  describe('an outcome that the provider does not tell is looked up for a day and then an operator’s (X17)', () => {
    const next = (op: string, behavior: string, orderId: string, times = 1) =>
      call(underTest.simulator, 'POST', '/__sim/next', { body: { op, behavior, orderId, times } });
    const attempt = async (paymentId: string) =>
      (await under.rows<{ status: string }>('SELECT status FROM payment_attempt WHERE payment_id = ?', [paymentId]))[0]!.status;

    test('a confirm: failed, the stock back, the run at rest; looked up once more, what was charged is voided', async () => {
      const payment = await under.payment();
      const [input, { pgOrderId, attemptId }] = [await under.authenticated(payment), payment];
      await Promise.all([next('confirm', '0031', pgOrderId), next('read', 'fail', pgOrderId, 2000)]);
      const began = await under.now();
      await under.command(payment.run, 'pay', input, { wait: 'idle' });
      expect(Math.round(((await finished(payment.run)) - began) / HOUR)).toBe(24);
      const p = [payment.run.entityId];
      expect(await under.rows("SELECT status, result, last_failure ->> 'code' AS code FROM payment WHERE payment_id = ?", p)).toEqual([
        { status: 'failed', result: 'FAILED', code: 'UNRESOLVED' },
      ]);
      expect(await attempt(payment.run.entityId)).toBe('UNRESOLVED');
      expect(await under.rows('SELECT sum(quantity)::int AS n FROM stock_movement WHERE reference = ?', [attemptId])).toEqual([{ n: 0 }]);
      await next('read', 'fail', pgOrderId, 0);
      const moment = { at: await under.now(), realNow: Date.now() };
      expect(await under.inTenant((em) => reviewPayment(em, under.storeId, payment.run.entityId, moment))).toBe(true);
      await until('voided', async () => (await attempt(payment.run.entityId)) === 'VOIDED');
    }, 120_000);

    test('a void that fails for a day: looked up once more, it is asked for under keys that the provider has not answered yet', async () => {
      const payment = await under.payment();
      const { pgOrderId, run } = payment;
      await Promise.all([next('confirm', '0031', pgOrderId), next('read', 'fail', pgOrderId, 2000)]);
      await under.command(run, 'pay', await under.authenticated(payment), { wait: 'idle' });
      await finished(run);
      const review = async () => {
        const moment = { at: await under.now(), realNow: Date.now() };
        expect(await under.inTenant((em) => reviewPayment(em, under.storeId, run.entityId, moment))).toBe(true);
      };
      await Promise.all([next('read', 'fail', pgOrderId, 0), next('cancel', 'fail', pgOrderId, 2000)]);
      await review();
      await until(
        'a void planned',
        async () => (await under.rows(`SELECT 1 FROM payment WHERE payment_id = ? AND call IS NOT NULL`, [run.entityId])).length > 0,
      );
      await finished(run);
      expect(await attempt(run.entityId)).toBe('UNRESOLVED');
      await next('cancel', 'fail', pgOrderId, 0);
      await review();
      await until('voided', async () => (await attempt(run.entityId)) === 'VOIDED');
    }, 120_000);

    test('a refund: FAILED; run again it is looked for first, and paid back once', async () => {
      const item = await bought();
      const [paid] = await under.rows<{ pg_order_id: string; payment_id: string }>(
        'SELECT pg_order_id, payment_id FROM payment_attempt WHERE pg_order_id = ?',
        [`${item.orderNo}-01`],
      );
      const { pg_order_id: orderId, payment_id: runId } = paid!;
      await Promise.all([next('cancel', 'drop', orderId), next('read', 'fail', orderId, 2000)]);
      await under.command(item, 'cancel', { reason: 'OTHER' });
      const run: RunName = {
        storeId: under.storeId,
        workflowType: 'payment',
        workflowId: `payment/${under.storeId}/${runId}`,
        entityId: runId,
        orderNo: null,
      };
      const refund = async () =>
        (
          await under.rows<{ refund_id: string; status: string; failure_code: string | null; call: object | null }>(
            'SELECT refund_id, r.status, failure_code, call FROM refund r JOIN payment USING (store_id, payment_id) WHERE payment_id = ?',
            [runId],
          )
        )[0]!;
      await until(
        'asked',
        async () =>
          (await refund()).call !== null && (await under.client.workflow.getHandle(run.workflowId).describe()).status.name === 'RUNNING',
      );
      await finished(run);
      expect(await refund()).toMatchObject({ status: 'FAILED', failure_code: 'UNRESOLVED' });
      await next('read', 'fail', orderId, 0);
      const [{ refund_id: refundId }, moment] = [await refund(), { at: await under.now(), realNow: Date.now() }];
      await under.inTenant((em) => retryRefund(em, under.storeId, refundId, moment));
      await until('found', async () => (await refund()).status === 'DONE');
      const ledger = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as {
        orderId: string;
        cancels: object[];
      }[];
      expect(ledger.find((one) => one.orderId === orderId)?.cancels).toHaveLength(1);
    }, 120_000);
  });

  test('a command that comes after its deadline never happens', async () => {
    const run = await bought();
    await expect(under.command(run, 'confirm', {}, { notAfter: Date.now() - 1 })).rejects.toMatchObject({
      cause: { type: 'TEMPORARILY_UNAVAILABLE' },
    });
    expect(await under.rows('SELECT status FROM order_item WHERE order_item_id = ?', [run.entityId])).toEqual([{ status: 'PAID' }]);
    // Refused at once: no second, ordinary activity was asked.
    const { events } = await under.client.workflow.getHandle(run.workflowId).fetchHistory();
    expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toEqual([]);
  });
});
