/** What a deletion or a suspension leaves behind goes in portions, by the subscription's run; clients see it done at once. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { manyWaiting } from '../../kernel/deliveries.ts';
import { query, type Receiver, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';

const MANY = 2500;
const PORTION = 500;
const open: { close(): unknown }[] = [];
afterAll(async () => {
  for (const one of open) await one.close();
});
const path = ({ webhookId }: Receiver) => `/v1/webhooks/${webhookId}`;
const workflowId = ({ store }: World, { webhookId }: Receiver) => `webhook-subscription/${store.storeId}/${webhookId}`;
const listed = async (shop: World, one: Receiver, status: string, limit = 100) =>
  (await shop.seller.call('GET', `${path(one)}/deliveries?status=${status}&limit=${limit}`)).body.data.items as Record<string, unknown>[];
const tried = (shop: World, one: Receiver) =>
  until('tried', async () => {
    const all = await shop.deliveries(one.webhookId);
    return all.length > 0 && all.every(({ attemptCount, nextAttemptAt }) => Number(attemptCount) > 0 && nextAttemptAt !== null) && all;
  });
const inStatus = async (one: Receiver, status: string) =>
  (
    await query<{ n: number }>('SELECT count(*)::int AS n FROM webhook_delivery WHERE webhook_id = $1 AND status = $2', [
      one.webhookId,
      status,
    ])
  )[0]!.n;

/** A receiver that answers as `isUp` says. */
async function flaky(shop: World) {
  const state = { isUp: false };
  const one = await shop.receiver((_, response) => void response.writeHead(state.isUp ? 200 : 500).end());
  open.push(one);
  return { one, state };
}
/** As if it had failed for a day: its next failure suspends it. */
const failsForADay = ({ webhookId }: Receiver) =>
  query(`UPDATE webhook SET first_failure_at = first_failure_at - interval '24 hours' WHERE webhook_id = $1`, [webhookId]);
const suspended = (shop: World, one: Receiver) =>
  until('suspended', async () => (await shop.seller.call('GET', path(one))).body.data.status === 'SUSPENDED');
/** Holds rows of deliveries until released, so that no portion comes to them. */
async function hold(which: string, values: readonly unknown[]) {
  const client = new Client({ connectionString: underTest.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  const release = () => client.end();
  open.push({ close: release });
  await client.query('BEGIN');
  const { rows } = await client.query<{ delivery_id: string }>(
    `SELECT delivery_id FROM webhook_delivery WHERE ${which} ORDER BY delivery_id DESC FOR UPDATE`,
    [...values],
  );
  return { ids: rows.map((row) => row.delivery_id), release };
}

test('a webhook with 2,500 deliveries is gone at once, and they in portions', async () => {
  const shop = await world();
  const { one } = await flaky(shop);
  await shop.order();
  await tried(shop, one);
  for (const text of manyWaiting(one.webhookId, MANY)) await query(text);
  expect((await shop.seller.call('DELETE', path(one))).status).toBe(200);
  for (const [method, what] of [
    ['GET', ''],
    ['GET', '/deliveries'],
    ['DELETE', ''],
    ['POST', '/resume'],
  ] as const) {
    const { body } = await shop.seller.call(method, path(one) + what, method === 'POST' ? {} : undefined);
    expect(body.error?.code).toBe('WEBHOOK_NOT_FOUND');
  }
  expect((await shop.seller.call('GET', '/v1/webhooks')).body.data.items).toEqual([]);
  await shop.order();
  const { workflow } = await temporalClient();
  await until('gone', async () => (await query('SELECT 1 FROM webhook WHERE webhook_id = $1', [one.webhookId])).length === 0);
  const handle = workflow.getHandle(workflowId(shop, one));
  await handle.result();
  const { events } = await handle.fetchHistory();
  expect(events!.filter((event) => event.markerRecordedEventAttributes).length).toBeGreaterThan(MANY / PORTION);
  expect(await query('SELECT 1 FROM webhook_delivery WHERE webhook_id = $1', [one.webhookId])).toEqual([]);
  const left = `SELECT workflow_type FROM run WHERE store_id = $1 AND workflow_type LIKE 'webhook%' AND done_at IS NULL`;
  expect(await query(left, [shop.store.storeId])).toEqual([]);
  expect(await shop.advance('P1D')).toMatchObject({ settled: true });
  expect(one.received).toHaveLength(1);
}, 60_000);

test('what was ended before Temporal heard of it is never started', async () => {
  const shop = await world();
  const { storeId } = shop.store;
  const id = (n: number) => `webhook/${storeId}/ended${n}`;
  await query(
    `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, done_at, created_at)
     SELECT $1, 'webhook/' || $1 || '/ended' || n, 'webhookDelivery', 'ended' || n, now(), now() FROM generate_series(1, 100) n`,
    [storeId],
  );
  await query(
    `INSERT INTO outbox (store_id, message, workflow_type, workflow_id, entity_id, status, created_at)
     SELECT store_id, 'start', workflow_type, workflow_id, entity_id, 'PENDING', now() FROM run WHERE store_id = $1`,
    [storeId],
  );
  await until('nothing waits', async () => (await query('SELECT 1 FROM outbox WHERE store_id = $1', [storeId])).length === 0);
  const { workflow } = await temporalClient();
  for (const n of [1, 50, 100]) await expect(workflow.getHandle(id(n)).describe()).rejects.toThrow('not found');
});

describe('a suspension', () => {
  test('of 2,500 that wait ends them in portions, and shows none as waiting', async () => {
    const shop = await world();
    const { one } = await flaky(shop);
    await shop.order();
    const [first] = await tried(shop, one);
    for (const text of manyWaiting(one.webhookId, MANY)) await query(text);
    await failsForADay(one);
    // The newest are out of the run's reach for now.
    const { ids, release } = await hold(
      `webhook_id = $1 AND starts_with(delivery_id, $2) AND substr(delivery_id, length($2) + 1) > '01800'`,
      [one.webhookId, String(first!['deliveryId'])],
    );
    expect(ids).toHaveLength(700);
    await shop.order();
    await suspended(shop, one);
    await until('all others ended', async () => (await inStatus(one, 'FAILED')) >= 1802);
    expect(await inStatus(one, 'PENDING_RETRY')).toBe(700);
    for (const status of ['PENDING', 'PENDING_RETRY']) expect(await listed(shop, one, status)).toEqual([]);
    const failed = await listed(shop, one, 'FAILED');
    expect(failed).toHaveLength(100);
    expect(failed.every(({ errorCode, nextAttemptAt }) => errorCode === 'WEBHOOK_SUSPENDED' && nextAttemptAt === null)).toBe(true);
    expect(failed.filter(({ deliveryId }) => ids.includes(String(deliveryId)))).toHaveLength(99);
    expect((await shop.deliveries(one.webhookId)).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 'FAILED'));
    await release();
    await until('all ended', async () => (await inStatus(one, 'FAILED')) === MANY + 2);
    const sizes = await query<{ n: number }>(
      `SELECT count(*)::int AS n FROM webhook_delivery WHERE webhook_id = $1 AND error_code = 'WEBHOOK_SUSPENDED' GROUP BY xmin::text`,
      [one.webhookId],
    );
    expect(Math.max(...sizes.map(({ n }) => n))).toBeLessThanOrEqual(PORTION);
    const left = `SELECT workflow_id FROM run WHERE store_id = $1 AND workflow_type LIKE 'webhook%' AND done_at IS NULL`;
    await until('its run is done', async () => (await query(left, [shop.store.storeId])).length === 0);
    expect(one.received).toHaveLength(2);
  }, 60_000);

  test('that is lifted in the midst revives nothing of what waited', async () => {
    const shop = await world();
    const { one, state } = await flaky(shop);
    await Promise.all([shop.order(), shop.order()]);
    await tried(shop, one);
    const waited = (await shop.deliveries(one.webhookId)).map(({ deliveryId }) => String(deliveryId));
    expect(waited).toHaveLength(2);
    for (const text of manyWaiting(one.webhookId, 600)) await query(text);
    await failsForADay(one);
    const { release } = await hold(`webhook_id = $1 AND (delivery_id = ANY($2) OR right(delivery_id, 5) > '00300')`, [
      one.webhookId,
      waited,
    ]);
    await shop.order();
    await suspended(shop, one);
    await until('some ended', async () => (await inStatus(one, 'FAILED')) >= 300);
    // Its run comes no more: each delivery that was not reached finds for itself that it is over.
    const { workflow } = await temporalClient();
    const handle = workflow.getHandle(workflowId(shop, one));
    // Between two portions; a transition that is under way after all says last how its run stands.
    await until('it rests', async () => !(await handle.describe()).raw.pendingWorkflowTask);
    await handle.terminate('drill');
    await query('SELECT 1 FROM webhook WHERE webhook_id = $1 FOR UPDATE', [one.webhookId]);
    await query('UPDATE run SET done_at = now() WHERE workflow_id = $1', [workflowId(shop, one)]);
    const before = one.received.length;
    expect((await shop.seller.call('POST', `${path(one)}/deliveries/redeliver-failed`, {})).body.error?.code).toBe('WEBHOOK_SUSPENDED');
    state.isUp = true;
    expect((await shop.seller.call('POST', `${path(one)}/resume`, {})).body.data).toMatchObject({ status: 'ACTIVE' });
    for (const status of ['PENDING', 'PENDING_RETRY']) expect(await listed(shop, one, status)).toEqual([]);
    await release();
    await shop.order();
    expect(
      await until('the new one', async () => (await listed(shop, one, 'SUCCESS')).length > 0 && listed(shop, one, 'SUCCESS')),
    ).toHaveLength(1);
    await shop.advance('PT3M');
    await until('judged', async () => {
      const rows = await query<{ error_code: string }>(
        'SELECT error_code FROM webhook_delivery WHERE delivery_id = ANY($1) AND status = $2',
        [waited, 'FAILED'],
      );
      return rows.length === 2 && rows.every((row) => row.error_code === 'WEBHOOK_SUSPENDED');
    });
    expect(one.received).toHaveLength(before + 1);
    // One that nobody has come to yet, if there still is one, and then all: the oldest first, each once.
    const [pending] = await query<{ delivery_id: string }>(
      `SELECT delivery_id FROM webhook_delivery WHERE webhook_id = $1 AND status IN ('PENDING_RETRY', 'FAILED')
       ORDER BY status = 'PENDING_RETRY' DESC, delivery_id DESC LIMIT 1`,
      [one.webhookId],
    );
    expect((await shop.seller.call('POST', `${path(one)}/deliveries/${pending!.delivery_id}/redeliver`, {})).status).toBe(202);
    const queued: number[] = [];
    for (let n = -1; n !== 0; queued.push(n))
      n = (await shop.seller.call('POST', `${path(one)}/deliveries/redeliver-failed`, {})).body.data.queued as number;
    expect(queued).toEqual([500, 102, 0]);
    const [again] = await query(
      `SELECT count(*)::int AS n, count(DISTINCT redelivery_of)::int AS originals FROM webhook_delivery WHERE webhook_id = $1
       AND redelivery_of IS NOT NULL`,
      [one.webhookId],
    );
    expect(again).toEqual({ n: 603, originals: 603 });
    const sentAgain = `SELECT 1 FROM webhook_delivery WHERE redelivery_of = $1 AND status = 'SUCCESS'`;
    await until('sent again', async () => (await query(sentAgain, [pending!.delivery_id])).length > 0);
    expect(await inStatus(one, 'FAILED')).toBe(603);
    await shop.seller.call('DELETE', path(one));
  }, 120_000);
});
