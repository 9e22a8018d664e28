/** Everything personal of a customer, by the register: read for them, or deleted when they withdraw (U13). */
import { fragment, identifier, joined } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { columnsOf, REGISTER } from './register.ts';

const tables = Object.entries(REGISTER).flatMap(([table, entry]) => (entry.of ? [{ table, ...entry, of: entry.of }] : []));

export type PersonalData = Readonly<Record<string, readonly object[]>>;

/** By table; those without a row are left out. Of somebody who withdrew: the records that stay. */
export async function readPersonalData({ sql, storeId }: Tx, customerId: string): Promise<PersonalData> {
  const found: Record<string, readonly object[]> = {};
  for (const { table, customer, record, of } of tables) {
    const columns = [...columnsOf(customer), ...columnsOf(record)];
    if (columns.length === 0) continue;
    const rows = await sql<object>`SELECT ${joined(columns.map(identifier))} FROM ${identifier(table)}
      WHERE store_id = ${storeId} AND ${of(customerId)}`;
    if (rows.length > 0) found[table] = rows;
  }
  return found;
}

/** Deletes what is the customer's, their row last, and clears what the records that stay have of it. The customer's row is locked. */
export async function deletePersonalData({ sql, storeId }: Tx, customerId: string): Promise<void> {
  for (const { table, customer, hidden, record, of, clears, cascades } of tables) {
    const rows = fragment`store_id = ${storeId} AND ${of(customerId)}`;
    if (clears) await sql`UPDATE ${identifier(table)} SET ${clears} WHERE ${rows}`;
    else if (!cascades && record === undefined && (customer ?? hidden) !== undefined)
      await sql`DELETE FROM ${identifier(table)} WHERE ${rows}`;
  }
}
