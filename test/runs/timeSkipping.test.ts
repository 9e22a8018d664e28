/** Workflows on the time-skipping server, from the shipped bundle, with real Postgres: weeks pass in milliseconds. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOptions, type RunName } from '../../workflows/kernel/start.ts';
import { type Host, host } from './hosted.ts';

let under: Host;
beforeAll(async () => {
  under = await host({ server: 'time-skipping' });
}, 120_000);
afterAll(() => under.close());

async function bought(): Promise<RunName> {
  const payment = await under.payment();
  await under.command(payment.run, 'pay', await under.authenticated(payment), { wait: 'settled' });
  return under.itemOf(payment.orderNo);
}
const finished = (run: RunName) => under.client.workflow.getHandle(run.workflowId).result();

describe('on the time-skipping server', () => {
  test('a payment that nobody pays expires after ten minutes', async () => {
    const { run } = await under.payment();
    const before = await under.now();
    await under.client.workflow.start('payment', startOptions(run));
    await finished(run);
    expect(Math.round(((await under.now()) - before) / 60_000)).toBe(10);
    expect(await under.rows('SELECT status, result FROM payment WHERE payment_id = ?', [run.runId])).toEqual([
      { status: 'expired', result: 'EXPIRED' },
    ]);
  });

  test('an item that is dispatched is delivered after 7 days and decided after 14', async () => {
    const run = await bought();
    await under.command(run, 'confirm', {});
    await under.command(run, 'dispatch', { deliveryMethod: 'NONE' });
    await finished(run);
    const steps = await under.rows<{ at: string }>('SELECT at FROM flow_step WHERE order_item_id = ? ORDER BY seq', [run.runId]);
    const days = steps.slice(3).map(({ at }) => (Date.parse(at) - Date.parse(steps[2]!.at)) / 86_400_000);
    expect(days).toEqual([7, 14]);
    expect(await under.rows('SELECT status FROM order_item WHERE order_item_id = ?', [run.runId])).toEqual([
      { status: 'PURCHASE_DECIDED' },
    ]);
    expect(await under.rows('SELECT 1 AS open FROM run WHERE run_id = ? AND done_at IS NULL', [run.runId])).toEqual([]);
  });

  test('a delivery to a dead receiver is tried five times over 2 hours 36 minutes', async () => {
    const { webhook } = await under.receiver('http://127.0.0.1:9/');
    await bought();
    const run = await under.deliveryRun(webhook.webhookId);
    await under.client.workflow.start('webhookDelivery', startOptions(run));
    await finished(run);
    const [ended] = await under.rows<Record<string, string>>(
      'SELECT status, attempt_count, error_code, attempted_at, created_at FROM webhook_delivery WHERE delivery_id = ?',
      [run.runId],
    );
    expect(ended).toMatchObject({ status: 'FAILED', attempt_count: 5, error_code: 'CONNECTION_FAILED' });
    expect(Math.round((Date.parse(ended!['attempted_at']!) - Date.parse(ended!['created_at']!)) / 60_000)).toBe(156);
  });

  test('a command that comes after its deadline never happens', async () => {
    const run = await bought();
    await expect(under.command(run, 'confirm', {}, { notAfter: Date.now() - 1 })).rejects.toMatchObject({
      cause: { type: 'TEMPORARILY_UNAVAILABLE' },
    });
    expect(await under.rows('SELECT status FROM order_item WHERE order_item_id = ?', [run.runId])).toEqual([{ status: 'PAID' }]);
    // Refused at once: no second, ordinary activity was asked.
    const { events } = await under.client.workflow.getHandle(run.workflowId).fetchHistory();
    expect(events?.filter((event) => event.activityTaskScheduledEventAttributes)).toEqual([]);
  });
});
