/**
 * The checkout payment as a state machine (D17, D21, D36, D40). pending → processing → completed, failed or expired; back to pending when
 * the provider declines. Stock is taken before the confirm call; while the outcome is unknown, the stock stays taken and the payment is
 * read at the provider until the outcome is known.
 */
import { Fault } from '../kernel/errors.ts';
import { failureOf } from './failures.ts';
import { decideRefund, planRefund } from './refundMachine.ts';
import { afterUnpaid, AUTHENTICATION_LIFETIME_MS, isUnknownTooLong, type PendingCall, readGap, UNRESOLVED } from './rules.ts';
import type { Alarm, AttemptState, Decided, PaymentEffect, PaymentEvent, PaymentOutcome, PaymentState } from './state.ts';

/** The next state and effects. `at`: business milliseconds. Refusals are Faults: PAYMENT_NOT_FOUND, INVALID_STATUS. */
export function decide(state: PaymentState, event: PaymentEvent, at: number): Decided {
  switch (event.type) {
    case 'elapsed':
      return expire(state, at);
    case 'resumed':
      return resume(state);
    case 'pay':
      return pay(state, event, at);
    case 'giveUp':
      return giveUp(state, event, at);
    case 'keyReserved':
      return { state: withAttempt(state, { paymentKey: event.paymentKey }), effects: [{ type: 'takeStock' }] };
    case 'keyTaken':
      return also(decline(state, 'INVALID_REQUEST', at), alarm('mismatch', 'return', state.attempt!.attemptId));
    case 'stockTaken':
      return confirm(state, at);
    case 'outOfStock':
      return fail(withAttempt(state, { status: 'DECLINED', failure: failureOf(state.attempt!.attemptId, 'OUT_OF_STOCK'), endedAt: at }));
    case 'outcome':
      return applyOutcome(state, event.outcome, at);
    case 'refundWaits':
      return { state: planRefund(state, at), effects: [] };
    case 'unknownRemains':
      return { state: planLastReading(state, at), effects: [] };
    default:
      return event satisfies never;
  }
}

export const isEnded = ({ status }: Pick<PaymentState, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'expired';
/** Whether a pending refund may become the next call: it may displace a reading that is not due yet. */
export const mayStartRefund = ({ status, call }: PaymentState, at: number): boolean =>
  status === 'completed' && (!call || (call.name === 'readPayment' && call.dueAt > at));

const withAttempt = (state: PaymentState, changes: Partial<AttemptState>): PaymentState => ({
  ...state,
  attempt: { ...state.attempt!, ...changes },
});
const also = ({ state, effects }: Decided, ...more: readonly PaymentEffect[]): Decided => ({ state, effects: [...effects, ...more] });
const alarm = (kind: Alarm['kind'], operation: Alarm['operation'], id: string): Alarm => ({ type: 'alarm', kind, operation, id });

/** The buyer may still pay with the attempt of the event. */
const isOpen = ({ status, expiresAt, attempt, currentAttemptId }: PaymentState, at: number): boolean =>
  status === 'pending' && at < expiresAt && attempt?.status === 'OPEN' && attempt.attemptId === currentAttemptId;

function pay(state: PaymentState, event: Extract<PaymentEvent, { readonly type: 'pay' }>, at: number): Decided {
  if (!isOpen(state, at)) return { state, effects: [] };
  const { pgOrderId, amountWon } = state.attempt!;
  const { paymentKey } = event;
  if (event.pgOrderId !== pgOrderId || event.amount !== amountWon || paymentKey === null) throw new Fault('INVALID_STATUS');
  return { state, effects: [{ type: 'reserveKey', paymentKey }] };
}

function confirm(state: PaymentState, at: number): Decided {
  const confirming = withAttempt(state, { status: 'CONFIRMING', confirmedAt: at });
  return { state: planCall({ ...confirming, status: 'processing', result: 'PROCESSING' }, 'confirmPayment', at, 0), effects: [] };
}

const giveUp = (state: PaymentState, { code }: { readonly code: string | null }, at: number): Decided =>
  isOpen(state, at) ? decline(state, code ?? 'PAY_PROCESS_CANCELED', at) : { state, effects: [] };

/** A confirm that may have been sent has an unknown outcome, until an answer or a reading tells. */
const resume = (state: PaymentState): Decided => ({
  state: state.call?.name === 'confirmPayment' ? withAttempt(state, { isUnknown: true }) : state,
  effects: [],
});

const expire = (state: PaymentState, at: number): Decided =>
  state.status === 'pending' && at >= state.expiresAt
    ? { state: { ...state, status: 'expired', result: 'EXPIRED' }, effects: [{ type: 'expireAttempts' }] }
    : { state, effects: [] };
const fail = (state: PaymentState, effects: readonly PaymentEffect[] = []): Decided => ({
  state: { ...state, status: 'failed', result: 'FAILED', lastFailure: state.attempt!.failure },
  effects,
});

/**
 * A call's id is made of its name, its attempt and a counter: it stays the same through reset and restart, and is never reused. `n` counts
 * the calls since the outcome became unknown.
 */
function planCall(state: PaymentState, name: PendingCall['name'], dueAt: number, n: number): PaymentState {
  const { attemptId, callCount } = state.attempt!;
  const call = { id: `${name}-${attemptId}-${callCount}`, name, n, attemptId, dueAt };
  return { ...withAttempt(state, { callCount: callCount + 1 }), call };
}

function applyOutcome(current: PaymentState, outcome: PaymentOutcome, at: number): Decided {
  const call = current.call!;
  const state = { ...current, call: null };
  if (call.refundId !== undefined) return decideRefund(state, call, outcome, at);
  const table = state.attempt!.status === 'CONFIRMING' ? WHILE_CONFIRMING : LATE;
  return table[outcome.result]({ state, call, outcome, at });
}

interface Ended {
  readonly state: PaymentState;
  readonly call: PendingCall;
  readonly outcome: PaymentOutcome;
  readonly at: number;
}
type Outcomes = Readonly<Record<PaymentOutcome['result'], (ended: Ended) => Decided>>;
const codeOf = (outcome: PaymentOutcome): string => (outcome.result === 'LOST' ? 'LOST' : outcome.code);
const methodOf = (outcome: PaymentOutcome): string | null => (outcome.result === 'LOST' ? null : outcome.approvedMethod);

/** The end of a confirm or a reading, while the attempt is CONFIRMING. */
const WHILE_CONFIRMING: Outcomes = {
  APPROVED: ({ state, outcome, at }) => complete(state, methodOf(outcome), at),
  DECLINED: ({ state, call, outcome, at }) => declineAfterConfirm(state, codeOf(outcome), call.name === 'readPayment', at),
  /** Charged and then canceled at the provider by somebody else: nothing is left to do. */
  VOIDED: ({ state, at }) => declineAfterConfirm(state, 'CANCELED', true, at),
  /** Our order id belongs to another payment: we charged nothing, and nothing may be voided (X17). */
  FOREIGN: ({ state, at }) => declineAfterConfirm(state, 'NOT_CHARGED', false, at),
  UNPAID: ({ state, call, at }) => applyUnpaid(state, call, at),
  /** No request was sent now; if none was sent before either, the attempt was certainly not charged (X26). */
  UNSENT: (ended) => {
    const { state, call, outcome, at } = ended;
    const isKnown = call.name === 'confirmPayment' && !state.attempt!.isUnknown;
    return isKnown ? declineAfterConfirm(state, codeOf(outcome), true, at) : leaveUnknown(ended);
  },
  UNKNOWN: leaveUnknown,
  LOST: leaveUnknown,
  REFUNDED: leaveUnknown,
  REFUSED: leaveUnknown,
  ABSENT: leaveUnknown,
};

/**
 * The same for an attempt that has ended: a late approval is voided immediately and never makes a second order (D21). The outcome of each
 * void is verified by a reading, and only a payment that a reading has just shown to be ours is voided (X17).
 */
const LATE: Outcomes = {
  APPROVED: ({ state, call, at }) => voidLate(state, call, at),
  VOIDED: ({ state }) => ({ state: withAttempt(state, { status: 'VOIDED', isUnknown: false }), effects: [] }),
  UNPAID: neverCharged,
  DECLINED: neverCharged,
  FOREIGN: neverCharged,
  UNSENT: readLate,
  UNKNOWN: readLate,
  LOST: readLate,
  REFUNDED: readLate,
  REFUSED: readLate,
  ABSENT: readLate,
};

function complete(state: PaymentState, approvedMethod: string | null, at: number): Decided {
  const approved = withAttempt(state, { status: 'APPROVED', approvedMethod, endedAt: at, isUnknown: false });
  return {
    state: { ...approved, status: 'completed', result: 'COMPLETED', completedAt: at, lastFailure: null },
    effects: [{ type: 'createOrder' }],
  };
}

/** A definite decline: the payment goes back to pending, for another attempt (D36). */
function decline(state: PaymentState, code: string, at: number): Decided {
  const failure = failureOf(state.attempt!.attemptId, code);
  const isCanceled = failure.category === 'BUYER_CANCELED';
  const declined = withAttempt(state, { status: isCanceled ? 'CANCELED' : 'DECLINED', failure, endedAt: at });
  return { state: { ...declined, status: 'pending', result: isCanceled ? 'CANCELED' : 'FAILED', lastFailure: failure }, effects: [] };
}

/**
 * A decline after the confirm call: the stock is returned. Only a reading proves that nothing was charged; an attempt that was declined in
 * any other way stays marked as unknown and is read once more when the payment has ended.
 */
function declineAfterConfirm(state: PaymentState, code: string, isRead: boolean, at: number): Decided {
  const declined = decline(isRead ? withAttempt(state, { isUnknown: false }) : state, code, at);
  return also(declined, { type: 'returnStock' });
}

/** The outcome is unknown: it is read again and again, for a day at most. */
function leaveUnknown({ state, call, outcome, at }: Ended): Decided {
  const confirmAnswered = outcome.result !== 'LOST' && outcome.ended;
  const answered = call.name === 'confirmPayment' ? { confirmAnswered, ...(!confirmAnswered && { readings: 0 }) } : {};
  const reading = planReading(withAttempt(state, { isUnknown: true, ...answered }), call, at);
  if (reading.call) return { state: reading, effects: [] };
  // The payment fails and its stock is returned; if `npm run support -- retry` later finds it charged, it is voided.
  const unresolved = leaveUnresolved(reading, 'confirmPayment', at);
  return also(fail(unresolved.state, unresolved.effects), { type: 'returnStock' });
}

/** Plans the next reading of an unknown outcome; no call when it has been read for a day. */
function planReading(state: PaymentState, { n }: PendingCall, at: number): PaymentState {
  const since = state.attempt!.unknownSince ?? at;
  const dated = withAttempt(state, { unknownSince: since });
  return isUnknownTooLong(since, at) ? dated : planCall(dated, 'readPayment', at + readGap(n + 1), n + 1);
}

function leaveUnresolved(state: PaymentState, operation: Alarm['operation'], at: number): Decided {
  const { attemptId } = state.attempt!;
  return {
    state: withAttempt(state, { status: 'UNRESOLVED', failure: failureOf(attemptId, UNRESOLVED), endedAt: at }),
    effects: [alarm('unresolved', operation, attemptId)],
  };
}

/** A reading said "not charged": more readings to prove it, or the confirm again under the same idempotency key. */
function applyUnpaid(current: PaymentState, { n }: PendingCall, at: number): Decided {
  const { confirmAnswered: ended, readings, confirmedAt } = current.attempt!;
  const state = ended ? withAttempt(current, { readings: readings + 1 }) : current;
  const facts = { readings: state.attempt!.readings, ended, confirmedAt: confirmedAt!, expiresAt: state.expiresAt };
  const next = afterUnpaid(facts, at);
  if (next === 'not-charged') return declineAfterConfirm(state, 'NOT_CHARGED', false, at);
  const isAgain = next === 'confirm-again';
  return { state: planCall(state, isAgain ? 'confirmPayment' : 'readPayment', isAgain ? at : at + readGap(n + 1), n + 1), effects: [] };
}

/** When a payment has ended, an attempt whose outcome was once unknown is read a last time, after its authentication has expired (D21). */
function planLastReading(state: PaymentState, at: number): PaymentState {
  const { confirmedAt, readings } = state.attempt!;
  const dueAt = Math.max(at, confirmedAt! + AUTHENTICATION_LIFETIME_MS);
  return planCall(withAttempt(state, { unknownSince: dueAt }), 'readPayment', dueAt, readings);
}

function neverCharged({ state }: Ended): Decided {
  return { state: withAttempt(state, { isUnknown: false }), effects: [] };
}

function voidLate(state: PaymentState, { n }: PendingCall, at: number): Decided {
  const since = state.attempt!.unknownSince ?? at;
  const dated = withAttempt(state, { unknownSince: since });
  if (isUnknownTooLong(since, at)) return leaveUnresolved(dated, 'voidPayment', at);
  return { state: planCall(dated, 'voidPayment', at, n + 1), effects: [] };
}

function readLate({ state, call, at }: Ended): Decided {
  const reading = planReading(state, call, at);
  return reading.call ? { state: reading, effects: [] } : leaveUnresolved(reading, call.name, at);
}
