/** Row counts of a store's lists, maintained by triggers: a total costs the same however many rows there are (X22). */
import { EMPTY, type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { CountedList, ProductList } from './entities.ts';

/** Absent: any. */
export interface CountFilter {
  readonly status?: string | null | undefined;
  /** Any of these. */
  readonly statuses?: readonly string[] | undefined;
  readonly isTest?: boolean | null | undefined;
}

/** A subquery for the count. */
export const counted = (storeId: string, list: CountedList, { status = null, statuses, isTest = null }: CountFilter): Fragment =>
  fragment`(SELECT coalesce(sum(n), 0) FROM list_count WHERE store_id = ${storeId} AND list = ${list}
    ${status === null ? EMPTY : fragment`AND status = ${status}`}
    ${statuses === undefined ? EMPTY : fragment`AND status = ANY(${[...statuses]}::text[])`}
    ${isTest === null ? EMPTY : fragment`AND is_test = ${isTest}`})`;

/** The same for the rows of a product; `value`: a rating or a status, null: any. */
export const countedOf = (storeId: string, productId: string | Fragment, list: ProductList, value: string | null): Fragment =>
  fragment`(SELECT coalesce(sum(n), 0) FROM product_list_count WHERE store_id = ${storeId} AND product_id = ${productId} AND list = ${list}
    ${value === null ? EMPTY : fragment`AND value = ${value}`})`;

export async function countOf({ sql, storeId }: Tx, list: CountedList, filter: CountFilter): Promise<number> {
  const [row] = await sql<{ n: string }>`SELECT ${counted(storeId, list, filter)} AS n`;
  return Number(row!.n);
}
