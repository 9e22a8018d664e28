/** Runs whose rows were swept. */
import { expect, test } from '@jest/globals';
import { WAKE_SIGNAL } from '../../../workflows/kernel/messages.ts';
import { startOptions } from '../../../workflows/kernel/start.ts';
import { pay } from '../../../bin/dev/client.ts';
import { support } from '../../kernel/support.ts';
import { query, temporalClient, until, world } from '../../kernel/world.ts';

test('a run that finds its row swept ends', async () => {
  const client = await temporalClient();
  const shop = await world();
  const { storeId } = shop.store;
  const { paymentId } = await shop.payment();
  const run = {
    storeId,
    workflowType: 'payment',
    workflowId: `payment/${storeId}/${paymentId}`,
    entityId: paymentId,
    orderNo: null,
  } as const;
  await until(
    'loaded',
    async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND loaded_at IS NOT NULL', [paymentId])).length === 1,
  );
  await query('DELETE FROM payment_attempt WHERE payment_id = $1', [paymentId]);
  await query('DELETE FROM payment WHERE payment_id = $1', [paymentId]);
  await query('DELETE FROM run WHERE entity_id = $1', [paymentId]);
  await client.workflow.signalWithStart(run.workflowType, { ...startOptions(run), signal: WAKE_SIGNAL });
  await client.workflow.getHandle(run.workflowId).result();
  await (await client.workflow.start(run.workflowType, startOptions(run))).result();
  expect(await query('SELECT 1 FROM run WHERE entity_id = $1', [paymentId])).toEqual([]);
});

test('a payment whose run was swept long ago still pays back', async () => {
  const shop = await world();
  const { orderItemId, paymentId } = await shop.order();
  await until(
    'done',
    async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND done_at IS NOT NULL', [paymentId])).length === 1,
  );
  await query('DELETE FROM run WHERE entity_id = $1', [paymentId]);
  expect((await shop.act(orderItemId, 'cancel', { reason: 'OTHER' })).status).toBe(200);
  await until(
    'refunded',
    async () => (await query(`SELECT 1 FROM refund WHERE payment_id = $1 AND status = 'DONE'`, [paymentId])).length === 1,
  );
  await until(
    'done again',
    async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND done_at IS NOT NULL', [paymentId])).length === 1,
  );
});

test('support works on a payment whose run was swept', async () => {
  const shop = await world();
  const { orderNo, orderItemId } = await shop.order();
  const { paymentId, payUrl } = await shop.payment();
  await pay(payUrl, '4111111111110001');
  // Given up after a day of look-ups: what the buyer had confirmed can no longer be charged, so one reading tells.
  await query(
    `UPDATE payment_attempt SET status = 'UNRESOLVED', unknown_since = started_at, confirmed_at = confirmed_at - interval '1 day'
     WHERE payment_id = $1`,
    [paymentId],
  );
  await query(`UPDATE payment SET status = 'failed', result = 'FAILED', wake_at = NULL WHERE payment_id = $1`, [paymentId]);
  await query('DELETE FROM run WHERE entity_id IN ($1, $2) OR order_no = $3', [paymentId, orderItemId, orderNo]);
  expect(String(await support('explain', orderNo))).toMatch(/Order item \S+ is PAID[\s\S]*Its run was done so long ago/);
  expect(String(await support('explain', paymentId))).toContain('could not be learnt');
  expect(String(await support('retry', paymentId))).toContain('looks once more');
  await until(
    'looked up',
    async () => (await query(`SELECT 1 FROM run WHERE entity_id = $1 AND done_at IS NOT NULL`, [paymentId])).length === 1,
  );
  expect(await query('SELECT status, is_unknown FROM payment_attempt WHERE payment_id = $1', [paymentId])).toEqual([
    { status: 'DECLINED', is_unknown: false },
  ]);
});
