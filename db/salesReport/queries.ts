/** The rows of the sales report, from the maintained sums (db/migrations/0033_sales.ts). */
import type { Days } from '../../domain/kernel/period.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import { type Group, type PaidMethod, type Sales, salesOf } from '../../domain/salesReport/rules.ts';
import { allOf, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

export interface SalesFilter extends Days {
  readonly groupBy: Group;
  /** Any of these; absent: all. */
  readonly pgs?: readonly ProviderName[] | undefined;
  readonly methods?: readonly PaidMethod[] | undefined;
  readonly includeTest: boolean;
}
export interface SalesRow extends Sales {
  /** `2026-11-20`, or `2026-11`. */
  readonly period: string;
  /** Null: nothing was paid in cash. */
  readonly pg: ProviderName | null;
  readonly method: PaidMethod;
}
interface Row {
  readonly period: string;
  readonly pg: ProviderName | null;
  readonly method: PaidMethod;
  readonly payments: string;
  readonly paid: string;
  readonly points: string;
  readonly refunds: string;
  readonly refunded: string;
}

/** What is committed now, by period, provider and method. */
export async function readSales({ sql, storeId }: Tx, filter: SalesFilter): Promise<SalesRow[]> {
  const { from, to, groupBy, pgs, methods, includeTest } = filter;
  const where = allOf([
    fragment`store_id = ${storeId}`,
    fragment`day BETWEEN ${from}::date AND ${to}::date`,
    pgs !== undefined && fragment`pg = ANY(${[...pgs]}::text[])`,
    methods !== undefined && fragment`method = ANY(${[...methods]}::text[])`,
    !includeTest && fragment`NOT is_test`,
  ]);
  const period = groupBy === 'DAY' ? fragment`to_char(day, 'YYYY-MM-DD')` : fragment`to_char(day, 'YYYY-MM')`;
  const rows = await sql<Row>`
    SELECT ${period} AS period, nullif(pg, '') COLLATE "C" AS pg, method COLLATE "C" AS method, sum(payment_count) AS payments,
      sum(payment_won) AS paid, sum(point_won) AS points, sum(refund_count) AS refunds, sum(refund_won) AS refunded
    FROM sales_sum WHERE ${where} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
  return rows.map((row) => ({
    period: row.period,
    pg: row.pg,
    method: row.method,
    ...salesOf({
      paymentCount: Number(row.payments),
      paymentAmount: Number(row.paid),
      pointAmount: Number(row.points),
      refundCount: Number(row.refunds),
      refundAmount: Number(row.refunded),
    }),
  }));
}
