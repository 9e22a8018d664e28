/** Stores share the connections of a process: what one of them does takes none from the others. */
import type { MikroORM } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { shareConnections } from '../../../db/kernel/shares.ts';
import { inTenant, READ, realTime, type Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { roleUrl } from '../../kernel/database.ts';
import { underTest } from '../../kernel/world.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 20);
  shareConnections(orm, 20);
});
afterAll(() => orm.close());

const within = <T>(storeId: string, work: (tx: Tx) => Promise<T>) => inTenant(orm, realTime(storeId, Date.now()), READ, work);

test('fifty slow reads of one store leave another its connections', async () => {
  const order: string[] = [];
  const read = (storeId: string, seconds: number) =>
    within(storeId, ({ sql }) => sql`SELECT pg_sleep(${seconds})`).then(() => order.push(storeId));
  const hostile = Array.from({ length: 50 }, () => read('sto_hostile', 0.1));
  for (let n = 0; n < 5; n++) await read('sto_other', 0);
  // Before the second portion of the hostile ones has ended, which would have been all of them with twenty connections for one store.
  expect(order.filter((storeId) => storeId === 'sto_hostile').length).toBeLessThan(20);
  await Promise.all(hostile);
});

test('a transaction within another waits for no turn: with all turns taken both end', async () => {
  const nested = () => within('sto_one', () => within('sto_one', ({ sql }) => sql`SELECT pg_sleep(0.05)`));
  const all = await Promise.all(Array.from({ length: 20 }, nested));
  expect(all).toHaveLength(20);
});
