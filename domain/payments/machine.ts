/**
 * The checkout payment as a state machine (D17). pending → processing → completed, failed or expired; back to pending when
 * the provider declines. Stock is taken before the confirm call; while the outcome is unknown, the stock stays taken and the payment is
 * read at the provider until the outcome is known (`outcomes.ts`).
 */
import { Fault } from '../kernel/errors.ts';
import { failureOf } from './failures.ts';
import { applyAttemptOutcome } from './outcomes.ts';
import { decideRefund, planRefund } from './refundMachine.ts';
import { MINUTE } from '../kernel/time.ts';
import { type AttemptStatus, NOTIFIED_OPEN_MS } from './rules.ts';
import type { PendingCall } from './pendingCall.ts';
import type { Decided, PaymentEvent, PaymentOutcome, PaymentState } from './state.ts';
import { alarm, also, complete, decline, fail, isOpen, lastReadingAt, needsConfirm, planCall, unchanged, withAttempt } from './steps.ts';

type Handlers = {
  readonly [T in PaymentEvent['type']]: (state: PaymentState, event: Extract<PaymentEvent, { readonly type: T }>, at: number) => Decided;
};
const EVENTS: Handlers = {
  elapsed: (state, _, at) => expire(state, at),
  resumed: (state) => resume(state),
  pay,
  giveUp,
  keyReserved: (state, { paymentKey }, at) => begin(withAttempt(state, { paymentKey }), at),
  keyTaken: (state, _, at) => also(decline(mayBePaid(state), 'INVALID_REQUEST', at), alarm('mismatch', 'return', state.attempt!.attemptId)),
  keyInUse: refuse,
  stockTaken: (state, _, at) => confirm(state, at),
  outOfStock: (state, _, at) => sellNothing(state, at),
  outcome: (state, { outcome }, at) => applyOutcome(state, outcome, at),
  refundWaits: (state, _, at) => unchanged(planRefund(state, at)),
  unknownRemains: (state, _, at) => unchanged(planLastReading(state, at)),
  notified: (state, _, at) => unchanged(readNotified(state, at)),
  credentialsVerified: (state, _, at) => unchanged(resumeBlocked(state, at)),
};

/** The next state and effects. `at`: business milliseconds. Refusals are Faults: PAYMENT_NOT_FOUND, INVALID_STATUS. */
export function decide(state: PaymentState, event: PaymentEvent, at: number): Decided {
  const handle = EVENTS[event.type] as (state: PaymentState, event: PaymentEvent, at: number) => Decided;
  const decided = handle(state, event, at);
  const { attempt } = decided.state;
  // Nothing is confirmed any more with the token of an attempt that has ended.
  const isTokenSpent = attempt !== null && attempt.endedAt !== null && attempt.paymentToken !== null;
  return isTokenSpent ? { ...decided, state: withAttempt(decided.state, { paymentToken: null }) } : decided;
}

export const isEnded = ({ status }: Pick<PaymentState, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'expired';
/** Whether a pending refund may become the next call: it may displace a reading that is not due yet. */
export const mayStartRefund = ({ status, call }: PaymentState, at: number): boolean =>
  status === 'completed' && (!call || (call.name === 'readPayment' && call.dueAt > at));

/** The attempt stays open: its buyer may come back again with a key that is not in use then. */
function refuse(): never {
  throw new Fault('INVALID_STATUS');
}

/** A reading of another attempt, or of this one while it was open, gives way to the buyer: what is unknown is read again later. */
function pay(current: PaymentState, event: Extract<PaymentEvent, { readonly type: 'pay' }>, at: number): Decided {
  if (!isOpen(current, at)) return unchanged(current);
  const { pg, pgOrderId, amountWon } = current.attempt!;
  const { paymentKey, paymentToken } = event;
  const isMissing = paymentKey === null && pg !== 'portone';
  if (event.pgOrderId !== pgOrderId || event.amount !== amountWon || isMissing) throw new Fault('INVALID_STATUS');
  const state = withAttempt(current, { paymentToken });
  return paymentKey === null ? begin(state, at) : { state, effects: [{ type: 'reserveKey', paymentKey }] };
}

/** Before a confirm the stock is taken. Without a token nothing proves that there is a payment: it is read first, and stock waits (Y25). */
const begin = (state: PaymentState, at: number): Decided =>
  needsConfirm(state.attempt!) ? { state, effects: [{ type: 'takeStock' }] } : unchanged(readReturned(state, at));

function readReturned(state: PaymentState, at: number): PaymentState {
  const { call, attempt } = state;
  const returned = withAttempt(state, { isUnknown: true });
  const isDue = call?.attemptId === attempt!.attemptId && call.dueAt <= at;
  return isDue ? returned : planCall(returned, 'readPayment', { dueAt: at, n: 0 });
}

/** The stock is taken: the approval is requested, unless PortOne has given it already, by itself. */
function confirm(state: PaymentState, at: number): Decided {
  const { status, approvedMethod } = state.attempt!;
  if (status === 'CONFIRMING') return complete(state, approvedMethod, at);
  const confirming = withAttempt(state, { status: 'CONFIRMING', confirmedAt: at });
  return unchanged(planCall({ ...confirming, status: 'processing', result: 'PROCESSING' }, 'confirmPayment', { dueAt: at, n: 0 }));
}

/** At PortOne a window that is open may be paid in without us: what ends before it was read is unknown. */
const mayBePaid = (state: PaymentState): PaymentState =>
  state.attempt!.pg === 'portone' ? withAttempt(state, { isUnknown: true }) : state;

/** Without stock the payment fails. What was approved already is voided. */
function sellNothing(current: PaymentState, at: number): Decided {
  const { attemptId, status } = current.attempt!;
  const failure = failureOf(attemptId, 'OUT_OF_STOCK');
  const failed = fail(withAttempt(mayBePaid(current), { status: 'DECLINED', failure, endedAt: at }));
  return also(status === 'CONFIRMING' ? unchanged(planCall(failed.state, 'voidPayment', { dueAt: at, n: 1 })) : failed, {
    type: 'releasePoints',
  });
}

/** What the buyer's browser says proves nothing. */
function giveUp(state: PaymentState, { code }: { readonly code: string | null }, at: number): Decided {
  return isOpen(state, at) ? decline(mayBePaid(state), code ?? 'PAY_PROCESS_CANCELED', at) : unchanged(state);
}

/** A confirm that may have been sent has an unknown outcome, until an answer or a reading tells. */
const resume = (state: PaymentState): Decided =>
  unchanged(state.call?.name === 'confirmPayment' ? withAttempt(state, { isUnknown: true }) : state);

const expire = (state: PaymentState, at: number): Decided =>
  state.status === 'pending' && at >= state.expiresAt
    ? { state: { ...state, status: 'expired', result: 'EXPIRED' }, effects: [{ type: 'expireAttempts' }, { type: 'releasePoints' }] }
    : unchanged(state);

function applyOutcome(current: PaymentState, outcome: PaymentOutcome, at: number): Decided {
  const call = current.call!;
  const state = { ...current, call: null };
  return call.refundId === undefined ? applyAttemptOutcome({ state, call, outcome, at }) : decideRefund(state, call, outcome, at);
}

/**
 * An attempt that has ended and may be charged yet is read a last time: after its authentication has expired, if its approval was ever
 * requested; PortOne's, which may have approved by itself, at once and once more when no window of it can be open.
 */
function planLastReading(state: PaymentState, at: number): PaymentState {
  const dueAt = lastReadingAt(state.attempt!, at);
  return planCall(withAttempt(state, { unknownSince: dueAt }), 'readPayment', { dueAt, n: state.attempt!.readings });
}

/**
 * A notification is a hint, and only a reading is believed (Y27). A planned reading becomes due; else the attempt is read, unless nothing
 * can have happened to it without us. While there is another call, an attempt of PortOne that has ended is marked for the next reading.
 */
function readNotified(state: PaymentState, at: number): PaymentState {
  const { call, attempt } = state;
  const { attemptId, pg, status, isUnknown } = attempt!;
  if (call?.attemptId === attemptId) return isPlannedReading(call, at) ? { ...state, call: { ...call, dueAt: at, isHint: true } } : state;
  if (call && !givesWay(state, call, at)) return pg === 'portone' && isOver(status) ? markUnread(state) : state;
  const read = (changed: PaymentState, dueAt: number) => planCall(changed, 'readPayment', { dueAt, n: 0, isHint: true });
  if (status === 'APPROVED') return read(state, at);
  if (status === 'OPEN') return pg === 'portone' && isOpen(state, at) ? read(state, at + NOTIFIED_OPEN_MS) : state;
  return pg === 'portone' || isUnknown ? read(withAttempt(state, { isUnknown: true, unknownSince: at }), at) : state;
}
const isOver = (status: AttemptStatus): boolean => !['OPEN', 'CONFIRMING', 'APPROVED', 'UNRESOLVED'].includes(status);
const markUnread = (state: PaymentState): PaymentState =>
  withAttempt(state, { isUnknown: true, ...(state.attempt!.confirmedAt === null && { readings: 0 }) });

/** A reading of another attempt that is unknown, and read again later: the buyer's own goes before it, and so does what may be paid now. */
const givesWay = (state: PaymentState, { name, dueAt, isBlocked }: PendingCall, at: number): boolean =>
  name === 'readPayment' && (isOpen(state, at) || (isEnded(state) && dueAt > at + MINUTE && !isBlocked));

/** One that has been made meanwhile, and refused, is made again soon: its next gap is a short one. */
const resumeBlocked = (state: PaymentState, at: number): PaymentState =>
  state.call?.isBlocked ? { ...state, call: { ...state.call, isBlocked: false, dueAt: at } } : state;

const isPlannedReading = ({ name, dueAt, isBlocked }: PendingCall, at: number): boolean =>
  (name === 'readPayment' || name === 'findRefund') && dueAt > at && !isBlocked;
