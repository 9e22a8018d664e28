/** Transactions whose opening travels with their first statement: everything else must be as if it did not. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { openOrm } from '../../../db/orm.ts';
import { type Em, inTenant, REQUEST, sql } from '../../../db/kernel/tx.ts';
import { underTest, world } from '../../kernel/world.ts';
import { roleUrl } from '../../kernel/database.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 4);
});
afterAll(() => orm.close());

const setting = (name: string) => `SELECT current_setting('${name}', true) AS value`;

describe('a transaction', () => {
  test('has its store and its limits for itself alone', async () => {
    const seen = await inTenant(orm, 'sto_one', { statementMs: 1234, lockMs: 567 }, async (em) => [
      await sql<{ value: string }>(em, setting('app.store_id')),
      await sql<{ value: string }>(em, setting('statement_timeout')),
      await sql<{ value: string }>(em, setting('lock_timeout')),
    ]);
    expect(seen.flat().map(({ value }) => value)).toEqual(['sto_one', '1234ms', '567ms']);
    const outside = await Promise.all(Array.from({ length: 8 }, () => sql<{ value: string }>(orm.em.fork(), setting('app.store_id'))));
    expect(outside.flat().every(({ value }) => value === '' || value === null)).toBe(true);
  });

  test('never sees the store of another that runs beside it on the same few connections', async () => {
    const rounds = await Promise.all(
      Array.from({ length: 400 }, (_, i) =>
        inTenant(orm, `sto_${i}`, REQUEST, async (em) => {
          const [first] = await sql<{ value: string }>(em, setting('app.store_id'));
          const [second] = await sql<{ value: string }>(em, setting('app.store_id'));
          return first!.value === `sto_${i}` && second!.value === `sto_${i}`;
        }),
      ),
    );
    expect(rounds.every(Boolean)).toBe(true);
  });

  test('is undone when its work fails', async () => {
    const shop = await world();
    const rename = (em: Em) => sql(em, `UPDATE store SET name = 'never' WHERE store_id = '${shop.store.storeId}'`);
    const name = () =>
      inTenant(orm, shop.store.storeId, REQUEST, async (em) => (await sql<{ name: string }>(em, 'SELECT name FROM store'))[0]!.name);
    const before = await name();
    await expect(
      inTenant(orm, shop.store.storeId, REQUEST, async (em) => {
        await rename(em);
        throw new Error('given up');
      }),
    ).rejects.toThrow('given up');
    await expect(inTenant(orm, shop.store.storeId, REQUEST, (em) => sql(em, 'SELECT 1 / 0'))).rejects.toThrow(/division by zero/);
    await expect(
      inTenant(orm, shop.store.storeId, REQUEST, async () => {
        throw new Error('asked nothing');
      }),
    ).rejects.toThrow('asked nothing');
    expect(await inTenant(orm, shop.store.storeId, REQUEST, async () => 'asked nothing')).toBe('asked nothing');
    for (let i = 0; i < 8; i++) expect(await name()).toBe(before);
  });

  test('reports what is wrong with its opening itself', async () => {
    await expect(inTenant(orm, 'sto_one', { statementMs: Number.NaN, lockMs: 1 }, (em) => sql(em, 'SELECT 1'))).rejects.toThrow(
      /statement_timeout/,
    );
    expect(await inTenant(orm, 'sto_one', REQUEST, (em) => sql(em, 'SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  test('whose connection is lost gives its slot in the pool back', async () => {
    const suicide = (em: Em) => sql(em, 'SELECT pg_terminate_backend(pg_backend_pid())');
    for (let i = 0; i < 10; i++) await expect(inTenant(orm, 'sto_one', REQUEST, suicide)).rejects.toThrow();
    const late = async (em: Em) => {
      await sql(em, 'SELECT 1');
      await suicide(em).catch(() => undefined);
    };
    for (let i = 0; i < 10; i++) await expect(inTenant(orm, 'sto_one', REQUEST, late)).rejects.toThrow();
    expect(await inTenant(orm, 'sto_one', REQUEST, (em) => sql(em, 'SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });

  test('that takes too long is ended', async () => {
    await expect(inTenant(orm, 'sto_one', { statementMs: 100, lockMs: 100 }, (em) => sql(em, 'SELECT pg_sleep(5)'))).rejects.toThrow(
      /statement timeout/,
    );
    await expect(inTenant(orm, 'sto_one', { statementMs: 9000, lockMs: 100 }, (em) => sql(em, 'SELECT pg_sleep(5)'))).rejects.toThrow();
    expect(await inTenant(orm, 'sto_one', REQUEST, (em) => sql(em, 'SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  });
});
