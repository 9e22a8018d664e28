/** Maps between the rows of a payment and the state of its machine. */
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import type { Alarm, AttemptState, PaymentState, RefundState } from '../../domain/payments/state.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Payment, PaymentAttempt, Refund } from './entities.ts';

/** Creates the order of a payment, in the same transaction, and returns its id; `attempt`: the approved one, null where points paid. */
export type CreateOrder = (tx: Tx, payment: Payment, attempt: PaymentAttempt | null) => Promise<string>;

/** An alarm, with the provider that it is about. */
export type RaisedAlarm = Alarm & { readonly provider: ProviderName };

/** The context of a transition: the rows that the event is about. */
export interface TransitionContext {
  readonly tx: Tx;
  readonly payment: Payment;
  attempt: PaymentAttempt | null;
  refund: Refund | null;
  readonly alarms: RaisedAlarm[];
  readonly createOrder: CreateOrder;
}

interface Rows {
  readonly payment: Payment;
  readonly attempt: PaymentAttempt | null;
  readonly refund: Refund | null;
}

export const stateOf = ({ payment, attempt, refund }: Rows): PaymentState => ({
  storeId: payment.storeId,
  status: payment.status,
  result: payment.result,
  expiresAt: payment.expiresAt.getTime(),
  completedAt: msOf(payment.completedAt),
  currentAttemptId: payment.currentAttemptId,
  lastFailure: payment.lastFailure ?? null,
  call: payment.call ?? null,
  attempt: attempt && attemptOf(attempt),
  refund: refund && refundOf(refund),
});

export const attemptOf = (attempt: PaymentAttempt): AttemptState => ({
  attemptId: attempt.attemptId,
  pg: attempt.pg,
  pgOrderId: attempt.pgOrderId,
  amountWon: attempt.amountWon,
  status: attempt.status,
  paymentKey: attempt.paymentKey ?? null,
  paymentToken: attempt.paymentToken ?? null,
  approvedMethod: attempt.approvedMethod ?? null,
  failure: attempt.failure ?? null,
  isUnknown: attempt.isUnknown,
  unknownSince: msOf(attempt.unknownSince),
  confirmAnswered: attempt.confirmAnswered,
  readings: attempt.readings,
  callCount: attempt.callCount,
  confirmedAt: msOf(attempt.confirmedAt),
  endedAt: msOf(attempt.endedAt),
});

const refundOf = (refund: Refund): RefundState => ({
  refundId: refund.refundId,
  amountWon: refund.amountWon,
  status: refund.status,
  failureCode: refund.failureCode ?? null,
  keySeq: refund.keySeq,
  absences: refund.absences,
  isAnswered: refund.isAnswered,
  requestedAt: msOf(refund.requestedAt),
  callCount: refund.callCount,
  settledAt: msOf(refund.settledAt),
});

/** Writes the fields that the machine may change. */
export function writeState({ payment, attempt, refund }: Rows, state: PaymentState): void {
  const { status, result, lastFailure, call, completedAt } = state;
  Object.assign(payment, { status, result, lastFailure, call, completedAt: dateOf(completedAt) });
  if (attempt && state.attempt) {
    const { unknownSince, confirmedAt, endedAt, attemptId: _, pg: _pg, pgOrderId: _number, amountWon: _amount, ...changed } = state.attempt;
    Object.assign(attempt, changed, { unknownSince: dateOf(unknownSince), confirmedAt: dateOf(confirmedAt), endedAt: dateOf(endedAt) });
  }
  if (refund && state.refund) {
    const { requestedAt, settledAt, refundId: _, amountWon: _amount, ...changed } = state.refund;
    Object.assign(refund, changed, { requestedAt: dateOf(requestedAt), settledAt: dateOf(settledAt) });
  }
}
