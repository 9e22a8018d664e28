/** Every kind of run is reset to each of its workflow tasks: nothing changes, nothing is lost. Termination at each: termination.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resetRun, workflowTasks } from '../../../bin/ops/support/reset.ts';
import { startOptions } from '../../../workflows/kernel/start.ts';
import { WORKFLOW_TYPES, WORKFLOWS } from '../../../workflows/kernel/messages.ts';
import { support } from '../../kernel/support.ts';
import { query, temporalClient, until, world } from '../../kernel/world.ts';
import { atRest, snapshot, type Story, story } from './story.ts';

let recorded: Story;
let before: object;
beforeAll(async () => {
  recorded = await story();
  before = await snapshot(recorded.shop);
});
afterAll(() => recorded.receiver.close());

describe('reset', () => {
  test('to each workflow task of each run changes no money, stock, order or delivery', async () => {
    const client = await temporalClient();
    const kinds = new Set(recorded.workflowIds.map((id) => id.split('/')[0]!));
    expect([...kinds].toSorted()).toEqual(WORKFLOW_TYPES.map((type) => WORKFLOWS[type].idPrefix).toSorted());
    let resets = 0;
    for (const workflowId of recorded.workflowIds) {
      const { runId } = await client.workflow.getHandle(workflowId).describe();
      for (const eventId of await workflowTasks(client, workflowId, runId)) {
        await resetRun(client, workflowId, eventId, 'drill', runId);
        await atRest(workflowId);
        resets++;
      }
    }
    expect(resets).toBeGreaterThan(15);
    const sent = recorded.receiver.received.length;
    expect(await snapshot(recorded.shop)).toEqual(before);
    expect(recorded.receiver.received).toHaveLength(sent);
    expect(sent).toBe(14);
  });
  test('by the support command', async () => {
    const workflowId = recorded.workflowIds.find((id) => id.startsWith('order-item/'))!;
    expect(await support('reset', workflowId, '--reason', 'drill', '--json')).toMatchObject({ workflowId, runId: expect.any(String) });
    await atRest(workflowId);
    expect(await snapshot(recorded.shop)).toEqual(before);
  });
});

describe('termination', () => {
  test('after every step of a run lets it come back and end the same', async () => {
    const client = await temporalClient();
    const shop = await world();
    let refusals = 1;
    const receiver = await shop.receiver((_, response) => void response.writeHead(refusals-- > 0 ? 500 : 200).end());
    const terminateAll = async () => {
      const open = await query<{ workflow_id: string }>(
        'SELECT workflow_id FROM run WHERE store_id = $1 AND done_at IS NULL AND loaded_at IS NOT NULL',
        [shop.store.storeId],
      );
      await Promise.allSettled(open.map(({ workflow_id: id }) => client.workflow.getHandle(id).terminate('drill')));
      return open.length;
    };
    const { buyer, paymentId, payUrl } = await shop.payment();
    await until(
      'payment loaded',
      async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND loaded_at IS NOT NULL', [paymentId])).length === 1,
    );
    expect(await terminateAll()).toBe(1);
    const { pay } = await import('../../../bin/dev/client.ts');
    await pay(payUrl);
    const { orderId } = (await buyer.status(paymentId)).body.data as { orderId: string };
    const orderItemId = (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data.items[0].orderItemId as string;
    for (const [action, body] of [
      ['confirm', {}],
      ['dispatch', { deliveryMethod: 'NONE' }],
    ] as const) {
      await until(
        'loaded',
        async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND loaded_at IS NOT NULL', [orderItemId])).length === 1,
      );
      expect(await terminateAll()).toBeGreaterThan(0);
      expect((await shop.act(orderItemId, action, body)).status).toBe(200);
    }
    expect(await terminateAll()).toBeGreaterThan(0);
    expect(await shop.advance('P20D')).toMatchObject({ settled: true });
    expect((await shop.item(orderItemId)).status).toBe('PURCHASE_DECIDED');
    const steps = await query('SELECT 1 FROM flow_step WHERE order_item_id = $1', [orderItemId]);
    expect(steps).toHaveLength(5);
    await until('all delivered', async () => (await shop.deliveries(receiver.webhookId)).every(({ status }) => status === 'SUCCESS'));
    expect(await shop.deliveries(receiver.webhookId)).toHaveLength(5);
    receiver.close();
  });
  test('by a cancel request closes the run until a command brings it back', async () => {
    const client = await temporalClient();
    const shop = await world();
    const { orderItemId } = await shop.order();
    await shop.act(orderItemId, 'confirm');
    await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'NONE' });
    const [row] = await query<{ workflow_id: string }>('SELECT workflow_id FROM run WHERE entity_id = $1', [orderItemId]);
    await client.workflow.getHandle(row!.workflow_id).cancel();
    await until('canceled', async () => (await client.workflow.getHandle(row!.workflow_id).describe()).status.name === 'CANCELLED');
    expect((await shop.act(orderItemId, 'delivered')).body.data.status).toBe('DELIVERED');
  });
  test('of a run that nobody commands: the reconciler brings it back', async () => {
    const client = await temporalClient();
    const shop = await world();
    const { buyer, paymentId } = await shop.payment();
    const workflowId = `payment/${shop.store.storeId}/${paymentId}`;
    await until(
      'loaded',
      async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND loaded_at IS NOT NULL', [paymentId])).length === 1,
    );
    await client.workflow.getHandle(workflowId).terminate('drill');
    await query(`UPDATE payment SET expires_at = now() - interval '2 minutes' WHERE payment_id = $1`, [paymentId]);
    await query(`UPDATE run SET wake_at = now() - interval '2 minutes' WHERE entity_id = $1`, [paymentId]);
    await until('expired', async () => (await buyer.status(paymentId)).body.data.status === 'expired');
  });
});

test('a run whose row is done ends at once when it is started again', async () => {
  const client = await temporalClient();
  for (const workflowType of WORKFLOW_TYPES) {
    const workflowId = recorded.workflowIds.find((id) => id.startsWith(`${WORKFLOWS[workflowType].idPrefix}/`))!;
    const [row] = await query<{ entity_id: string }>('SELECT entity_id FROM run WHERE workflow_id = $1', [workflowId]);
    const handle = await client.workflow.start(
      workflowType,
      startOptions({ storeId: recorded.shop.store.storeId, workflowType, workflowId, entityId: row!.entity_id, orderNo: null }),
    );
    await handle.result();
  }
  expect(await snapshot(recorded.shop)).toEqual(before);
});
