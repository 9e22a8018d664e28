/** Refunds of a payment, one at a time (D35), under an idempotency key; only a reading at the provider proves the outcome. */
import { afterAbsence, FOREIGN_PAYMENT, isUnknownTooLong, type PendingCall, readGap, UNRESOLVED } from './rules.ts';
import type { Decided, PaymentEffect, PaymentOutcome, PaymentState, RefundState } from './state.ts';

const withRefund = (state: PaymentState, changes: Partial<RefundState>): PaymentState => ({
  ...state,
  refund: { ...state.refund!, ...changes },
});

/** A pending refund becomes the payment's next call. One that was UNRESOLVED is read before it is requested again. */
export function planRefund(state: PaymentState, at: number): PaymentState {
  const { requestedAt, failureCode } = state.refund!;
  const name = failureCode === UNRESOLVED ? 'findRefund' : 'refundPayment';
  return planCall(withRefund(state, { requestedAt: requestedAt ?? at }), name, state.attempt!.attemptId, { dueAt: at, n: 0 });
}

/** A call's id is made of its name, its refund and a counter: it stays the same through reset and restart, and is never reused. */
function planCall(
  state: PaymentState,
  name: 'refundPayment' | 'findRefund',
  attemptId: string,
  { dueAt, n }: { readonly dueAt: number; readonly n: number },
): PaymentState {
  const { refundId, callCount } = state.refund!;
  const call = { id: `${name}-${refundId}-${callCount}`, name, n, refundId, attemptId, dueAt };
  return { ...withRefund(state, { callCount: callCount + 1 }), call };
}

/** Applies the end of a refund's call; a refund that is unknown for a day fails and raises an alarm. */
export function decideRefund(current: PaymentState, call: PendingCall, outcome: PaymentOutcome, at: number): Decided {
  const refund = current.refund!;
  if (refund.status !== 'PENDING') return { state: current, effects: [] };
  if (outcome.result === 'REFUNDED')
    return { state: withRefund(current, { status: 'DONE', failureCode: null, settledAt: at }), effects: [] };
  if (outcome.result === 'FOREIGN') return fail(current, FOREIGN_PAYMENT, at);
  const requestedAt = refund.requestedAt ?? at;
  const n = call.n + 1;
  const next = (changes: Partial<RefundState>, name: 'refundPayment' | 'findRefund', dueAt: number): Decided => {
    const state = withRefund(current, { requestedAt, ...changes });
    if (isUnknownTooLong(requestedAt, at)) return fail(state, UNRESOLVED, at);
    return { state: planCall(state, name, call.attemptId, { dueAt, n }), effects: [] };
  };
  if (outcome.result === 'REFUSED') return next({ failureCode: outcome.code }, 'findRefund', at);
  if (outcome.result !== 'ABSENT') {
    const isAnswered = outcome.result !== 'LOST' && outcome.ended;
    return next(call.name === 'refundPayment' ? { isAnswered } : {}, 'findRefund', at + readGap(n));
  }
  const absences = refund.absences + 1;
  const refusedWith = refund.failureCode === UNRESOLVED ? null : refund.failureCode;
  const step = afterAbsence({ refusedWith, isAnswered: refund.isAnswered, absences });
  if (step === 'failed') return fail(withRefund(current, { requestedAt, absences }), refusedWith!, at);
  if (step === 'read-again') return next({ absences }, 'findRefund', at + readGap(n));
  return next({ absences: 0, ...(step === 'request-under-new-key' && { keySeq: refund.keySeq + 1 }) }, 'refundPayment', at);
}

/** Fails a refund; an operator has to handle it. */
function fail(state: PaymentState, failureCode: string, at: number): Decided {
  const { refundId: id } = state.refund!;
  const kind = failureCode === UNRESOLVED ? 'unresolved' : failureCode === FOREIGN_PAYMENT ? 'mismatch' : null;
  const effects: PaymentEffect[] = kind ? [{ type: 'alarm', kind, operation: 'refundPayment', id }] : [];
  return { state: withRefund(state, { status: 'FAILED', failureCode, settledAt: at }), effects };
}
