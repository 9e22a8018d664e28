/** Workflows on the time-skipping server, from the shipped bundle, with real Postgres: weeks pass in milliseconds. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOptions, type RunName } from '../../../workflows/kernel/start.ts';
import { rotateSecret } from '../../../db/webhooks/commands.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/kernel/time.ts';
import { reviewPayment } from '../../../db/payments/refunds.ts';
import { retryRefund } from '../../../db/payments/refunds.ts';
import { call } from '../../../bin/dev/client.ts';
import { Receiver, underTest, until } from '../../kernel/world.ts';
import { type Host, host } from './hosted.ts';

let under: Host;
beforeAll(async () => {
  under = await host({ server: 'time-skipping' });
}, 240_000);
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

  test('a dispatched item is decided 14 days later, 7 after its delivery', async () => {
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

  test('a parcel that the courier delivers after a day is decided a week later', async () => {
    const run = await bought();
    await under.command(run, 'confirm', {});
    await under.command(run, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumberId: await under.text('1') });
    await finished(run);
    const steps = await under.rows<{ at: string }>('SELECT at FROM flow_step WHERE order_item_id = ? ORDER BY seq', [run.entityId]);
    expect(steps.slice(3).map(({ at }) => (Date.parse(at) - Date.parse(steps[2]!.at)) / DAY)).toEqual([1, 8]);
    const [item] = await under.rows<{ polls: number }>(
      "SELECT (tracking ->> 'polls')::int AS polls FROM order_item WHERE order_item_id = ?",
      [run.entityId],
    );
    expect(item).toEqual({ polls: 7 });
  });

  test('a claim is held for a week by itself, and its item goes on with the time that was left', async () => {
    const run = await bought();
    await under.command(run, 'confirm', {});
    await under.command(run, 'dispatch', { deliveryMethod: 'NONE' });
    await under.skip(2 * DAY);
    const claim = await under.claim(run.entityId, { type: 'RETURN', reason: 'CHANGE_OF_MIND' });
    const until = (await under.now()) + 7 * DAY;
    await under.command(claim, 'hold', { until });
    await under.skip(10 * DAY);
    await under.command(claim, 'withdraw', {});
    // Its item hears of it through the outbox.
    await under.relayed();
    await finished(claim);
    await finished(run);
    const history = await under.rows<{ name: string; by: string; at: string }>(
      'SELECT name, by, at FROM claim_step WHERE claim_id = ? ORDER BY seq',
      [claim.entityId],
    );
    expect(history.map(({ name, by }) => `${name} by ${by}`)).toEqual([
      'request by BUYER',
      'hold by SELLER',
      'release by SYSTEM',
      'withdraw by BUYER',
    ]);
    expect(Date.parse(history[2]!.at)).toBe(until);
    const steps = await under.rows<{ at: string; type: string }>(
      "SELECT at, event ->> 'type' AS type FROM flow_step WHERE order_item_id = ? ORDER BY seq",
      [run.entityId],
    );
    const dispatchedAt = Date.parse(steps[2]!.at);
    expect(steps.slice(3).map(({ at, type }) => [type, Math.round((Date.parse(at) - dispatchedAt) / DAY)])).toEqual([
      ['claim.opened', 2],
      ['claim.closed', 12],
      ['elapsed', 17],
      ['elapsed', 24],
    ]);
  });

  /** One receiver, first up, then down. */
  let isUp = true;
  let hook: Receiver;
  let webhook: Awaited<ReturnType<Host['receiver']>>['webhook'];
  const delivered = async () => {
    const before = hook.received.length;
    await bought();
    return until('delivered', async () => hook.received[before]);
  };
  test('a rotated secret signs for 24 hours', async () => {
    hook = await Receiver.listen((_, response) => void response.writeHead(isUp ? 200 : 500).end());
    ({ webhook } = await under.receiver(hook.url));
    const values = async () => String((await delivered()).headers['svc-signature']).match(/v1=/g)!.length;
    expect(await values()).toBe(1);
    await under.inTenant((tx) => rotateSecret(tx, under.keyring, webhook.webhookId));
    expect(await values()).toBe(2);
    await under.skip(DAY - HOUR);
    expect(await values()).toBe(2);
    await under.skip(2 * HOUR);
    expect(await values()).toBe(1);
  });
  test('a receiver that fails for a day is suspended', async () => {
    isUp = false;
    const isActive = async () =>
      (await under.rows('SELECT 1 FROM webhook WHERE webhook_id = ? AND status = ?', [webhook.webhookId, 'ACTIVE'])).length > 0;
    const began = await under.now();
    // Something happens every four hours, and what fails is tried five times within 156 minutes: no gap is over three hours.
    for (; await isActive(); await under.skip(4 * HOUR)) await delivered();
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

  describe('an unknown outcome is an operator’s after a day of polling', () => {
    const next = (op: string, behavior: string, orderId: string, times = 1) =>
      call(underTest.simulator, 'POST', '/__sim/next', { body: { op, behavior, orderId, times } });
    const attempt = async (paymentId: string) =>
      (await under.rows<{ status: string }>('SELECT status FROM payment_attempt WHERE payment_id = ?', [paymentId]))[0]!.status;

    /** What passes at once, on the store's clock; in the rest of the day every poll is made. */
    const SKIPPED = DAY - 120 * MINUTE;
    /** The day passes once for both. */
    let confirmed: UnknownConfirm;
    let refunded: { run: RunName; pgOrderId: string };
    let began: number;
    let ended: number;
    beforeAll(async () => {
      began = await under.now();
      [confirmed, refunded] = [await unknownConfirm(), await unknownRefund()];
      await under.advance(confirmed.run, SKIPPED);
      await under.advance(refunded.run, 0);
      // One after the other: the server's clock stops for good when several results are awaited at once.
      ended = (await finished(confirmed.run)) + SKIPPED;
      await finished(refunded.run);
    }, 240_000);

    interface UnknownConfirm {
      readonly run: RunName;
      readonly pgOrderId: string;
      readonly attemptId: string;
    }
    async function unknownConfirm(): Promise<UnknownConfirm> {
      const payment = await under.payment();
      await Promise.all([next('confirm', '0031', payment.pgOrderId), next('read', 'fail', payment.pgOrderId, 2000)]);
      await under.command(payment.run, 'pay', await under.authenticated(payment), { wait: 'idle' });
      return payment;
    }
    async function unknownRefund(): Promise<{ run: RunName; pgOrderId: string }> {
      const item = await bought();
      const pgOrderId = `${item.orderNo}-01`;
      const [paid] = await under.rows<{ payment_id: string }>('SELECT payment_id FROM payment_attempt WHERE pg_order_id = ?', [pgOrderId]);
      const entityId = paid!.payment_id;
      const workflowId = `payment/${under.storeId}/${entityId}`;
      await Promise.all([next('cancel', 'drop', pgOrderId), next('read', 'fail', pgOrderId, 2000)]);
      await under.command(item, 'cancel', { reason: 'OTHER' });
      const run: RunName = { storeId: under.storeId, workflowType: 'payment', workflowId, entityId, orderNo: null };
      await until('requested', () => isUnderWay(run));
      return { run, pgOrderId };
    }
    const isUnderWay = async ({ entityId, workflowId }: RunName) =>
      (await under.rows('SELECT 1 FROM payment WHERE payment_id = ? AND call IS NOT NULL', [entityId])).length > 0 &&
      (await under.client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
    const refund = async (paymentId: string) =>
      (
        await under.rows<{ refund_id: string; status: string; failure_code: string | null }>(
          'SELECT refund_id, r.status, failure_code FROM refund r JOIN payment USING (store_id, payment_id) WHERE payment_id = ?',
          [paymentId],
        )
      )[0]!;
    const review = async ({ entityId }: RunName) => {
      expect(await under.inTenant((tx) => reviewPayment(tx, entityId))).toBe(true);
    };

    test('a confirm fails, and gives its stock back', async () => {
      const { run, attemptId } = confirmed;
      expect(Math.round((ended - began) / HOUR)).toBe(24);
      const p = [run.entityId];
      expect(await under.rows("SELECT status, result, last_failure ->> 'code' AS code FROM payment WHERE payment_id = ?", p)).toEqual([
        { status: 'failed', result: 'FAILED', code: 'UNRESOLVED' },
      ]);
      expect(await attempt(run.entityId)).toBe('UNRESOLVED');
      expect(await under.rows('SELECT sum(quantity)::int AS n FROM stock_movement WHERE reference = ?', [attemptId])).toEqual([{ n: 0 }]);
    });

    test('what turns out to be charged is voided under keys that the provider has not answered yet', async () => {
      const { run, pgOrderId } = confirmed;
      await Promise.all([next('read', 'fail', pgOrderId, 0), next('cancel', 'fail', pgOrderId, 2000)]);
      await review(run);
      await until('the run is back', () => isUnderWay(run));
      await under.advance(run, SKIPPED);
      await finished(run);
      expect(await attempt(run.entityId)).toBe('UNRESOLVED');
      await next('cancel', 'fail', pgOrderId, 0);
      await review(run);
      await until('voided', async () => (await attempt(run.entityId)) === 'VOIDED');
    }, 240_000);

    test('a refund that is run again is paid back once', async () => {
      const { run, pgOrderId } = refunded;
      expect(await refund(run.entityId)).toMatchObject({ status: 'FAILED', failure_code: 'UNRESOLVED' });
      await next('read', 'fail', pgOrderId, 0);
      const { refund_id: refundId } = await refund(run.entityId);
      await under.inTenant((tx) => retryRefund(tx, refundId));
      await until('found', async () => (await refund(run.entityId)).status === 'DONE');
      const ledger = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as {
        orderId: string;
        cancels: object[];
      }[];
      expect(ledger.find((one) => one.orderId === pgOrderId)?.cancels).toHaveLength(1);
    });
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
