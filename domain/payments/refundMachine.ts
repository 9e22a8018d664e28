/** Refunds of a payment, one at a time (D35), under an idempotency key; only a reading at the provider proves the outcome. */
import { afterAbsence, blockedGap, FOREIGN_PAYMENT, isUnknownTooLong, readGap, UNRESOLVED } from './rules.ts';
import type { PendingCall } from './pendingCall.ts';
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
  { dueAt, n, isBlocked }: Pick<PendingCall, 'dueAt' | 'n' | 'isBlocked'>,
): PaymentState {
  const { refundId, callCount } = state.refund!;
  const call = { id: `${name}-${refundId}-${callCount}`, name, n, refundId, attemptId, dueAt, ...(isBlocked && { isBlocked }) };
  return { ...withRefund(state, { callCount: callCount + 1 }), call };
}

interface Ended {
  readonly current: PaymentState;
  readonly call: PendingCall;
  readonly at: number;
}

/** Applies the end of a refund's call; a refund that is unknown for a day fails and raises an alarm. */
export function decideRefund(current: PaymentState, call: PendingCall, outcome: PaymentOutcome, at: number): Decided {
  const ended = { current, call, at };
  if (current.refund!.status !== 'PENDING') return { state: current, effects: [] };
  if (outcome.result === 'REFUNDED')
    return { state: withRefund(current, { status: 'DONE', failureCode: null, settledAt: at }), effects: [] };
  if (outcome.result === 'FOREIGN') return fail(current, FOREIGN_PAYMENT, at);
  if (outcome.result === 'UNAUTHORIZED' || outcome.result === 'UNSENT') return block(ended);
  if (outcome.result === 'ABSENT') return applyAbsence(ended);
  // A cancel that the provider carried out later may be refused then (Y26).
  if (outcome.result === 'REFUSED' && call.name === 'findRefund') return fail(current, refusedWith(current.refund!) ?? outcome.code, at);
  if (outcome.result === 'REFUSED') return next(ended, { failureCode: outcome.code }, 'findRefund', at);
  const isAnswered = outcome.result !== 'LOST' && outcome.ended;
  return next(ended, call.name === 'refundPayment' ? { isAnswered } : {}, 'findRefund', at + readGap(call.n + 1));
}

const refusedWith = ({ failureCode }: RefundState): string | null => (failureCode === UNRESOLVED ? null : failureCode);

function next({ current, call, at }: Ended, changes: Partial<RefundState>, name: 'refundPayment' | 'findRefund', dueAt: number): Decided {
  const requestedAt = current.refund!.requestedAt ?? at;
  const state = withRefund(current, { requestedAt, ...changes });
  if (isUnknownTooLong(requestedAt, at)) return fail(state, UNRESOLVED, at);
  return { state: planCall(state, name, call.attemptId, { dueAt, n: call.n + 1 }), effects: [] };
}

function applyAbsence(ended: Ended): Decided {
  const { current, call, at } = ended;
  const refund = current.refund!;
  const absences = refund.absences + (call.isHint ? 0 : 1);
  const refusal = refusedWith(refund);
  const step = afterAbsence({ refusedWith: refusal, isAnswered: refund.isAnswered, absences });
  if (step === 'failed') return fail(withRefund(current, { requestedAt: refund.requestedAt ?? at, absences }), refusal!, at);
  if (step === 'read-again') return next(ended, { absences }, 'findRefund', at + readGap(call.n + 1));
  return next(ended, { absences: 0, ...(step === 'request-under-new-key' && { keySeq: refund.keySeq + 1 }) }, 'refundPayment', at);
}

/** There are no credentials, or none is accepted: the refund stays PENDING, and is read before it is requested again. Its day begins anew then (Y9). */
function block({ current, call, at }: Ended): Decided {
  const changes = { requestedAt: at, ...(call.name === 'refundPayment' && { isAnswered: false }) };
  const planned = { dueAt: at + blockedGap(call), n: call.n, isBlocked: true };
  return { state: planCall(withRefund(current, changes), 'findRefund', call.attemptId, planned), effects: [] };
}

/** Fails a refund; an operator has to handle it. */
function fail(state: PaymentState, failureCode: string, at: number): Decided {
  const { refundId: id } = state.refund!;
  const kind = failureCode === UNRESOLVED ? 'unresolved' : failureCode === FOREIGN_PAYMENT ? 'mismatch' : null;
  const effects: PaymentEffect[] = kind ? [{ type: 'alarm', kind, operation: 'refundPayment', id }] : [];
  return { state: withRefund(state, { status: 'FAILED', failureCode, settledAt: at }), effects };
}
