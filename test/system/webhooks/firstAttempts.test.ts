/** What a receiver that hangs may hold, and how a first attempt is made. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openOrm } from '../../../db/orm.ts';
import { query, type Receiver, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';
import { roleUrl } from '../../kernel/database.ts';
import { soldOut } from './events.ts';

let orm: Awaited<ReturnType<typeof openOrm>>;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 1);
});
const open: Receiver[] = [];
afterAll(async () => {
  for (const receiver of open) receiver.close();
  await orm.close();
});
const receiver = async (shop: World, answer: Parameters<World['receiver']>[0]): Promise<Receiver> => {
  const made = await shop.receiver(answer, ['PRODUCT.OUT_OF_STOCK']);
  open.push(made);
  return made;
};
const WAITING = `SELECT count(*)::int AS n FROM webhook_delivery WHERE store_id = $1 AND status = 'PENDING_RETRY'
  AND next_attempt_at IS NOT NULL`;
/** So many deliveries fail for the first time, the first of them before the others are committed, so that these yield. */
async function fail(shop: World, { webhookId }: Receiver, count: number): Promise<void> {
  await soldOut(orm, shop, 1);
  await until('a failure', async () => (await shop.deliveries(webhookId))[0]?.['status'] === 'PENDING_RETRY');
  await soldOut(orm, shop, count - 1);
  await until('all wait', async () => (await query<{ n: number }>(WAITING, [shop.store.storeId]))[0]!.n === count, 120_000);
}

test('a receiver that hangs holds forty retries of its store at a time; the others come later, and a first attempt comes meanwhile', async () => {
  const shop = await world();
  const retries = 60;
  const known = new Set<string>();
  let [hangs, held, max, isNewHere] = [false, 0, 0, false];
  const hanging = await receiver(shop, ({ headers }, response) => {
    const event = String(headers['svc-event-id']);
    if (!hangs) {
      known.add(event);
      response.writeHead(500).end();
    } else if (!known.has(event)) isNewHere = true;
    else {
      max = Math.max(max, ++held);
      response.once('close', () => held--);
    }
  });
  await fail(shop, hanging, retries);
  hangs = true;
  void shop.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT1M' }).catch(() => null);
  await until('retries begin', async () => held > 0);
  await soldOut(orm, shop, 1);
  const due = `SELECT count(*)::int AS n FROM webhook_delivery d JOIN store s USING (store_id) WHERE d.store_id = $1 AND attempt_count = 1
    AND next_attempt_at <= now() + s.clock_offset_ms * interval '1 millisecond'`;
  await until('none is due', async () => (await query<{ n: number }>(due, [shop.store.storeId]))[0]!.n === 0, 60_000);
  await until('the new one came', async () => isNewHere, 60_000);
  expect(max).toBeLessThanOrEqual(40);
  expect(max).toBeGreaterThan(30);
}, 300_000);

test('a receiver that hangs holds a hundred first attempts of its store at a time, and the others come when these end', async () => {
  const [shop, other] = await Promise.all([world(), world()]);
  const many = 130;
  const came = new Set<string>();
  let [held, max, cameBefore] = [0, 0, 0];
  await receiver(shop, ({ headers }, response) => {
    came.add(String(headers['svc-event-id']));
    max = Math.max(max, ++held);
    response.once('close', () => held--);
  });
  const living = await receiver(other, (_, response) => {
    cameBefore = came.size;
    response.end('ok');
  });
  await soldOut(orm, shop, many);
  await until('many hang', async () => held > 60, 60_000);
  await soldOut(orm, other, 1);
  await until('the other store’s came', async () => living.received.length === 1);
  await until('all came', async () => came.size === many, 120_000);
  // As many as were started and had not begun come on top.
  expect(max).toBeLessThanOrEqual(112);
  expect(cameBefore).toBeLessThan(many);
}, 200_000);

/** What a delivery's run took in Temporal. */
async function tasksOf(shop: World, { webhookId }: Receiver) {
  const [delivery] = await until('sent', async () => {
    const all = await shop.deliveries(webhookId);
    return all[0]?.['status'] === 'SUCCESS' && all;
  });
  const { workflow } = await temporalClient();
  const handle = workflow.getHandle(`webhook/${shop.store.storeId}/${String(delivery!['deliveryId'])}`);
  await handle.result();
  const { events } = await handle.fetchHistory();
  const count = (name: 'workflowTaskCompletedEventAttributes' | 'activityTaskScheduledEventAttributes') =>
    events!.filter((event) => event[name]).length;
  return {
    attempts: delivery!['attemptCount'],
    tasks: count('workflowTaskCompletedEventAttributes'),
    activities: count('activityTaskScheduledEventAttributes'),
  };
}

test('a delivery to a receiver that answers soon is one task of its run', async () => {
  const shop = await world();
  const living = await receiver(shop, (_, response) => void response.end('ok'));
  const all = [];
  // A busy machine may take longer than a second now and then.
  for (let n = 0; n < 5; n++) {
    await soldOut(orm, shop, 1);
    await until('it came', async () => living.received.length === n + 1);
    all.push(await tasksOf(shop, living));
  }
  expect(all).toContainEqual({ attempts: 1, tasks: 1, activities: 0 });
});

test('a receiver that answers later than a first task waits is asked once all the same', async () => {
  const shop = await world();
  const slow = await receiver(shop, (_, response) => void setTimeout(() => response.end('ok'), 2500));
  await soldOut(orm, shop, 1);
  await until('it came', async () => slow.received.length > 0);
  expect(await tasksOf(shop, slow)).toEqual({ attempts: 1, tasks: 2, activities: 1 });
  expect(slow.received).toHaveLength(1);
});
