/** The sales report: what was paid and what went back, by Korean day or month, provider and method (docs/contract.md#sales-report). */
import { PAYMENT_METHODS } from '../payments/rules.ts';

export const GROUPS = ['DAY', 'MONTH'] as const;
export type Group = (typeof GROUPS)[number];

/** How a payment was paid. POINT: nothing was paid in cash. */
export const PAID_METHODS = [...PAYMENT_METHODS, 'POINT'] as const;
export type PaidMethod = (typeof PAID_METHODS)[number];

export interface Sales {
  readonly paymentCount: number;
  /** Cash, delivery fees included. */
  readonly paymentAmount: number;
  readonly pointAmount: number;
  readonly refundCount: number;
  /** What the provider has given back. */
  readonly refundAmount: number;
  /** Below 0 where more went back in the period than was paid in it. */
  readonly netAmount: number;
}
const NOTHING: Sales = { paymentCount: 0, paymentAmount: 0, pointAmount: 0, refundCount: 0, refundAmount: 0, netAmount: 0 };

export const salesOf = (counted: Omit<Sales, 'netAmount'>): Sales => ({
  ...counted,
  netAmount: counted.paymentAmount - counted.refundAmount,
});

export const totalsOf = (rows: readonly Sales[]): Sales =>
  rows.reduce(
    (sum, row) => ({
      paymentCount: sum.paymentCount + row.paymentCount,
      paymentAmount: sum.paymentAmount + row.paymentAmount,
      pointAmount: sum.pointAmount + row.pointAmount,
      refundCount: sum.refundCount + row.refundCount,
      refundAmount: sum.refundAmount + row.refundAmount,
      netAmount: sum.netAmount + row.netAmount,
    }),
    NOTHING,
  );
