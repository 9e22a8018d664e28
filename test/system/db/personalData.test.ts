/** The register of personal data has every column of the schema, and no other (db/personalData/register.ts). */
import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { columnsOf, REGISTER } from '../../../db/personalData/register.ts';
import { migratedDatabase } from '../../kernel/database.ts';

/** `table.column` of every column, without partitions and MikroORM's own table. */
async function columns(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname || '.' || a.attname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
       AND NOT a.attisdropped AND c.relname <> 'mikro_orm_migrations'`,
  );
  await client.end();
  return rows.map(({ name }) => name);
}
const entered = Object.entries(REGISTER).flatMap(([table, { customer, hidden, record, staff, none }]) =>
  [customer, hidden, record, staff, none].flatMap((list) => columnsOf(list).map((column) => `${table}.${column}`)),
);

test('each column says once whose data it has', async () => {
  const known = await columns(await migratedDatabase('personal'));
  expect(known.length).toBeGreaterThan(500);
  expect(known.filter((column) => !entered.includes(column)).toSorted()).toEqual([]);
  expect(entered.filter((column) => !known.includes(column)).toSorted()).toEqual([]);
  expect(entered.filter((column, i) => entered.indexOf(column) < i)).toEqual([]);
});

test('whatever is a customer’s can be found, and whatever has customers’ ids says of whom it is', () => {
  const lost = Object.entries(REGISTER).filter(([, { customer, of }]) => customer !== undefined && !of);
  expect(lost).toEqual([]);
  const withIds = Object.entries(REGISTER).filter(([, { none }]) => columnsOf(none).includes('customer_id'));
  expect(withIds.filter(([, { of }]) => !of).map(([table]) => table)).toEqual([]);
  const [last] = Object.entries(REGISTER).findLast(([, { customer }]) => customer !== undefined)!;
  expect(last).toBe('customer');
});
