/** Transactions whose opening travels with their first statement: everything else must be as if it did not. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { openOrm } from '../../../db/orm.ts';
import { type Sql, sqlOn } from '../../../db/kernel/sql.ts';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { underTest, world } from '../../kernel/world.ts';
import { roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 4);
});
afterAll(() => orm.close());

const setting = async (sql: Sql, name: string) => (await sql<{ value: string }>`SELECT current_setting(${name}, true) AS value`)[0]!.value;

describe('a transaction', () => {
  test('has its store and its limits for itself alone', async () => {
    const seen = await inTenant(orm, tenancy('sto_one'), { statementMs: 1234, lockMs: 567 }, async ({ sql }) => [
      await setting(sql, 'app.store_id'),
      await setting(sql, 'statement_timeout'),
      await setting(sql, 'lock_timeout'),
    ]);
    expect(seen).toEqual(['sto_one', '1234ms', '567ms']);
    const outside = await Promise.all(Array.from({ length: 8 }, () => setting(sqlOn(orm), 'app.store_id')));
    expect(outside.every((value) => value === '' || value === null)).toBe(true);
  });

  test('never sees the store of another that runs beside it on the same few connections', async () => {
    const seesItself = (i: number) =>
      inTenant(orm, tenancy(`sto_${i}`), REQUEST, async ({ sql }) => {
        const first = await setting(sql, 'app.store_id');
        const second = await setting(sql, 'app.store_id');
        return first === `sto_${i}` && second === `sto_${i}`;
      });
    // Six share four connections: more would wait longer than the pool does, on a busy machine.
    for (let from = 0; from < 396; from += 6) {
      const round = await Promise.all(Array.from({ length: 6 }, (_, i) => seesItself(from + i)));
      expect(round.every(Boolean)).toBe(true);
    }
  });

  test('is undone when its work fails', async () => {
    const shop = await world();
    const rename = ({ sql }: Tx) => sql`UPDATE store SET name = 'never' WHERE store_id = ${shop.store.storeId}`;
    const name = () =>
      inTenant(
        orm,
        tenancy(shop.store.storeId),
        REQUEST,
        async ({ sql }) => (await sql<{ name: string }>`SELECT name FROM store`)[0]!.name,
      );
    const before = await name();
    await expect(
      inTenant(orm, tenancy(shop.store.storeId), REQUEST, async (tx) => {
        await rename(tx);
        throw new Error('given up');
      }),
    ).rejects.toThrow('given up');
    await expect(inTenant(orm, tenancy(shop.store.storeId), REQUEST, ({ sql }) => sql`SELECT 1 / 0`)).rejects.toThrow(/division by zero/);
    await expect(
      inTenant(orm, tenancy(shop.store.storeId), REQUEST, async () => {
        throw new Error('asked nothing');
      }),
    ).rejects.toThrow('asked nothing');
    expect(await inTenant(orm, tenancy(shop.store.storeId), REQUEST, async () => 'asked nothing')).toBe('asked nothing');
    for (let i = 0; i < 8; i++) expect(await name()).toBe(before);
  });

  test('reports what is wrong with its opening itself', async () => {
    await expect(inTenant(orm, tenancy('sto_one'), { statementMs: Number.NaN, lockMs: 1 }, ({ sql }) => sql`SELECT 1`)).rejects.toThrow(
      /statement_timeout/,
    );
    expect(await inTenant(orm, tenancy('sto_one'), REQUEST, ({ sql }) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  test('whose connection is lost gives its slot in the pool back', async () => {
    const suicide = ({ sql }: Tx) => sql`SELECT pg_terminate_backend(pg_backend_pid())`;
    for (let i = 0; i < 10; i++) await expect(inTenant(orm, tenancy('sto_one'), REQUEST, suicide)).rejects.toThrow();
    const late = async (tx: Tx) => {
      await tx.sql`SELECT 1`;
      await suicide(tx).catch(() => undefined);
    };
    for (let i = 0; i < 10; i++) await expect(inTenant(orm, tenancy('sto_one'), REQUEST, late)).rejects.toThrow();
    expect(await inTenant(orm, tenancy('sto_one'), REQUEST, ({ sql }) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  test('that takes too long is ended', async () => {
    await expect(
      inTenant(orm, tenancy('sto_one'), { statementMs: 100, lockMs: 100 }, ({ sql }) => sql`SELECT pg_sleep(5)`),
    ).rejects.toThrow(/statement timeout/);
    await expect(
      inTenant(orm, tenancy('sto_one'), { statementMs: 9000, lockMs: 100 }, ({ sql }) => sql`SELECT pg_sleep(5)`),
    ).rejects.toThrow();
    expect(await inTenant(orm, tenancy('sto_one'), REQUEST, ({ sql }) => sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });
});
