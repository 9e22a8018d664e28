/** The seller's list of payments, newest start first; each filter has an index (db/migrations/0033_sales.ts). */
import { dateOf } from '../../domain/kernel/time.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import type { PaymentResult, PaymentStatus } from '../../domain/payments/rules.ts';
import type { PaidMethod } from '../../domain/salesReport/rules.ts';
import { allOf, type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Payment } from './entities.ts';

export interface PaymentFilter {
  /** Business times of the start: since inclusive, until exclusive; null: of all times. */
  readonly started: { readonly since: number; readonly until: number } | null;
  readonly includeTest: boolean;
  /** With a refund that is held. */
  readonly isRefundHeld: boolean;
  /** Any of these. */
  readonly statuses?: readonly PaymentStatus[] | undefined;
  readonly pgs?: readonly ProviderName[] | undefined;
  readonly methods?: readonly PaidMethod[] | undefined;
  readonly orderNo?: string | undefined;
  readonly page: number;
  readonly size: number;
}
/** A payment, with what its provider gave back and what the seller holds back. */
export type PaymentRecord = Pick<
  Payment,
  'paymentId' | 'orderNo' | 'orderId' | 'status' | 'result' | 'pg' | 'method' | 'amounts' | 'testPayment' | 'createdAt' | 'completedAt'
> & { readonly refundedWon: number; readonly heldWon: number };

interface Row {
  readonly total: string;
  readonly payment_id: string | null;
  readonly order_no: string;
  readonly order_id: string | null;
  readonly status: PaymentStatus;
  readonly result: PaymentResult;
  readonly pg: ProviderName | null;
  readonly method: PaidMethod;
  readonly amounts: Payment['amounts'];
  readonly test_payment: boolean;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly refunded: string;
  readonly held: string;
}

/** A page and its total, in one statement; beyond the last page only the total. */
export async function listPayments(
  { sql, storeId }: Tx,
  filter: PaymentFilter,
): Promise<{ readonly items: readonly PaymentRecord[]; readonly total: number }> {
  const { page, size } = filter;
  const where = conditions(storeId, filter);
  const rows = await sql<Row>`
    SELECT counted.total, p.*, r.refunded, r.held
    FROM (SELECT count(*) AS total FROM payment p WHERE ${where}) counted
    LEFT JOIN LATERAL (
      SELECT p.store_id, p.payment_id, p.order_no, p.order_id, p.status, p.result, p.pg, p.method, p.amounts, p.test_payment, p.created_at,
        p.completed_at
      FROM payment p WHERE ${where} ORDER BY p.created_at DESC, p.payment_id DESC LIMIT ${size}::int
        OFFSET ${(page - 1) * size}::int) p ON true
    LEFT JOIN LATERAL (
      SELECT coalesce(sum(amount_won) FILTER (WHERE status = 'DONE'), 0) AS refunded,
        coalesce(sum(amount_won) FILTER (WHERE status = 'HELD'), 0) AS held
      FROM refund WHERE store_id = p.store_id AND payment_id = p.payment_id) r ON true
    ORDER BY p.created_at DESC, p.payment_id DESC`;
  return { total: Number(rows[0]!.total), items: rows.flatMap((row) => (row.payment_id === null ? [] : [recordOf(row, row.payment_id)])) };
}

function conditions(storeId: string, filter: PaymentFilter): Fragment {
  const { started, includeTest, isRefundHeld, statuses, pgs, methods, orderNo } = filter;
  return allOf([
    fragment`p.store_id = ${storeId}`,
    started !== null && fragment`p.created_at >= ${new Date(started.since)} AND p.created_at < ${new Date(started.until)}`,
    !includeTest && fragment`NOT p.test_payment`,
    isRefundHeld && fragment`p.payment_id IN (SELECT payment_id FROM refund WHERE store_id = ${storeId} AND status = 'HELD')`,
    statuses !== undefined && anyOf(fragment`p.status`, statuses),
    pgs !== undefined && anyOf(fragment`p.pg`, pgs),
    methods !== undefined && anyOf(fragment`p.method`, methods),
    orderNo !== undefined && fragment`p.order_no = ${orderNo}`,
  ]);
}

/** One value by equality: then an index has the rows in the order of the list. */
const anyOf = (column: Fragment, [first, ...others]: readonly string[]): Fragment =>
  others.length === 0 ? fragment`${column} = ${first!}` : fragment`${column} = ANY(${[first!, ...others]}::text[])`;

const recordOf = (row: Row, paymentId: string): PaymentRecord => ({
  paymentId,
  orderNo: row.order_no,
  orderId: row.order_id,
  status: row.status,
  result: row.result,
  pg: row.pg,
  method: row.method,
  amounts: row.amounts,
  testPayment: row.test_payment,
  createdAt: new Date(row.created_at),
  completedAt: dateOf(row.completed_at),
  refundedWon: Number(row.refunded),
  heldWon: Number(row.held),
});
