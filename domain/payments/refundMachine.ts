/** Refunds of a payment, one at a time (D35): asked for under a key that the provider counts once; its reading is the judge. */
import { afterAbsence, FOREIGN_PAYMENT, isUnknownTooLong, type PendingCall, readGap, UNRESOLVED } from './rules.ts';
import type { Decided, PaymentEffect, PaymentOutcome, PaymentState, RefundState } from './state.ts';

const withRefund = (state: PaymentState, changes: Partial<RefundState>): PaymentState => ({
  ...state,
  refund: { ...state.refund!, ...changes },
});

/** The refund that waits becomes the payment's next call. One that was given up is looked for before it is asked for again. */
export function planRefund(state: PaymentState, at: number): PaymentState {
  const { askedAt, failureCode } = state.refund!;
  const name = failureCode === UNRESOLVED ? 'findRefund' : 'refundPayment';
  return planCall(withRefund(state, { askedAt: askedAt ?? at }), name, state.attempt!.attemptId, { dueAt: at, n: 0 });
}

/** A call's id names the refund and counts: the same call keeps its id through reset and restart, and no two have the same. */
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

/** What the end of a refund's call means; after a day of asking an operator is told. */
export function decideRefund(current: PaymentState, call: PendingCall, outcome: PaymentOutcome, at: number): Decided {
  const refund = current.refund!;
  if (refund.status !== 'PENDING') return { state: current, effects: [] };
  if (outcome.result === 'REFUNDED')
    return { state: withRefund(current, { status: 'DONE', failureCode: null, settledAt: at }), effects: [] };
  if (outcome.result === 'FOREIGN') return fail(current, FOREIGN_PAYMENT, at);
  const askedAt = refund.askedAt ?? at;
  const n = call.n + 1;
  const next = (changes: Partial<RefundState>, name: 'refundPayment' | 'findRefund', dueAt: number): Decided => {
    const state = withRefund(current, { askedAt, ...changes });
    if (isUnknownTooLong(askedAt, at)) return fail(state, UNRESOLVED, at);
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
  if (step === 'failed') return fail(withRefund(current, { askedAt, absences }), refusedWith!, at);
  if (step === 'look-again') return next({ absences }, 'findRefund', at + readGap(n));
  return next({ absences: 0, ...(step === 'ask-anew' && { keySeq: refund.keySeq + 1 }) }, 'refundPayment', at);
}

/** Ends a refund that an operator has to look after. */
function fail(state: PaymentState, failureCode: string, at: number): Decided {
  const { refundId: id } = state.refund!;
  const kind = failureCode === UNRESOLVED ? 'unresolved' : failureCode === FOREIGN_PAYMENT ? 'mismatch' : null;
  const effects: PaymentEffect[] = kind ? [{ type: 'alarm', kind, operation: 'refundPayment', id }] : [];
  return { state: withRefund(state, { status: 'FAILED', failureCode, settledAt: at }), effects };
}
