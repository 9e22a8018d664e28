/** Values travel beside the text of a statement: nothing in them is ever SQL. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { raw } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { StoreEntity } from '../../../db/stores/entities.ts';
import { openOrm } from '../../../db/orm.ts';
import { fragment, identifier } from '../../../db/kernel/sql.ts';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { roleUrl } from '../../kernel/database.ts';
import { underTest, type World, world } from '../../kernel/world.ts';
import { tenancy } from '../../kernel/tenancy.ts';

let orm: MikroORM;
let shop: World;
beforeAll(async () => {
  orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);
  shop = await world();
});
afterAll(() => orm.close());
const tx = <T>(work: Parameters<typeof inTenant<T>>[3]) => inTenant(orm, tenancy(shop.store.storeId), REQUEST, work);
/** The statement as Postgres received it. */
const RECEIVED = fragment`SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()`;

test('the text that Postgres receives has placeholders, and no value', async () => {
  const [seen] = await tx(({ sql }) => sql<{ query: string }>`${RECEIVED} AND ${"o'clock"} <> ${'b'}`);
  expect(seen!.query).toBe(`${RECEIVED.strings.join('')} AND $1 <> $2`);
});

test.each([
  ['a quote and a statement', "'; DROP TABLE store; --"],
  ['a backslash', String.raw`\'\\ E'\x27'`],
  ['question marks', 'what? ?? \\?'],
  ['a placeholder', '$1 $2'],
  ['another script', '양모 머플러 🧣'],
  ['nothing', ''],
])('a text with %s comes back as it was sent', async (_, text) => {
  expect(await tx(({ sql }) => sql`SELECT ${text}::text AS text`)).toEqual([{ text }]);
  await tx(({ em }) => em.nativeUpdate(StoreEntity, { storeId: shop.store.storeId }, { name: text }));
  expect(await tx(async ({ em }) => (await em.findOneOrFail(StoreEntity, { storeId: shop.store.storeId })).name)).toBe(text);
});

test('dates, numbers, null, bytes and JSON keep their value', async () => {
  const [row] = await tx(
    ({ sql }) =>
      sql`SELECT ${new Date('2026-11-23T01:02:03.456Z')}::timestamptz = to_timestamp(1795395723.456)::timestamptz(3) AS is_then,
        ${42}::int AS n, ${null}::text AS nothing, ${Buffer.from([0, 255, 39])}::bytea AS bytes,
        ${JSON.stringify({ quote: "it's", list: [1, 'two'] })}::jsonb AS json, ${9_007_199_254_740_993n}::bigint AS big`,
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

test('arrays are arrays of Postgres, fragments carry their own values, and names are quoted', async () => {
  const [row] = await tx(({ sql }) => {
    const sum = fragment`${1}::int + ${2}::int`;
    const given = ['a', 'b "quoted", {and} \\ escaped', ''];
    return sql`SELECT ${sum} AS ${identifier('the "sum"')}, ${given}::text[] AS texts, 2 = ANY(${[1, 2]}::int[]) AS is_in,
      '{"a": 1}'::jsonb ? ${'a'} AS has_key`;
  });
  expect(row).toEqual({ 'the "sum"': 3, texts: ['a', 'b "quoted", {and} \\ escaped', ''], is_in: true, has_key: true });
});

test('in MikroORM’s own texts a list becomes as many placeholders, an identifier is quoted, and fragments carry their own values', async () => {
  const [row] = await tx(({ em }) =>
    em.execute(`SELECT ? AS ??, 'b' IN (?) AS is_in, '{"a": 1}'::jsonb \\? ? AS has_key`, [
      raw('?::int + ?::int', [1, 2]),
      'the "sum"',
      ['a', 'b'],
      'a',
    ]),
  );
  expect(row).toEqual({ 'the "sum"': 3, is_in: true, has_key: true });
});
