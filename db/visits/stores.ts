import type { Sql } from '../kernel/sql.ts';

/** Stores of one portion. */
const PORTION = 200;

interface VisitedStore {
  readonly storeId: string;
  readonly clockOffsetMs: number;
}
/** The next stores, in the order of their ids; `last` is where the next portion goes on, null at the end. */
export async function findStores(
  sql: Sql,
  after: string | null,
): Promise<{ readonly stores: readonly VisitedStore[]; readonly last: string | null }> {
  const rows = await sql<{ store_id: string; clock_offset_ms: string }>`SELECT * FROM lookup_visited_stores(${after ?? ''}, ${PORTION})`;
  const stores = rows.map((row) => ({ storeId: row.store_id, clockOffsetMs: Number(row.clock_offset_ms) }));
  return { stores, last: stores.length < PORTION ? null : stores.at(-1)!.storeId };
}
