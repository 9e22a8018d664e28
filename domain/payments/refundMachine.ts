/** Refunds of a payment, one at a time (D35), under an idempotency key; only a reading at the provider proves the outcome. */
import { afterAbsence, FOREIGN_PAYMENT, isUnknownTooLong, readGap, UNRESOLVED } from './rules.ts';
import type { PendingCall } from './pendingCall.ts';
import type { Decided, PaymentEffect, PaymentOutcome, PaymentState, RefundState } from './state.ts';
import { alarm, block, planCall, unchanged, withRefund } from './steps.ts';

/** A pending refund becomes the payment's next call. One that was UNRESOLVED is read before it is requested again. */
export function planRefund(state: PaymentState, at: number): PaymentState {
  const { requestedAt, failureCode } = state.refund!;
  const name = failureCode === UNRESOLVED ? 'findRefund' : 'refundPayment';
  return planCall(withRefund(state, { requestedAt: requestedAt ?? at }), name, { dueAt: at, n: 0 });
}

interface Ended {
  readonly current: PaymentState;
  readonly call: PendingCall;
  readonly at: number;
}

/** Applies the end of a refund's call; a refund that is unknown for a day fails and raises an alarm. */
export function decideRefund(current: PaymentState, call: PendingCall, outcome: PaymentOutcome, at: number): Decided {
  const ended = { current, call, at };
  if (current.refund!.status !== 'PENDING') return unchanged(current);
  if (outcome.result === 'REFUNDED') return unchanged(withRefund(current, { status: 'DONE', failureCode: null, settledAt: at }));
  if (outcome.result === 'FOREIGN') return failRefund(current, FOREIGN_PAYMENT, at);
  if (outcome.result === 'UNAUTHORIZED' || outcome.result === 'UNSENT') return block(current, call, at);
  if (outcome.result === 'ABSENT') return applyAbsence(ended);
  // A cancel that the provider carried out later may be refused then (Y26).
  if (outcome.result === 'REFUSED' && call.name === 'findRefund')
    return failRefund(current, refusedWith(current.refund!) ?? outcome.code, at);
  if (outcome.result === 'REFUSED') return next(ended, { failureCode: outcome.code }, 'findRefund', at);
  const isAnswered = outcome.result !== 'LOST' && outcome.ended;
  return next(ended, call.name === 'refundPayment' ? { isAnswered } : {}, 'findRefund', at + readGap(call.n + 1));
}

const refusedWith = ({ failureCode }: RefundState): string | null => (failureCode === UNRESOLVED ? null : failureCode);

function next({ current, call, at }: Ended, changes: Partial<RefundState>, name: 'refundPayment' | 'findRefund', dueAt: number): Decided {
  const requestedAt = current.refund!.requestedAt ?? at;
  const state = withRefund(current, { requestedAt, ...changes });
  if (isUnknownTooLong(requestedAt, at)) return failRefund(state, UNRESOLVED, at);
  return unchanged(planCall(state, name, { dueAt, n: call.n + 1 }));
}

function applyAbsence(ended: Ended): Decided {
  const { current, call, at } = ended;
  const refund = current.refund!;
  const absences = refund.absences + (call.isHint ? 0 : 1);
  const refusal = refusedWith(refund);
  const step = afterAbsence({ refusedWith: refusal, isAnswered: refund.isAnswered, absences });
  if (step === 'failed') return failRefund(withRefund(current, { requestedAt: refund.requestedAt ?? at, absences }), refusal!, at);
  if (step === 'read-again') return next(ended, { absences }, 'findRefund', at + readGap(call.n + 1));
  return next(ended, { absences: 0, ...(step === 'request-under-new-key' && { keySeq: refund.keySeq + 1 }) }, 'refundPayment', at);
}

/** Fails a refund; an operator has to handle it. */
function failRefund(state: PaymentState, failureCode: string, at: number): Decided {
  const { refundId: id } = state.refund!;
  const effects: PaymentEffect[] = [];
  if (failureCode === UNRESOLVED) effects.push(alarm('unresolved', 'refundPayment', id));
  if (failureCode === FOREIGN_PAYMENT) effects.push(alarm('mismatch', 'refundPayment', id));
  return { state: withRefund(state, { status: 'FAILED', failureCode, settledAt: at }), effects };
}
