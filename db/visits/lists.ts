/** Reports of visits, each in one statement, from what is counted (counting.ts). Distinct ones: db/migrations/0034_analytics.ts. */
import type { Days } from '../../domain/kernel/period.ts';
import { msOf } from '../../domain/kernel/time.ts';
import type { VisitDay } from '../../domain/visits/overview.ts';
import { allOf, type Fragment, fragment } from '../kernel/sql.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import type { Tx } from '../kernel/tx.ts';

export interface VisitFilter extends Days {
  /** Purchases and starts of payments in sandbox mode, too. */
  readonly includeTest: boolean;
}
/** When what is reported was counted, business time; null: never yet. */
export interface Computed {
  readonly computedAt: number | null;
}
type Text<T> = { readonly [K in keyof T]: string };
type DayRow = { readonly computed_at: string | null; readonly dropped: string; readonly date: string | null } & Text<
  Omit<VisitDay, 'date'>
>;

const inPeriod = (storeId: string, { from, to }: Days, lists: Fragment): Fragment =>
  fragment`store_id = ${storeId} AND ${lists} AND day BETWEEN ${from}::date AND ${to}::date`;
const sums = (storeId: string, filter: VisitFilter, list: Fragment): Fragment =>
  allOf([inPeriod(storeId, filter, list), !filter.includeTest && fragment`NOT is_test`]);

interface ReadOverview {
  readonly days: readonly VisitDay[];
  /** Events of the period that were not taken. */
  readonly droppedEvents: number;
}
/** The days of the period on which anything happened. */
export async function readOverview({ sql, storeId }: Tx, filter: VisitFilter): Promise<Computed & ReadOverview> {
  const rows = await sql<DayRow>`
    WITH happened AS (
      SELECT day, sum(page_views) AS page_views, sum(product_views) AS product_views, sum(cart_adds) AS cart_adds,
        sum(payment_starts) AS payment_starts, sum(purchases) AS purchases, sum(amount_won) AS amount_won
      FROM visit_sum WHERE ${sums(storeId, filter, fragment`list = 'ALL'`)} GROUP BY day),
    seen AS (
      SELECT day, sum(n) FILTER (WHERE list = 'VISITOR') AS visitors, sum(n) FILTER (WHERE list = 'SESSION') AS sessions,
        sum(n) FILTER (WHERE list = 'VISITOR' AND day_before < ${filter.from}::date) AS new_visitors,
        sum(n) FILTER (WHERE list = 'SESSION' AND day_before < ${filter.from}::date) AS new_sessions
      FROM visit_distinct WHERE ${inPeriod(storeId, filter, fragment`list IN ('VISITOR', 'SESSION')`)} GROUP BY day)
    SELECT c.computed_at, c.dropped, to_char(d.day, 'YYYY-MM-DD') AS date, visitors, sessions, new_visitors AS "newVisitors",
      new_sessions AS "newSessions", page_views AS "pageViews", product_views AS "productViews", cart_adds AS "cartAdds",
      payment_starts AS "paymentStarts", purchases, amount_won AS "purchaseAmount"
    FROM (SELECT (SELECT computed_at FROM visit_clock WHERE store_id = ${storeId}) AS computed_at,
      (SELECT coalesce(sum(events), 0) FROM visit_drop
      WHERE store_id = ${storeId} AND day BETWEEN ${filter.from}::date AND ${filter.to}::date) AS dropped) c
    LEFT JOIN (happened FULL JOIN seen USING (day)) d ON true ORDER BY 2`;
  return {
    computedAt: msOf(rows[0]!.computed_at),
    days: rows.flatMap(dayOf),
    droppedEvents: Number(rows[0]!.dropped),
  };
}

function dayOf({ date, ...row }: DayRow): VisitDay[] {
  const { computed_at: _, dropped: _dropped, ...counts } = row;
  return date === null ? [] : [{ date, ...numbers(counts) }];
}

/** Texts of bigint; null, where nothing was counted, is 0. */
const numbers = <T extends Readonly<Record<string, string | null>>>(row: T): { [K in keyof T]: number } =>
  Object.fromEntries(Object.entries(row).map(([name, text]) => [name, Number(text ?? 0)])) as { [K in keyof T]: number };

export interface VisitedProduct {
  readonly productId: string;
  readonly productName: string;
  readonly productViews: number;
  readonly visitors: number;
  readonly cartAdds: number;
  readonly purchaseQuantity: number;
  readonly purchaseAmount: number;
}
interface ListRow {
  readonly computed_at: string | null;
  readonly total: string;
}
export type VisitList<T> = Computed & { readonly items: readonly T[]; readonly total: number };
const listOf = <R extends ListRow, T>(rows: readonly R[], itemOf: (row: Omit<R, keyof ListRow>) => T | null): VisitList<T> => ({
  computedAt: msOf(rows[0]!.computed_at),
  total: Number(rows[0]!.total),
  items: rows.flatMap((row) => {
    const { computed_at: _, total: _total, ...item } = row;
    return itemOf(item) ?? [];
  }),
});

type ProductRow = ListRow & { readonly product_id: string | null; readonly name: string } & Text<
    Omit<VisitedProduct, 'productId' | 'productName'>
  >;
/** Products that were viewed, put into carts or bought in the period, the most viewed first. */
export async function listProducts({ sql, storeId }: Tx, filter: VisitFilter & PageRequest): Promise<VisitList<VisitedProduct>> {
  const { limit, offset: passed } = offset(filter);
  const rows = await sql<ProductRow>`
    WITH found AS MATERIALIZED (
      SELECT key AS product_id, sum(product_views) AS views, sum(cart_adds) AS adds, sum(quantity) AS bought, sum(amount_won) AS won
      FROM visit_sum WHERE ${sums(storeId, filter, fragment`list = 'PRODUCT'`)} GROUP BY key),
    shown AS (SELECT * FROM found ORDER BY views DESC, product_id LIMIT ${limit}::int OFFSET ${passed}::int)
    SELECT c.*, shown.product_id, p.name, views AS "productViews",
      (SELECT sum(n) FROM visit_distinct
        WHERE ${ofKey(storeId, filter, fragment`'PRODUCT_VISITOR'`, fragment`shown.product_id`)}) AS visitors,
      adds AS "cartAdds", bought AS "purchaseQuantity", won AS "purchaseAmount"
    FROM (${counted(storeId)}) c LEFT JOIN shown ON true
    LEFT JOIN product p ON p.store_id = ${storeId} AND p.product_id = shown.product_id ORDER BY views DESC, shown.product_id`;
  return listOf(rows, ({ product_id: productId, name, ...counts }) =>
    productId === null ? null : { productId, productName: name, ...numbers(counts) },
  );
}

/** When it was counted, and how many there are. */
const counted = (storeId: string): Fragment =>
  fragment`SELECT (SELECT computed_at FROM visit_clock WHERE store_id = ${storeId}) AS computed_at, (SELECT count(*) FROM found) AS total`;
/** Those of a list under a key who had not been there on an earlier day of the period. */
const ofKey = (storeId: string, { from, to }: Days, list: Fragment, key: Fragment, medium = fragment`''`): Fragment =>
  fragment`store_id = ${storeId} AND list = ${list} AND key = ${key} AND medium = ${medium} AND day BETWEEN ${from}::date AND ${to}::date
    AND day_before < ${from}::date`;

export interface VisitSource {
  readonly source: string;
  readonly medium: string;
  readonly visitors: number;
  readonly sessions: number;
  readonly pageViews: number;
  readonly purchases: number;
  readonly purchaseAmount: number;
}
type SourceRow = ListRow & { readonly source: string | null; readonly medium: string } & Text<Omit<VisitSource, 'source' | 'medium'>>;
/** Sources of sessions that were there in the period, those of the most sessions first. */
export async function listSources({ sql, storeId }: Tx, filter: VisitFilter & PageRequest): Promise<VisitList<VisitSource>> {
  const { limit, offset: passed } = offset(filter);
  const rows = await sql<SourceRow>`
    WITH happened AS (
      SELECT key, medium, sum(page_views) AS views, sum(purchases) AS bought, sum(amount_won) AS won
      FROM visit_sum WHERE ${sums(storeId, filter, fragment`list = 'SOURCE'`)} GROUP BY key, medium
      HAVING sum(page_views) <> 0 OR sum(purchases) <> 0),
    seen AS (
      SELECT key, medium, sum(n) AS sessions FROM visit_distinct
      WHERE ${inPeriod(storeId, filter, fragment`list = 'SOURCE_SESSION'`)} AND day_before < ${filter.from}::date GROUP BY key, medium
      HAVING sum(n) <> 0),
    found AS MATERIALIZED (
      SELECT key, medium, coalesce(sessions, 0) AS sessions, coalesce(views, 0) AS views, coalesce(bought, 0) AS bought,
        coalesce(won, 0) AS won
      FROM happened FULL JOIN seen USING (key, medium)),
    shown AS (SELECT * FROM found ORDER BY sessions DESC, key, medium LIMIT ${limit}::int OFFSET ${passed}::int)
    SELECT c.*, shown.key AS source, shown.medium, (SELECT sum(n) FROM visit_distinct
        WHERE ${ofKey(storeId, filter, fragment`'SOURCE_VISITOR'`, fragment`shown.key`, fragment`shown.medium`)}) AS visitors,
      sessions, views AS "pageViews", bought AS purchases, won AS "purchaseAmount"
    FROM (${counted(storeId)}) c LEFT JOIN shown ON true ORDER BY sessions DESC, shown.key, shown.medium`;
  return listOf(rows, ({ source, medium, ...counts }) => (source === null ? null : { source, medium, ...numbers(counts) }));
}
