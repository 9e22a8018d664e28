/** A run that is woken from outside is due until it has loaded its row, also when its wake is on its way already. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { inTenant, REQUEST, tenancyOf } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { enqueueDueWakes } from '../../../db/runs/commands.ts';
import { migrateItems } from '../../../db/orders/flows/migrate.ts';
import { isQuiet, nextWake } from '../../../db/sandbox/clock.ts';
import { orderItemRun } from '../../../workflows/kernel/messages.ts';
import { roleUrl } from '../../kernel/database.ts';
import { query, underTest, until, world } from '../../kernel/world.ts';
import { Author, twoSteps } from '../flows/fixtures.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);
});
afterAll(() => orm.close());

async function runOf(storeId: string, orderItemId: string) {
  const [row] = await query<{ no: string }>('SELECT order_item_no AS no FROM order_item WHERE order_item_id = $1', [orderItemId]);
  return orderItemRun({ storeId, orderItemId, orderItemNo: row!.no });
}

test('a sandbox’s clock waits for it, and what it waits for afterwards is its own again', async () => {
  const shop = await world();
  const { storeId } = shop.store;
  const { orderItemId } = await shop.order();
  const run = await runOf(storeId, orderItemId);
  const wakeAt = async () =>
    (await query<{ wake_at: Date | null }>('SELECT wake_at FROM run WHERE entity_id = $1', [orderItemId]))[0]!.wake_at;
  const before = await wakeAt();
  const seen = await inTenant(orm, tenancyOf(storeId, 0, Date.now()), REQUEST, async (tx) => {
    await enqueueDueWakes(tx, [run]);
    await tx.em.flush();
    const [wake] = await tx.sql<{ message: string }>`SELECT message FROM outbox WHERE store_id = ${storeId} AND entity_id = ${orderItemId}`;
    return { message: wake?.message, isQuiet: await isQuiet(tx, tx.at), next: await nextWake(tx, tx.at), at: tx.at };
  });
  // It is due by its own row, whatever has become of the wake.
  expect(seen).toEqual({ message: 'wake', isQuiet: false, next: seen.at, at: seen.at });
  await until('it has loaded its row', async () => String(await wakeAt()) === String(before));
});

test('a migration leaves no run asleep beyond a deadline that is sooner now', async () => {
  const author = new Author(await world());
  const { storeId } = author.shop.store;
  const waiting = (after: string) => twoSteps({ deadlines: [{ key: 'late', after }] });
  const flowId = await author.published('sooner', waiting('P9D'));
  await author.shop.order(await author.shop.product({ flowId }));
  await author.publishes(flowId, waiting('P3D'));
  const seen = await inTenant(orm, tenancyOf(storeId, 0, Date.now()), REQUEST, async (tx) => {
    const { migrated } = await migrateItems(tx, flowId, '1', 100);
    return { migrated, isQuiet: await isQuiet(tx, tx.at), next: await nextWake(tx, tx.at), at: tx.at };
  });
  expect(seen).toEqual({ migrated: 1, isQuiet: false, next: seen.at, at: seen.at });
});

test('a run that has ended is not due again', async () => {
  const shop = await world();
  const { storeId } = shop.store;
  const { orderItemId } = await shop.order();
  const run = await runOf(storeId, orderItemId);
  const at = Date.now();
  const isDue = await inTenant(orm, tenancyOf(storeId, 0, at), REQUEST, async (tx) => {
    await tx.sql`UPDATE run SET done_at = ${new Date(at)} WHERE store_id = ${storeId} AND entity_id = ${orderItemId}`;
    await enqueueDueWakes(tx, [run]);
    return nextWake(tx, at);
  });
  expect(isDue).toBeNull();
});
