/** What the payment machine does with the end of a call, by the status of its attempt: one table each. */
import { afterUnpaid, type AttemptStatus, isUnknownTooLong, MAX_HINT_READINGS, readGap, TIMEOUT } from './rules.ts';
import type { PendingCall } from './pendingCall.ts';
import { ENVIRONMENT_MISMATCH, failureOf } from './failures.ts';
import type { Decided, PaymentOutcome, PaymentState } from './state.ts';
import {
  alarm,
  also,
  block,
  chargeableUntil,
  complete,
  decline,
  declineAfterConfirm,
  declineEnvironment,
  declineUnauthorized,
  fail,
  isOpen,
  leaveUnresolved,
  needsConfirm,
  planCall,
  planReading,
  rejectionOf,
  unchanged,
  withAttempt,
} from './steps.ts';

export interface Ended {
  readonly state: PaymentState;
  readonly call: PendingCall;
  readonly outcome: PaymentOutcome;
  readonly at: number;
}
type Outcomes = Readonly<Record<PaymentOutcome['result'], (ended: Ended) => Decided>>;

const ignore = ({ state }: Ended): Decided => unchanged(state);
const codeOf = (outcome: PaymentOutcome): string => (outcome.result === 'LOST' ? 'LOST' : outcome.code);
const methodOf = (outcome: PaymentOutcome): string | null => (outcome.result === 'LOST' ? null : outcome.approvedMethod);
/** A channel of the other environment is the reason of any failure. */
const environmentOr = (code: string, outcome: PaymentOutcome): string =>
  codeOf(outcome) === ENVIRONMENT_MISMATCH ? ENVIRONMENT_MISMATCH : code;
const isTechnical = (outcome: PaymentOutcome): boolean => outcome.result !== 'LOST' && outcome.isTechnical === true;

/** The end of a confirm or a reading, while the attempt is CONFIRMING. */
const WHILE_CONFIRMING: Outcomes = {
  APPROVED: ({ state, outcome, at }) => complete(state, methodOf(outcome), at),
  DECLINED: (ended) => {
    const { state, call, outcome, at } = ended;
    if (outcome.result !== 'LOST' && outcome.isUnauthorized) return refuse(ended);
    return also(declineAfterConfirm(state, codeOf(outcome), call.name === 'readPayment', at), ...rejectionOf(outcome));
  },
  /** Charged and then canceled at the provider by somebody else: nothing is left to do. */
  VOIDED: ({ state, outcome, at }) =>
    also(declineAfterConfirm(state, environmentOr('CANCELED', outcome), true, at), ...rejectionOf(outcome)),
  /** Our order id belongs to another payment: we charged nothing, and nothing may be voided (X17). */
  FOREIGN: ({ state, at }) => declineAfterConfirm(state, 'NOT_CHARGED', false, at),
  WRONG_ENVIRONMENT: ({ state, outcome, at }) => also(declineEnvironment(state, outcome, at), { type: 'returnStock' }),
  UNPAID: applyUnpaid,
  /** No request was sent now; if none was sent before either, the attempt was certainly not charged. */
  UNSENT: (ended) => {
    const { state, call, outcome, at } = ended;
    if (call.name !== 'confirmPayment') return block(state, call, at);
    return state.attempt!.isUnknown ? leaveUnknown(ended) : declineAfterConfirm(state, codeOf(outcome), true, at);
  },
  UNAUTHORIZED: ({ state, call, at }) => block(state, call, at),
  UNKNOWN: leaveUnknown,
  LOST: leaveUnknown,
  REFUNDED: leaveUnknown,
  REFUSED: leaveUnknown,
  ABSENT: leaveUnknown,
};

/**
 * The same for an attempt that has ended: a late approval is voided immediately and never makes a second order (D21). The outcome of each
 * void is verified by a reading, and only a payment that a reading has just shown to be ours is voided.
 */
const LATE: Outcomes = {
  APPROVED: ({ state, call, at }) => voidLate(state, call, at),
  WRONG_ENVIRONMENT: voidWrong,
  VOIDED: ({ state }) => unchanged(withAttempt(state, { status: 'VOIDED', isUnknown: false })),
  /** Before its authentication has expired it may be charged yet: it stays unknown and is read again. */
  UNPAID: (ended) => (mayBeCharged(ended) ? readAgainLater(ended) : neverCharged(ended)),
  DECLINED: neverConfirmed,
  FOREIGN: neverConfirmed,
  UNAUTHORIZED: ({ state, call, at }) => block(state, call, at),
  UNSENT: ({ state, call, at }) => block(state, call, at),
  UNKNOWN: readLate,
  LOST: readLate,
  REFUNDED: readLate,
  REFUSED: readLate,
  ABSENT: readLate,
};

/**
 * A reading of an attempt with which the buyer may still pay: what PortOne has approved by itself takes stock and is completed (Y25). Where
 * the buyer has come back without a token, it is unknown whether there is such a payment: then a reading may decline the attempt, too.
 */
const WHILE_OPEN: Outcomes = {
  APPROVED: ({ state, outcome, at }) => {
    if (!isOpen(state, at)) return unchanged(state);
    const paid = withAttempt(state, { status: 'CONFIRMING', approvedMethod: methodOf(outcome), isUnknown: true, unknownSince: at });
    return { state: { ...paid, status: 'processing', result: 'PROCESSING' }, effects: [{ type: 'takeStock' }] };
  },
  WRONG_ENVIRONMENT: ({ state, outcome, at }) => (isOpen(state, at) ? declineEnvironment(state, outcome, at) : unchanged(state)),
  UNKNOWN: readHintAgain,
  LOST: readHintAgain,
  DECLINED: ({ state, outcome, at }) => (isReturned(state, at) ? decline(state, codeOf(outcome), at) : unchanged(state)),
  UNPAID: (ended) => (isReturned(ended.state, ended.at) ? readHintAgain(ended) : ignore(ended)),
  VOIDED: ignore,
  REFUNDED: ignore,
  REFUSED: ignore,
  ABSENT: ignore,
  FOREIGN: ignore,
  UNSENT: ignore,
  UNAUTHORIZED: ignore,
};

/** A reading of an approved payment, after a notification: a cancel that is not ours changes no order, but an operator hears of it. */
function watch(ended: Ended): Decided {
  const { state, outcome } = ended;
  if (outcome.result === 'LOST' || isTechnical(outcome)) return readHintAgain(ended);
  const isForeign = outcome.isForeignCancel === true;
  return { state, effects: isForeign ? [alarm('foreignCancel', 'readPayment', state.attempt!.attemptId)] : [] };
}

/** Applies the end of a call about the state's attempt. */
export function applyAttemptOutcome(ended: Ended): Decided {
  const { status } = ended.state.attempt!;
  if (status === 'APPROVED') return watch(ended);
  const tables: Partial<Record<AttemptStatus, Outcomes>> = { CONFIRMING: WHILE_CONFIRMING, OPEN: WHILE_OPEN };
  return (tables[status] ?? LATE)[ended.outcome.result](ended);
}

/** Our credentials were refused at a confirm. That proves nothing about one that may have been sent before. */
function refuse(ended: Ended): Decided {
  const { state, outcome, at } = ended;
  if (!state.attempt!.isUnknown) return declineUnauthorized(state, codeOf(outcome), at);
  return also(leaveUnknown(ended), { type: 'rejectCredentials' });
}

/** The outcome is unknown: it is read again and again, for a day at most. */
function leaveUnknown({ state, call, outcome, at }: Ended): Decided {
  const isConfirm = call.name === 'confirmPayment';
  const confirmAnswered = outcome.result !== 'LOST' && outcome.ended;
  const answered = isConfirm ? { confirmAnswered, ...(!confirmAnswered && { readings: 0 }) } : {};
  const isFirst = isConfirm && state.attempt!.unknownSince === null;
  const isAfterSlow = isFirst && codeOf(outcome) === TIMEOUT && !isTechnical(outcome);
  const reading = planReading(withAttempt(state, { isUnknown: true, ...answered }), call, at, isAfterSlow);
  const isCounted = isTechnical(outcome) && (isFirst || call.isAfterSlow === true);
  if (reading.call) return { state: reading, effects: isCounted ? [{ type: 'countTechnicalFailure' }] : [] };
  // The payment fails and its stock is returned; if `npm run support -- retry` later finds it charged, it is voided.
  const unresolved = leaveUnresolved(reading, 'confirmPayment', at);
  return also(fail(unresolved.state, unresolved.effects), { type: 'returnStock' }, { type: 'releasePoints' });
}

/** A reading said "not charged": more readings to prove it, or the confirm again under the same idempotency key. */
function applyUnpaid({ state: current, call: { n, isHint }, outcome, at }: Ended): Decided {
  const { confirmAnswered: ended, readings, confirmedAt } = current.attempt!;
  const state = ended && !isHint ? withAttempt(current, { readings: readings + 1 }) : current;
  const facts = { readings: state.attempt!.readings, ended, confirmedAt: confirmedAt!, expiresAt: state.expiresAt };
  const next = afterUnpaid(facts, at);
  if (next === 'not-charged')
    return also(declineAfterConfirm(state, environmentOr('NOT_CHARGED', outcome), false, at), ...rejectionOf(outcome));
  const isAgain = next === 'confirm-again' && needsConfirm(state.attempt!);
  return unchanged(planCall(state, isAgain ? 'confirmPayment' : 'readPayment', { dueAt: isAgain ? at : at + readGap(n + 1), n: n + 1 }));
}

/** The buyer has come back to an attempt that is open, without a token. */
const isReturned = (state: PaymentState, at: number): boolean => isOpen(state, at) && state.attempt!.isUnknown;
const mayBeCharged = ({ state: { attempt }, at }: Ended): boolean => attempt!.isUnknown && at < (chargeableUntil(attempt!) ?? at);

/** Whether it was read counts only where no confirm was requested: its readings are none of a confirm. */
const readAgainLater = ({ state }: Ended): Decided =>
  unchanged(state.attempt!.confirmedAt === null ? withAttempt(state, { readings: 1 }) : state);

/** Final after a confirm. Without one, the buyer may pay yet in a window that is open. */
function neverConfirmed(ended: Ended): Decided {
  return ended.state.attempt!.confirmedAt === null && mayBeCharged(ended) ? readAgainLater(ended) : neverCharged(ended);
}

function neverCharged({ state }: Ended): Decided {
  return unchanged(withAttempt(state, { isUnknown: false }));
}

function voidLate(state: PaymentState, { n }: PendingCall, at: number): Decided {
  const since = state.attempt!.unknownSince ?? at;
  const dated = withAttempt(state, { unknownSince: since });
  if (isUnknownTooLong(since, at)) return leaveUnresolved(dated, 'voidPayment', at);
  return unchanged(planCall(dated, 'voidPayment', { dueAt: at, n: n + 1 }));
}

/** Counts against the credential set once an attempt: it is read again after each void. */
function voidWrong({ state, call, outcome, at }: Ended): Decided {
  const { attemptId, failure } = state.attempt!;
  if (failure?.code === ENVIRONMENT_MISMATCH) return voidLate(state, call, at);
  const failed = withAttempt(state, { failure: failureOf(attemptId, ENVIRONMENT_MISMATCH) });
  return also(voidLate(failed, call, at), ...rejectionOf(outcome));
}

function readLate({ state, call, at }: Ended): Decided {
  const reading = planReading(state, call, at);
  return reading.call ? unchanged(reading) : leaveUnresolved(reading, call.name, at);
}

/** Nobody waits for what a notification hinted at: it is read a few times, then left to the attempt's end or the next notification. */
function readHintAgain({ state, call: { n }, at }: Ended): Decided {
  return unchanged(n + 1 < MAX_HINT_READINGS ? planCall(state, 'readPayment', { dueAt: at + readGap(n + 1), n: n + 1 }) : state);
}
