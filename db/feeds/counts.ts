/** Row counts of a store's lists, maintained by triggers: a total costs the same however many rows there are (X22). */
import { type Em, sql } from '../kernel/tx.ts';

export type CountedList = 'orders' | 'order_item' | 'product';
/** Absent: any. */
export interface CountFilter {
  readonly status?: string | undefined;
  readonly isTest?: boolean | undefined;
}

/** A subquery for the count; its parameters are `countValues`. */
export const COUNTED = `(SELECT coalesce(sum(n), 0) FROM list_count WHERE store_id = ? AND list = ? AND (?::text IS NULL OR status = ?)
   AND (?::boolean IS NULL OR is_test = ?))`;
export const countValues = (storeId: string, list: CountedList, { status, isTest }: CountFilter): unknown[] => {
  const [wanted, test] = [status ?? null, isTest ?? null];
  return [storeId, list, wanted, wanted, test, test];
};

export async function countOf(em: Em, storeId: string, list: CountedList, filter: CountFilter): Promise<number> {
  const [row] = await sql<{ n: string }>(em, `SELECT ${COUNTED} AS n`, countValues(storeId, list, filter));
  return Number(row!.n);
}
