/** An execution whose answer is lost: what it has done is found, and nothing of it is done again. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { silentProxy } from '../../kernel/proxy.ts';
import { until } from '../../kernel/world.ts';
import { type Host, host } from '../runs/hosted.ts';

let under: Host;
beforeAll(async () => {
  under = await host({ server: 'dev' });
}, 120_000);
afterAll(() => under.close());

test('a command that answers 503 and is carried out is SUCCEEDED, with its answer, and canceled once', async () => {
  const payment = await under.payment();
  await under.command(payment.run, 'pay', await under.authenticated(payment), { wait: 'idle' });
  const item = await under.itemOf(payment.orderNo);
  const run = await under.approval({ id: 'orders.cancel', params: { orderItemId: item.entityId }, body: { reason: 'OUT_OF_STOCK' } });
  const { entityId: approvalId } = run;
  await under.rows(
    `UPDATE approval_request SET decision = 'APPROVE', status = 'EXECUTING', approver_scopes = '{order:rw}', executing_since = ?,
       approver_user_id = (SELECT user_id FROM member) WHERE approval_id = ?`,
    [new Date(await under.now()), approvalId],
  );
  const proxy = await silentProxy(`http://${under.temporalAddress}`);
  const connection = await Connection.connect({ address: new URL(proxy.through(`http://${under.temporalAddress}`)).host });
  try {
    const deaf = await under.executorThrough(new Client({ connection, namespace: under.temporalNamespace }));
    const execution = async () => ({ storeId: under.storeId, approvalId, at: await under.now() });
    const statusOf = async () => (await under.rows('SELECT status FROM order_item WHERE order_item_id = ?', [item.entityId]))[0];
    const records = () => under.rows('SELECT outcome, status_code FROM audit_request WHERE approval_id = ?', [approvalId]);
    proxy.deafen();
    const answer = deaf.execute(await execution());
    await until('carried out', async () => ((await statusOf()) as { status: string }).status === 'CANCELED');
    expect(await answer).toBeNull();
    // Neither the look-up nor another try does anything, whatever the item's status says of a second cancel.
    expect(await under.executor.find(await execution())).toMatchObject({ status: 200, code: 'OK' });
    expect(await under.executor.execute(await execution())).toMatchObject({ status: 200, code: 'OK' });
    expect(await records()).toEqual([{ outcome: 'SUCCEEDED', status_code: 200 }]);
    expect(
      await under.rows('SELECT 1 FROM refund WHERE order_id = (SELECT order_id FROM order_item WHERE order_item_id = ?)', [item.entityId]),
    ).toHaveLength(1);
    const written = `SELECT result_data ->> 'canceledQuantity' AS canceled, result_error FROM approval_request WHERE approval_id = ?`;
    expect(await under.rows(written, [approvalId])).toEqual([{ canceled: '1', result_error: null }]);
  } finally {
    await connection.close();
    proxy.close();
  }
}, 60_000);
