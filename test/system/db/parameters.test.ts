/** Values travel beside the text of a statement: nothing in them is ever SQL. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { raw } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { StoreEntity } from '../../../db/stores/entities.ts';
import { openOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST, sql } from '../../../db/kernel/tx.ts';
import { roleUrl } from '../../kernel/database.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let orm: MikroORM;
let shop: World;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);
  shop = await world();
});
afterAll(() => orm.close());
const tx = <T>(work: Parameters<typeof inTenant<T>>[3]) => inTenant(orm, shop.store.storeId, REQUEST, work);
/** The statement as Postgres received it. */
const RECEIVED = 'SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()';

test('the text that Postgres receives has placeholders, and no value', async () => {
  const [seen] = await tx((em) => sql<{ query: string }>(em, `${RECEIVED} AND ? <> ?`, ["o'clock", 'b']));
  expect(seen!.query).toBe(`${RECEIVED} AND $1 <> $2`);
});

test.each([
  ['a quote and a statement', "'; DROP TABLE store; --"],
  ['a backslash', String.raw`\'\\ E'\x27'`],
  ['question marks', 'what? ?? \\?'],
  ['a placeholder', '$1 $2'],
  ['another script', '양모 머플러 🧣'],
  ['nothing', ''],
])('a text with %s comes back as it was sent', async (_, text) => {
  expect(await tx((em) => sql(em, 'SELECT ?::text AS text', [text]))).toEqual([{ text }]);
  await tx((em) => em.nativeUpdate(StoreEntity, { storeId: shop.store.storeId }, { name: text }));
  expect(await tx(async (em) => (await em.findOneOrFail(StoreEntity, { storeId: shop.store.storeId })).name)).toBe(text);
});

test('dates, numbers, null, bytes and JSON keep their value', async () => {
  const [row] = await tx((em) =>
    sql(
      em,
      'SELECT ?::timestamptz = to_timestamp(1795395723.456)::timestamptz(3) AS is_then, ?::int AS n, ?::text AS nothing, ?::bytea AS bytes, ?::jsonb AS json, ?::bigint AS big',
      [
        new Date('2026-11-23T01:02:03.456Z'),
        42,
        null,
        Buffer.from([0, 255, 39]),
        { quote: "it's", list: [1, 'two'] },
        9_007_199_254_740_993n,
      ],
    ),
  );
  expect(row).toEqual({
    is_then: true,
    n: 42,
    nothing: null,
    bytes: Buffer.from([0, 255, 39]),
    json: { quote: "it's", list: [1, 'two'] },
    big: '9007199254740993',
  });
});

test('a list becomes as many placeholders, an identifier is quoted, and fragments carry their own values', async () => {
  const [row] = await tx((em) =>
    sql(em, `SELECT ? AS ??, 'b' IN (?) AS is_in, '{"a": 1}'::jsonb \\? ? AS has_key`, [
      raw('?::int + ?::int', [1, 2]),
      'the "sum"',
      ['a', 'b'],
      'a',
    ]),
  );
  expect(row).toEqual({ 'the "sum"': 3, is_in: true, has_key: true });
});
