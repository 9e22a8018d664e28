/** More events than can be delivered at once: receivers that answer go first, and none is forgotten. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { emit } from '../../../db/webhooks/events.ts';
import { startOptions } from '../../../workflows/kernel/start.ts';
import { Pressure, YieldingSlots } from '../../../worker/pressure.ts';
import { underTest, until, type World, world } from '../../kernel/world.ts';
import { roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';
import { soldOut as reportSoldOut } from './events.ts';

let orm: Awaited<ReturnType<typeof openOrm>>;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 1);
});
afterAll(() => orm.close());

const EVENTS = 60;
const soldOut = (shop: World, count: number) => reportSoldOut(orm, shop, count);

test('deliveries to a receiver that fails wait for those to one that answers', async () => {
  const shop = await world();
  const order: ('failing' | 'living')[] = [];
  const failing = await shop.receiver(
    (_, response) => {
      order.push('failing');
      response.writeHead(500).end();
    },
    ['PRODUCT.OUT_OF_STOCK'],
  );
  await soldOut(shop, 1);
  await until('a failure', async () => (await shop.deliveries(failing.webhookId))[0]?.['status'] === 'PENDING_RETRY');
  order.length = 0;
  // It is registered later: without a preference every other delivery would be its.
  const living = await shop.receiver(
    (_, response) => {
      order.push('living');
      response.end('ok');
    },
    ['PRODUCT.OUT_OF_STOCK'],
  );
  await soldOut(shop, EVENTS);
  const came = (who: 'failing' | 'living') => order.filter((one) => one === who).length;
  await until('all attempted', () => Promise.resolve(came('failing') >= EVENTS && came('living') >= EVENTS), 60_000);
  expect(order.slice(0, order.lastIndexOf('living')).filter((one) => one === 'failing').length).toBeLessThan(EVENTS / 2);
  for (const one of [failing, living]) one.close();
}, 90_000);

test('one event of a store is delivered among the first, though another store committed 300 before it', async () => {
  const order: string[] = [];
  const [many, one] = await Promise.all([world(), world()]);
  const receivers = await Promise.all(
    Object.entries({ many, one }).map(([name, shop]) =>
      shop.receiver(
        (_, response) => {
          order.push(name);
          response.end('ok');
        },
        ['PRODUCT.OUT_OF_STOCK'],
      ),
    ),
  );
  await soldOut(many, 300);
  await soldOut(one, 1);
  await until('all delivered', async () => order.length === 301, 60_000).finally(() => receivers.forEach((receiver) => receiver.close()));
  expect(order.indexOf('one')).toBeLessThan(100);
}, 90_000);

test('a receiver that answers again is no longer put last', async () => {
  const shop = await world();
  let isDead = true;
  const receiver = await shop.receiver((_, response) => void response.writeHead(isDead ? 500 : 200).end(), ['PRODUCT.OUT_OF_STOCK']);
  await soldOut(shop, 1);
  await until('a failure', async () => (await shop.deliveries(receiver.webhookId))[0]?.['status'] === 'PENDING_RETRY');
  const yields = () =>
    inTenant(orm, tenancy(shop.store.storeId), REQUEST, async (tx) => {
      await emit(tx, [{ type: 'PRODUCT.OUT_OF_STOCK', at: 1, data: { productId: 'p', variantId: 'v' } }]);
      await tx.em.flush();
      const [row] = await tx.sql<{ yields: boolean }>`
        SELECT yields FROM outbox WHERE store_id = ${shop.store.storeId} ORDER BY outbox_id DESC LIMIT 1`;
      return row!.yields;
    });
  expect(await yields()).toBe(true);
  isDead = false;
  await shop.advance('PT1M');
  await until('recovered', async () => (await shop.deliveries(receiver.webhookId)).every(({ status }) => status === 'SUCCESS'));
  expect(await yields()).toBe(false);
  receiver.close();
});

test('runs of failing receivers get four tasks at a time', () => {
  const pressure = new Pressure();
  const slots = new YieldingSlots(pressure);
  const reserve = (tries: number, isSticky = false) => Array.from({ length: tries }, () => slots.grantPoller({ isSticky }));
  const held = reserve(5);
  expect(held.map((permit) => permit !== null)).toEqual([true, true, true, true, false]);
  slots.releaseSlot({ permit: held[0]! });
  expect(reserve(2).map((permit) => permit !== null)).toEqual([true, false]);
  // New runs do not wait for those in memory.
  const sticky = reserve(5, true);
  expect(sticky.map((permit) => permit !== null)).toEqual([true, true, true, true, false]);
  for (const permit of [...held.slice(1, 4), ...sticky.slice(0, 4)]) slots.releaseSlot({ permit: permit! });
  pressure.isHigh = true;
  expect(reserve(2)).toEqual([null, null]);
  // First attempts neither wait for them nor take their slots.
  const first = Array.from({ length: 5 }, () => slots.tryReserveSlot());
  expect(first.map((permit) => permit !== null)).toEqual([true, true, true, true, false]);
  slots.releaseSlot({ permit: first[0]! });
  expect(slots.tryReserveSlot()).not.toBeNull();
  pressure.isHigh = false;
  expect(reserve(1)[0]).not.toBeNull();
});

test('runs of failing receivers come last in Temporal too', () => {
  const run = { storeId: 's', workflowId: 'w', entityId: 'r', orderNo: null } as const;
  const of = (kind: 'payment' | 'orderItem' | 'webhookDelivery', yields?: boolean) => {
    const { taskQueue, priority } = startOptions({ ...run, workflowType: kind, ...(yields !== undefined && { yields }) });
    return [taskQueue, priority.priorityKey];
  };
  expect([of('payment'), of('orderItem'), of('webhookDelivery', false), of('webhookDelivery', true)]).toEqual([
    ['runs', 1],
    ['runs', 2],
    ['webhook-deliveries', 4],
    ['webhook-deliveries-yielding', 4],
  ]);
});
