/** Between the rows of a payment and the state that its machine decides on. */
import type { Alarm, AttemptState, PaymentState, RefundState } from '../../domain/payments/state.ts';
import type { Moment } from '../kernel/clock.ts';
import type { Em } from '../kernel/tx.ts';
import type { Payment, PaymentAttempt, Refund } from './entities.ts';

/** Makes the order of a payment that was approved, in the same transaction; answers its id. */
export type CreateOrder = (em: Em, payment: Payment, attempt: PaymentAttempt, at: number, realNow: number) => Promise<string>;

/** What a transition works with: the rows that the event is about. */
export interface TransitionContext extends Moment {
  readonly em: Em;
  readonly payment: Payment;
  attempt: PaymentAttempt | null;
  refund: Refund | null;
  readonly alarms: Alarm[];
  readonly createOrder: CreateOrder;
}

interface Rows {
  readonly payment: Payment;
  readonly attempt: PaymentAttempt | null;
  readonly refund: Refund | null;
}
const ms = (date: Date | null | undefined): number | null => date?.getTime() ?? null;
const date = (at: number | null): Date | null => (at === null ? null : new Date(at));

export const stateOf = ({ payment, attempt, refund }: Rows): PaymentState => ({
  storeId: payment.storeId,
  status: payment.status,
  result: payment.result,
  expiresAt: payment.expiresAt.getTime(),
  completedAt: ms(payment.completedAt),
  currentAttemptId: payment.currentAttemptId,
  lastFailure: payment.lastFailure ?? null,
  call: payment.call ?? null,
  attempt: attempt && attemptOf(attempt),
  refund: refund && refundOf(refund),
});

const attemptOf = (attempt: PaymentAttempt): AttemptState => ({
  attemptId: attempt.attemptId,
  pgOrderId: attempt.pgOrderId,
  amountWon: attempt.amountWon,
  status: attempt.status,
  paymentKey: attempt.paymentKey ?? null,
  approvedMethod: attempt.approvedMethod ?? null,
  failure: attempt.failure ?? null,
  isUnknown: attempt.isUnknown,
  unknownSince: ms(attempt.unknownSince),
  confirmAnswered: attempt.confirmAnswered,
  readings: attempt.readings,
  callCount: attempt.callCount,
  confirmedAt: ms(attempt.confirmedAt),
  endedAt: ms(attempt.endedAt),
});

const refundOf = (refund: Refund): RefundState => ({
  refundId: refund.refundId,
  amountWon: refund.amountWon,
  status: refund.status,
  failureCode: refund.failureCode ?? null,
  keySeq: refund.keySeq,
  absences: refund.absences,
  isAnswered: refund.isAnswered,
  askedAt: ms(refund.askedAt),
  callCount: refund.callCount,
  settledAt: ms(refund.settledAt),
});

/** Writes what the machine may change. What it has not changed stays as it is. */
export function writeState({ payment, attempt, refund }: Rows, state: PaymentState): void {
  const { status, result, lastFailure, call, completedAt } = state;
  Object.assign(payment, { status, result, lastFailure, call, completedAt: date(completedAt) });
  if (attempt && state.attempt) {
    const { unknownSince, confirmedAt, endedAt, attemptId: _, pgOrderId: _number, amountWon: _amount, ...changed } = state.attempt;
    Object.assign(attempt, changed, { unknownSince: date(unknownSince), confirmedAt: date(confirmedAt), endedAt: date(endedAt) });
  }
  if (refund && state.refund) {
    const { askedAt, settledAt, refundId: _, amountWon: _amount, ...changed } = state.refund;
    Object.assign(refund, changed, { askedAt: date(askedAt), settledAt: date(settledAt) });
  }
}
