/** Everything personal of a customer, by the register: read for them, or deleted when they withdraw (U13). */
import { identifier, joined } from '../kernel/sql.ts';
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
export async function deletePersonalData(tx: Tx, customerId: string): Promise<void> {
  await clearRecords(tx, customerId);
  const { sql, storeId } = tx;
  for (const { table, customer, hidden, record, of, cascades } of tables)
    if (!cascades && record === undefined && (customer ?? hidden) !== undefined)
      await sql`DELETE FROM ${identifier(table)} WHERE store_id = ${storeId} AND ${of(customerId)}`;
}

/** Clears the records that stay of a customer who withdraws, or who has withdrawn before a record was written to its end. */
export async function clearRecords({ sql, storeId }: Tx, customerId: string): Promise<void> {
  for (const { table, of, clears } of tables)
    if (clears) await sql`UPDATE ${identifier(table)} SET ${clears} WHERE store_id = ${storeId} AND ${of(customerId)}`;
  // The replies of executions stay as long as their requests, so that none is carried out twice: without what they answered.
  await sql`UPDATE operation SET body = '{}' WHERE store_id = ${storeId} AND body IS NOT NULL AND principal IN (
    SELECT 'approval/' || approval_id FROM approval_request WHERE store_id = ${storeId} AND params ->> 'customerId' = ${customerId})`;
}
