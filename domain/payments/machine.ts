/**
 * The checkout payment as a state machine (D17, D21, D36, D40). pending → processing → completed, failed or expired; back to pending when
 * the provider declines. Stock is taken before the confirm call; while the outcome is unknown, the stock stays taken and the payment is
 * read at the provider until the outcome is known (`outcomes.ts`).
 */
import { Fault } from '../kernel/errors.ts';
import { failureOf } from './failures.ts';
import { applyAttemptOutcome } from './outcomes.ts';
import { decideRefund, planRefund } from './refundMachine.ts';
import { AUTHENTICATION_LIFETIME_MS, NOTIFIED_OPEN_MS, type PendingCall } from './rules.ts';
import type { Decided, PaymentEvent, PaymentOutcome, PaymentState } from './state.ts';
import { alarm, also, complete, decline, fail, isOpen, needsConfirm, planCall, unchanged, withAttempt } from './steps.ts';

type Handlers = {
  readonly [T in PaymentEvent['type']]: (state: PaymentState, event: Extract<PaymentEvent, { readonly type: T }>, at: number) => Decided;
};
const EVENTS: Handlers = {
  elapsed: (state, _, at) => expire(state, at),
  resumed: (state) => resume(state),
  pay,
  giveUp,
  keyReserved: (state, { paymentKey }) => ({ state: withAttempt(state, { paymentKey }), effects: [{ type: 'takeStock' }] }),
  keyTaken: (state, _, at) => also(decline(state, 'INVALID_REQUEST', at), alarm('mismatch', 'return', state.attempt!.attemptId)),
  stockTaken: (state, _, at) => confirm(state, at),
  outOfStock: (state, _, at) => sellNothing(state, at),
  outcome: (state, { outcome }, at) => applyOutcome(state, outcome, at),
  refundWaits: (state, _, at) => unchanged(planRefund(state, at)),
  unknownRemains: (state, _, at) => unchanged(planLastReading(state, at)),
  notified: (state, _, at) => unchanged(readNotified(state, at)),
  credentialsVerified: (state, _, at) => unchanged(resumeBlocked(state, at)),
};

/** The next state and effects. `at`: business milliseconds. Refusals are Faults: PAYMENT_NOT_FOUND, INVALID_STATUS. */
export const decide = (state: PaymentState, event: PaymentEvent, at: number): Decided =>
  (EVENTS[event.type] as (state: PaymentState, event: PaymentEvent, at: number) => Decided)(state, event, at);

export const isEnded = ({ status }: Pick<PaymentState, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'expired';
/** Whether a pending refund may become the next call: it may displace a reading that is not due yet. */
export const mayStartRefund = ({ status, call }: PaymentState, at: number): boolean =>
  status === 'completed' && (!call || (call.name === 'readPayment' && call.dueAt > at));

/** A reading of another attempt, or of this one while it was open, gives way to the buyer: what is unknown is read again later. */
function pay(current: PaymentState, event: Extract<PaymentEvent, { readonly type: 'pay' }>, at: number): Decided {
  if (!isOpen(current, at)) return unchanged(current);
  const { pg, pgOrderId, amountWon } = current.attempt!;
  const { paymentKey, paymentToken } = event;
  const isMissing = paymentKey === null && pg !== 'portone';
  if (event.pgOrderId !== pgOrderId || event.amount !== amountWon || isMissing) throw new Fault('INVALID_STATUS');
  const state = withAttempt(current, { paymentToken });
  return { state, effects: [paymentKey === null ? { type: 'takeStock' } : { type: 'reserveKey', paymentKey }] };
}

/** The stock is taken: the approval is requested; or the payment was approved already, or may have been, without one (Y25). */
function confirm(state: PaymentState, at: number): Decided {
  const { status, approvedMethod } = state.attempt!;
  if (status === 'CONFIRMING') return complete(state, approvedMethod, at);
  const isConfirmed = needsConfirm(state.attempt!);
  const confirming = withAttempt(state, { status: 'CONFIRMING', confirmedAt: at, ...(!isConfirmed && { isUnknown: true }) });
  const call = isConfirmed ? 'confirmPayment' : 'readPayment';
  return unchanged(planCall({ ...confirming, status: 'processing', result: 'PROCESSING' }, call, at, 0));
}

/** Without stock the payment fails. What was approved already is voided; where that is not known, it is read first. */
function sellNothing(state: PaymentState, at: number): Decided {
  const { attemptId, status } = state.attempt!;
  const isUnknown = !needsConfirm(state.attempt!);
  const failed = fail(withAttempt(state, { status: 'DECLINED', failure: failureOf(attemptId, 'OUT_OF_STOCK'), endedAt: at, isUnknown }));
  return status === 'CONFIRMING' ? unchanged(planCall(failed.state, 'voidPayment', at, 1)) : failed;
}

/** What the buyer's browser says proves nothing: at PortOne, which may have approved by itself, the attempt is read once (Y25). */
function giveUp(current: PaymentState, { code }: { readonly code: string | null }, at: number): Decided {
  if (!isOpen(current, at)) return unchanged(current);
  const state = current.attempt!.pg === 'portone' ? withAttempt(current, { isUnknown: true }) : current;
  return decline(state, code ?? 'PAY_PROCESS_CANCELED', at);
}

/** A confirm that may have been sent has an unknown outcome, until an answer or a reading tells. */
const resume = (state: PaymentState): Decided =>
  unchanged(state.call?.name === 'confirmPayment' ? withAttempt(state, { isUnknown: true }) : state);

const expire = (state: PaymentState, at: number): Decided =>
  state.status === 'pending' && at >= state.expiresAt
    ? { state: { ...state, status: 'expired', result: 'EXPIRED' }, effects: [{ type: 'expireAttempts' }] }
    : unchanged(state);

function applyOutcome(current: PaymentState, outcome: PaymentOutcome, at: number): Decided {
  const call = current.call!;
  const state = { ...current, call: null };
  return call.refundId === undefined ? applyAttemptOutcome({ state, call, outcome, at }) : decideRefund(state, call, outcome, at);
}

/**
 * An attempt that has ended and may be charged yet is read a last time: after its authentication has expired, if its approval was ever
 * requested; PortOne's, which may have approved by itself, at once (D21, Y25).
 */
function planLastReading(state: PaymentState, at: number): PaymentState {
  const { confirmedAt, readings } = state.attempt!;
  const dueAt = confirmedAt === null ? at : Math.max(at, confirmedAt + AUTHENTICATION_LIFETIME_MS);
  return planCall(withAttempt(state, { unknownSince: dueAt }), 'readPayment', dueAt, readings);
}

/**
 * A notification is a hint, and only a reading is believed (Y27). A planned reading becomes due; else the attempt is read, unless nothing can
 * have happened to it without us.
 */
function readNotified(state: PaymentState, at: number): PaymentState {
  const { call, attempt } = state;
  const { attemptId, pg, status, isUnknown } = attempt!;
  if (call)
    return call.attemptId === attemptId && isPlannedReading(call, at) ? { ...state, call: { ...call, dueAt: at, isHint: true } } : state;
  const read = (changed: PaymentState, dueAt: number) => planCall(changed, 'readPayment', dueAt, 0, { isHint: true });
  if (status === 'APPROVED') return read(state, at);
  if (status === 'OPEN') return pg === 'portone' && isOpen(state, at) ? read(state, at + NOTIFIED_OPEN_MS) : state;
  return pg === 'portone' || isUnknown ? read(withAttempt(state, { isUnknown: true, unknownSince: at }), at) : state;
}
/** One that has been made meanwhile, and refused, is made again soon: its next gap is a short one. */
const resumeBlocked = (state: PaymentState, at: number): PaymentState =>
  state.call?.isBlocked ? { ...state, call: { ...state.call, isBlocked: false, dueAt: at } } : state;

const isPlannedReading = ({ name, dueAt, isBlocked }: PendingCall, at: number): boolean =>
  (name === 'readPayment' || name === 'findRefund') && dueAt > at && !isBlocked;
