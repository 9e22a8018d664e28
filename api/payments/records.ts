/** Payments as sellers read them, with provider order ids and messages, which buyers do not see. */
import type { Payment, PaymentAttempt, Refund as RefundRow } from '../../db/payments/entities.ts';
import type { PaymentRecord as Row } from '../../db/payments/list.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { ENVIRONMENTS, PROVIDERS } from '../../domain/payments/providers.ts';
import { PAYMENT_METHODS, PAYMENT_RESULTS, PAYMENT_STATUSES } from '../../domain/payments/rules.ts';
import { PAID_METHODS } from '../../domain/salesReport/rules.ts';
import { Amounts } from '../checkout/schemas.ts';
import { closed, Id, nullable, oneOf, Timestamp, Type, Won } from '../declare/schema.ts';
import { Refund, viewRefund } from '../refunds/schemas.ts';

const record = {
  paymentId: Id,
  status: oneOf(PAYMENT_STATUSES),
  result: oneOf(PAYMENT_RESULTS),
  orderId: nullable(Id),
  orderNo: nullable(Type.String({ description: 'Null while there is no order' })),
  pg: nullable(oneOf(PROVIDERS, 'Of the last attempt, then of the approved one; null where nothing is paid in cash')),
  method: oneOf(PAID_METHODS, 'The same; POINT where nothing is paid in cash'),
  amounts: Amounts,
  testPayment: Type.Boolean(),
  startedAt: Timestamp,
  completedAt: nullable(Timestamp),
  refundedAmount: Won,
  heldRefundAmount: Won,
};
export const PaymentRecord = closed(record, { title: 'Payment' });
export const PaymentDetail = closed(
  {
    ...record,
    attempts: Type.Array(
      closed({
        attemptId: Id,
        pg: Type.String(),
        method: oneOf(PAYMENT_METHODS),
        provider: nullable(Type.String()),
        environment: oneOf(ENVIRONMENTS),
        pgOrderId: Type.String(),
        status: Type.String(),
        startedAt: Timestamp,
        failure: nullable(closed({ category: Type.String(), code: Type.String(), message: nullable(Type.String()) })),
      }),
    ),
    refunds: Type.Array(Refund),
  },
  { title: 'PaymentDetail' },
);

export const viewRecord = (payment: Row) => ({
  paymentId: payment.paymentId,
  status: payment.status,
  result: payment.result,
  orderId: payment.orderId ?? null,
  orderNo: payment.orderId ? payment.orderNo : null,
  pg: payment.pg ?? null,
  method: payment.method,
  amounts: payment.amounts,
  testPayment: payment.testPayment,
  startedAt: koreanOf(payment.createdAt),
  completedAt: koreanOf(payment.completedAt),
  refundedAmount: payment.refundedWon,
  heldRefundAmount: payment.heldWon,
});

export const viewDetail = (payment: Payment, attempts: readonly PaymentAttempt[], refunds: readonly RefundRow[]) => ({
  ...viewRecord({ ...payment, refundedWon: sumOf(refunds, 'DONE'), heldWon: sumOf(refunds, 'HELD') }),
  attempts: attempts.map((attempt) => ({
    attemptId: attempt.attemptId,
    pg: attempt.pg,
    method: attempt.method as (typeof PAYMENT_METHODS)[number],
    provider: attempt.provider ?? null,
    environment: attempt.environment,
    pgOrderId: attempt.pgOrderId,
    status: attempt.status,
    startedAt: koreanOf(attempt.startedAt),
    failure: attempt.failure
      ? { category: attempt.failure.category, code: attempt.failure.code, message: attempt.providerMessage ?? null }
      : null,
  })),
  refunds: refunds.map(viewRefund),
});

const sumOf = (refunds: readonly RefundRow[], status: RefundRow['status']): number =>
  refunds.filter((refund) => refund.status === status).reduce((sum, { amountWon }) => sum + amountWon, 0);
