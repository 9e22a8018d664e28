/** Order items and claims that wait for a person: one event in Temporal, in words, until somebody wants something. */
import { expect, test } from '@jest/globals';
import { Pool } from 'pg';
import { realClock } from '../../../db/kernel/clock.ts';
import { runOfRow } from '../../../db/runs/rows.ts';
import { endIfOpen, type IdleRow, markLoaded } from '../../../worker/idle.ts';
import { idleOptions } from '../../../workflows/kernel/start.ts';
import { roleUrl } from '../../kernel/database.ts';
import { query, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';

/** The run of a paid item, once the relay has started it. */
async function idleRun(shop: World) {
  const { orderItemId, orderNo } = await shop.order();
  return { orderItemId, orderNo, ...(await started(orderItemId)) };
}
async function started(entityId: string) {
  const client = await temporalClient();
  const [run] = await until('started', async () => {
    const rows = await query<{ workflow_id: string }>('SELECT workflow_id FROM run WHERE entity_id = $1 AND loaded_at IS NOT NULL', [
      entityId,
    ]);
    return rows.length > 0 && rows;
  });
  const handle = client.workflow.getHandle(run!.workflow_id);
  const eventTypes = async () => (await handle.fetchHistory()).events!.map(({ eventType }) => Number(eventType));
  return { handle, eventTypes };
}
const STARTED = 1;
const TASK_COMPLETED = 7;

test('a paid item is one event, and says what it waits for', async () => {
  const shop = await world();
  const { orderNo, handle, eventTypes } = await idleRun(shop);
  expect(await eventTypes()).toEqual([STARTED]);
  const described = await handle.describe();
  expect(described.status.name).toBe('RUNNING');
  expect(await described.staticSummary()).toBe(`orderItem of order ${orderNo}`);
  expect(await described.staticDetails()).toBe(
    'Started as PAID, to wait for its seller or buyer: until their first command it has no other details.',
  );
  expect(Object.fromEntries(described.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))).toEqual({
    StoreId: shop.store.storeId,
    OrderNo: orderNo,
    EntityStatus: 'PAID',
  });
});

test('so is a claim, whose first command is carried out at once, too', async () => {
  const shop = await world();
  const buyer = await shop.member();
  const { orderItemId, orderNo } = await shop.order(undefined, 1, buyer);
  await shop.act(orderItemId, 'confirm');
  const wanted = { type: 'CANCEL', reason: 'CHANGE_OF_MIND' };
  const filed = await buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, wanted);
  const { claimId, claimNo } = filed.body.data as { claimId: string; claimNo: string };
  const { handle, eventTypes } = await started(claimId);
  expect(handle.workflowId).toBe(`claim/${shop.store.storeId}/${claimNo}`);
  expect(await eventTypes()).toEqual([STARTED]);
  const waiting = await handle.describe();
  expect(await waiting.staticSummary()).toBe(`claim of order ${orderNo}`);
  expect(await waiting.staticDetails()).toContain('Started as REQUESTED, to wait for its seller or buyer');
  expect((await shop.seller.call('POST', `/v1/claims/${claimId}/hold`, { reason: 'later' })).body.data).toMatchObject({ status: 'HELD' });
  expect((await eventTypes()).filter((type) => type === TASK_COMPLETED)).toHaveLength(1);
  const attributes = (await handle.describe()).typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
  expect(Object.fromEntries(attributes)).toMatchObject({ OrderNo: orderNo, EntityStatus: 'HELD', NextDeadline: expect.any(Date) });
});

test('its first command is carried out at once, in one task', async () => {
  const shop = await world();
  const { orderItemId, eventTypes } = await idleRun(shop);
  expect((await shop.act(orderItemId, 'confirm')).body.data).toMatchObject({ status: 'CONFIRMED' });
  expect((await eventTypes()).filter((type) => type === TASK_COMPLETED)).toHaveLength(1);
});

test('its first command may end it', async () => {
  const shop = await world();
  const { orderItemId, handle } = await idleRun(shop);
  expect((await shop.act(orderItemId, 'cancel', { reason: 'OTHER' })).status).toBe(200);
  await until('ended', async () => (await handle.describe()).status.name === 'COMPLETED');
});

test('the clock of a sandbox and a wake load it', async () => {
  const shop = await world();
  const { handle, eventTypes } = await idleRun(shop);
  expect(await shop.advance('P1D')).toMatchObject({ settled: true });
  await until('a task', async () => (await eventTypes()).includes(TASK_COMPLETED));
  expect((await handle.describe()).status.name).toBe('RUNNING');
});

test('a start that comes after the end leaves no open run', async () => {
  const shop = await world();
  const { orderItemId, handle } = await idleRun(shop);
  await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
  await until('ended', async () => (await handle.describe()).status.name === 'COMPLETED');
  await query(
    `INSERT INTO outbox (store_id, message, workflow_type, workflow_id, entity_id, status, created_at)
     SELECT store_id, 'start', workflow_type, workflow_id, entity_id, 'PAID', created_at FROM run WHERE entity_id = $1`,
    [orderItemId],
  );
  const left = () => query('SELECT 1 FROM outbox WHERE entity_id = $1', [orderItemId]);
  await until('published', async () => (await left()).length === 0);
  expect((await handle.describe()).status.name).toBe('COMPLETED');
});

test('one that was started after its last command had ended it loads its row, and ends', async () => {
  const shop = await world();
  const { orderItemId, handle } = await idleRun(shop);
  await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
  const isOver = async () => (await handle.describe()).status.name === 'COMPLETED';
  await until('ended', isOver);
  const [row] = await query<IdleRow>(
    `SELECT *, 'start' AS message, NULL AS wake_at, false AS is_redundant, true AS is_done, '7' AS outbox_id FROM run WHERE entity_id = $1`,
    [orderItemId],
  );
  const client = await temporalClient();
  await client.workflow.start('orderItem', idleOptions({ ...runOfRow(row!), status: 'PAID' }));
  expect(await isOver()).toBe(false);
  const pool = new Pool({ connectionString: roleUrl(underTest.databaseUrl, 'sangjeom_relay'), max: 1 });
  const tx = await pool.connect();
  try {
    expect([...(await markLoaded(tx, [row!], realClock))]).toEqual(['7']);
    expect([...(await markLoaded(tx, [{ ...row!, is_redundant: true }], realClock))]).toEqual([]);
    await endIfOpen(client, row!);
    await until('ended again', isOver);
    const before = (await handle.describe()).runId;
    await endIfOpen(client, row!);
    await endIfOpen(client, { ...row!, workflow_id: 'order-item/never' });
    expect((await handle.describe()).runId).toBe(before);
  } finally {
    tx.release();
    await pool.end();
  }
});
