/** Statements by key are prepared once per connection, and a migration under load fails none of them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { ProductEntity } from '../../../db/products/entities.ts';
import { StoreEntity } from '../../../db/stores/entities.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';
import { until } from '../../kernel/world.ts';

let orm: MikroORM;
let owner: Client;
let storeId: string;
beforeAll(async () => {
  const url = await migratedDatabase('prepared');
  ({ storeId } = await makeStore(url, { code: 'prepared', name: 's', sandbox: true, withProduct: true }));
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 4);
  owner = new Client({ connectionString: url });
  await owner.connect();
}, 60_000);
afterAll(async () => {
  await orm.close();
  await owner.end();
});

const read = ({ em }: Tx) => em.findOneOrFail(StoreEntity, { storeId });
const prepared = ({ sql }: Tx) => sql<{ statement: string }>`SELECT statement FROM pg_prepared_statements`;
const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTenant(orm, tenancy(storeId), REQUEST, work);

test('selects by key, inserts and updates get a name at their second use; lists get none', async () => {
  for (let i = 0; i < 3; i++)
    await inTx(async (tx) => {
      const store = await read(tx);
      store.name = `name ${i}`;
      await tx.em.flush();
      await tx.em.find(ProductEntity, { storeId });
    });
  const texts = (await inTx(prepared)).map(({ statement }) => statement);
  expect(texts.some((text) => text.startsWith('select "s0".* from "store"'))).toBe(true);
  expect(texts.some((text) => text.startsWith('update "store" set "name"'))).toBe(true);
  expect(texts.filter((text) => text.includes('"product"'))).toEqual([]);
});

test('a migration under load changes what a prepared statement returns, and no transaction fails', async () => {
  const over = new AbortController();
  let reads = 0;
  const reading = Array.from({ length: 4 }, async () => {
    for (; !over.signal.aborted; reads++) expect((await inTx(read)).storeId).toBe(storeId);
  });
  const some = (n: number) => until(`${n} reads`, async () => reads >= n);
  await some(100);
  const before = await inTx(async ({ sql }) => (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`)[0]!.pid);
  for (const column of ['first', 'second']) {
    await owner.query(`ALTER TABLE store ADD COLUMN added_${column} integer`);
    await some(reads + 100);
  }
  over.abort();
  await Promise.all(reading);
  // Every connection of before was closed after its transaction.
  await until('they are fresh', async () => {
    await inTx(read);
    return (await owner.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [before])).rows.length === 0;
  });
}, 60_000);
