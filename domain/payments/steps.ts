/** Steps of the payment machine that its events and outcomes share. */
import { configurationCode, ENVIRONMENT_MISMATCH, failureOf } from './failures.ts';
import { AUTHENTICATION_LIFETIME_MS, blockedGap, isUnknownTooLong, readGap, UNRESOLVED } from './rules.ts';
import type { PendingCall } from './pendingCall.ts';
import type { Alarm, AttemptState, Decided, PaymentEffect, PaymentOutcome, PaymentState, RefundState } from './state.ts';

export const withAttempt = (state: PaymentState, changes: Partial<AttemptState>): PaymentState => ({
  ...state,
  attempt: { ...state.attempt!, ...changes },
});
export const withRefund = (state: PaymentState, changes: Partial<RefundState>): PaymentState => ({
  ...state,
  refund: { ...state.refund!, ...changes },
});
export const unchanged = (state: PaymentState): Decided => ({ state, effects: [] });
export const also = ({ state, effects }: Decided, ...more: readonly PaymentEffect[]): Decided => ({
  state,
  effects: [...effects, ...more],
});
export const alarm = (kind: Alarm['kind'], operation: Alarm['operation'], id: string): Alarm => ({ type: 'alarm', kind, operation, id });

/** The buyer may still pay with the state's attempt. */
export const isOpen = ({ status, expiresAt, attempt, currentAttemptId }: PaymentState, at: number): boolean =>
  status === 'pending' && at < expiresAt && attempt?.status === 'OPEN' && attempt.attemptId === currentAttemptId;

/** PortOne may approve by itself: without a token there is nothing to confirm, only to read (Y25). */
export const needsConfirm = ({ pg, paymentToken }: AttemptState): boolean => pg !== 'portone' || paymentToken !== null;

/**
 * Until when an attempt that has ended may be charged yet: while the authentication of its confirm lives; at PortOne, which may approve by
 * itself, also without a confirm, while the window that the buyer has open may live. Null: without a confirm it never is.
 */
export function chargeableUntil({ pg, confirmedAt, endedAt }: AttemptState): number | null {
  const since = confirmedAt ?? (pg === 'portone' ? endedAt : null);
  return since === null ? null : since + AUTHENTICATION_LIFETIME_MS;
}
/** What may have been paid in a window without us is read twice: as soon as the attempt has ended, and when the window cannot live. */
const isReadEarly = ({ confirmedAt, readings }: AttemptState): boolean => confirmedAt !== null || readings > 0;
/** When the next reading of an attempt is due that has ended with an unknown outcome. */
export const lastReadingAt = (attempt: AttemptState, at: number): number =>
  isReadEarly(attempt) ? Math.max(at, chargeableUntil(attempt) ?? at) : at;

/** When a call is due, and how often and why it was put off. */
type Planned = Pick<PendingCall, 'dueAt' | 'n' | 'isBlocked' | 'isAfterSlow' | 'isHint'>;

/**
 * Plans a call about the state's attempt, or about its refund. The id is made of the call's name, the attempt or refund, and a counter: it
 * stays the same through reset and restart, and is never reused. `n` counts the calls since the outcome became unknown.
 */
export function planCall(state: PaymentState, name: PendingCall['name'], planned: Planned): PaymentState {
  const { attemptId } = state.attempt!;
  if (name === 'refundPayment' || name === 'findRefund') {
    const { refundId, callCount } = state.refund!;
    const call = { id: `${name}-${refundId}-${callCount}`, name, refundId, attemptId, ...planned };
    return { ...withRefund(state, { callCount: callCount + 1 }), call };
  }
  const { callCount } = state.attempt!;
  const call = { id: `${name}-${attemptId}-${callCount}`, name, attemptId, ...planned };
  return { ...withAttempt(state, { callCount: callCount + 1 }), call };
}

/** Plans the next reading of an unknown outcome; no call when it has been read for a day. */
export function planReading(state: PaymentState, { n }: PendingCall, at: number, isAfterSlow = false): PaymentState {
  const since = state.attempt!.unknownSince ?? at;
  const dated = withAttempt(state, { unknownSince: since });
  if (isUnknownTooLong(since, at)) return dated;
  return planCall(dated, 'readPayment', { dueAt: at + readGap(n + 1), n: n + 1, ...(isAfterSlow && { isAfterSlow }) });
}

/**
 * There are no credentials, or none is accepted: the attempt or refund of the call is read again when there may be others. The day of
 * readings begins anew then.
 */
export function block(state: PaymentState, call: PendingCall, at: number): Decided {
  const planned = { dueAt: at + blockedGap(call), n: call.n, isBlocked: true };
  if (call.refundId === undefined) return unchanged(planCall(withAttempt(state, { unknownSince: at }), 'readPayment', planned));
  const changes = { requestedAt: at, ...(call.name === 'refundPayment' && { isAnswered: false }) };
  return unchanged(planCall(withRefund(state, changes), 'findRefund', planned));
}

/** The payment fails, with the failure of its attempt. */
export const fail = (state: PaymentState, effects: readonly PaymentEffect[] = []): Decided => ({
  state: { ...state, status: 'failed', result: 'FAILED', lastFailure: state.attempt!.failure },
  effects,
});

/** A definite decline: the payment goes back to pending, for another attempt. */
export function decline(state: PaymentState, code: string, at: number): Decided {
  const failure = failureOf(state.attempt!.attemptId, code);
  const isCanceled = failure.category === 'BUYER_CANCELED';
  const declined = withAttempt(state, { status: isCanceled ? 'CANCELED' : 'DECLINED', failure, endedAt: at });
  return unchanged({ ...declined, status: 'pending', result: isCanceled ? 'CANCELED' : 'FAILED', lastFailure: failure });
}

/**
 * A decline after the confirm call: the stock is returned. Only a reading proves that nothing was charged; an attempt that was declined in
 * any other way stays marked as unknown and is read once more when the payment has ended.
 */
export function declineAfterConfirm(state: PaymentState, code: string, isRead: boolean, at: number): Decided {
  const declined = decline(isRead ? withAttempt(state, { isUnknown: false }) : state, code, at);
  return also(declined, { type: 'returnStock' });
}

/** The first confirm was refused with our credentials: nothing was charged, and another provider may take the payment (Y18). */
export const declineUnauthorized = (state: PaymentState, code: string, at: number): Decided =>
  also(declineAfterConfirm(state, configurationCode(code), true, at), { type: 'rejectCredentials' });

/** Charged by a channel of the other environment: that is voided at once, and never buys anything (Y24). */
export function declineEnvironment(state: PaymentState, outcome: PaymentOutcome, at: number): Decided {
  const declined = decline(withAttempt(state, { isUnknown: true, unknownSince: at }), ENVIRONMENT_MISMATCH, at);
  return also(unchanged(planCall(declined.state, 'voidPayment', { dueAt: at, n: 1 })), ...rejectionOf(outcome));
}
/** Only the set's own channel proves that the set is wrong: a window can be opened by hand with any channel. */
export const rejectionOf = (outcome: PaymentOutcome): readonly PaymentEffect[] =>
  outcome.result !== 'LOST' && outcome.isOwnChannel ? [{ type: 'rejectCredentials' }] : [];

export function complete(state: PaymentState, approvedMethod: string | null, at: number): Decided {
  const approved = withAttempt(state, { status: 'APPROVED', approvedMethod, endedAt: at, isUnknown: false });
  return {
    state: { ...approved, status: 'completed', result: 'COMPLETED', completedAt: at, lastFailure: null },
    effects: [{ type: 'createOrder' }],
  };
}

export function leaveUnresolved(state: PaymentState, operation: Alarm['operation'], at: number): Decided {
  const { attemptId } = state.attempt!;
  return {
    state: withAttempt(state, { status: 'UNRESOLVED', failure: failureOf(attemptId, UNRESOLVED), endedAt: at }),
    effects: [alarm('unresolved', operation, attemptId)],
  };
}
