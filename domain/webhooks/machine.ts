/**
 * The delivery of one event to one receiver. At most one attempt is in flight: begun, without an outcome.
 *
 *                   load, elapsed          outcome of the attempt in flight              suspended
 *   PENDING         FAILED if given up     SUCCESS, PENDING_RETRY                        FAILED
 *   PENDING_RETRY   FAILED if given up     SUCCESS, PENDING_RETRY; FAILED at the fifth   FAILED
 *   SUCCESS, FAILED: nothing changes them.
 */
import type { CallOf, Decision } from '../kernel/messages.ts';
import { korean, SECOND } from '../kernel/time.ts';
import {
  afterAttempt,
  type AttemptOutcome,
  attemptId,
  ATTEMPTS,
  type DeliveryError,
  type DeliveryStatus,
  isInFlight,
  isOver,
  isWaiting,
  SUSPENDED,
} from './rules.ts';

/** The calls of a delivery's run and their outcomes. It takes no commands: its row says what is to be done. */
export interface WebhookDeliveryMessages {
  readonly commands: object;
  readonly calls: {
    /** Begins attempt `attempt`, signs and sends the request. `at`: business time; it decides whether a rotated secret still signs. */
    readonly attemptDelivery: {
      readonly brief: true;
      readonly input: { readonly deliveryId: string; readonly attempt: number; readonly at: number };
      readonly outcome: { readonly result: 'SUCCESS' | DeliveryError | 'STALE' | 'DELAYED' };
    };
  };
}
/** A subscription's run takes no commands and makes no calls. */
export interface WebhookSubscriptionMessages {
  readonly commands: object;
  readonly calls: object;
}

/** The fields of a subscription that decisions about its deliveries depend on. */
export interface ReceiverState {
  readonly isActive: boolean;
  /** It has failures since its last success. */
  readonly hasFailed: boolean;
  /** How often it was suspended. */
  readonly epoch: number;
}
/** The fields of a delivery that decisions depend on; the outcome is the last attempt's. Times are business milliseconds. */
export interface DeliveryState extends AttemptOutcome {
  readonly storeId: string;
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  /** Attempts begun so far. */
  readonly attemptCount: number;
  readonly attemptedAt: number | null;
  /** When the next attempt is due. Null before the first one (due at `createdAt`), while one is in flight, and at the end. */
  readonly nextAttemptAt: number | null;
  /** The receiver's epoch when the delivery was created. */
  readonly epoch: number;
  readonly createdAt: number;
  readonly receiver: ReceiverState;
}

/** An attempt that was not begun, because its store had too many in flight, and when it comes again. */
export interface Delayed {
  readonly delayedMs: number;
}
/** What the call of an attempt comes to. LOST: it never answered. RECORDED: another execution of the activity has recorded the outcome. */
export type AttemptAnswer = AttemptOutcome | Delayed | 'LOST' | 'RECORDED';

export type DeliveryEvent =
  | { readonly type: 'load' | 'elapsed' }
  | { readonly type: 'outcome'; readonly callId: string; readonly answer: AttemptAnswer }
  /** The result of `recordFailure` when the receiver is suspended, by this failure or before. */
  | { readonly type: 'suspended' };

/** What the transaction does besides writing the state. */
export type DeliveryEffect =
  /** The receiver has recovered: resets its record of failures. */
  | { readonly type: 'forgetFailures' }
  /** Records a failure of the receiver, which may suspend it: then the next event is `suspended`. */
  | { readonly type: 'recordFailure' };

export type DeliveryDecision = Decision<DeliveryState, DeliveryEffect, CallOf<WebhookDeliveryMessages['calls']>>;
type Step = Omit<DeliveryDecision, 'plan'>;

/** The next state, effects and plan. `at`: business milliseconds. Refuses nothing: an event that comes late changes nothing. */
export function decide(current: DeliveryState, event: DeliveryEvent, at: number): DeliveryDecision {
  const { state, effects } = isWaiting(current.status) ? step(current, event, at) : only(current);
  return { state, effects, plan: planOf(state, at) };
}

function step(state: DeliveryState, event: DeliveryEvent, at: number): Step {
  switch (event.type) {
    case 'load':
    case 'elapsed':
      return only(endIfGivenUp(state));
    case 'outcome':
      return applyOutcome(state, event, at);
    case 'suspended':
      return only({ ...state, ...SUSPENDED });
    default:
      return event satisfies never;
  }
}

const only = (state: DeliveryState): Step => ({ state, effects: [] });

/** An attempt in flight may still succeed, even when the receiver was suspended meanwhile. */
const isGivenUp = (state: DeliveryState): boolean => isOver(state, state.receiver) || (!state.receiver.isActive && !isInFlight(state));
const endIfGivenUp = (state: DeliveryState): DeliveryState => (isGivenUp(state) ? { ...state, ...SUSPENDED } : state);

const UNANSWERED: AttemptOutcome = { errorCode: 'TIMEOUT', responseStatusCode: null, responseTimeMs: null, responseBodyExcerpt: null };
/** The gap after an attempt that could not be begun (an outage, a secret that cannot be decrypted); it keeps its number. */
const UNBEGUN_MS = 30 * SECOND;

function applyOutcome(state: DeliveryState, { callId, answer }: Extract<DeliveryEvent, { readonly type: 'outcome' }>, at: number): Step {
  const { deliveryId, attemptCount } = state;
  if (isInFlight(state)) {
    if (answer === 'RECORDED' || isDelayed(answer) || callId !== attemptId(deliveryId, attemptCount)) return only(state);
    return endAttempt(state, answer === 'LOST' ? UNANSWERED : answer, at);
  }
  const isUnbegun = (answer === 'LOST' || isDelayed(answer)) && callId === attemptId(deliveryId, attemptCount + 1);
  if (!isUnbegun || isGivenUp(state)) return only(endIfGivenUp(state));
  return only({ ...state, nextAttemptAt: at + (answer === 'LOST' ? UNBEGUN_MS : answer.delayedMs) });
}
const isDelayed = (answer: AttemptAnswer): answer is Delayed => typeof answer === 'object' && 'delayedMs' in answer;

/** A success counts even for a suspended receiver; a failure is recorded for the receiver. */
function endAttempt(state: DeliveryState, outcome: AttemptOutcome, at: number): Step {
  const ended = { ...state, ...outcome, ...afterAttempt(state.attemptCount, outcome.errorCode, at), attemptedAt: at };
  if (outcome.errorCode === null) return { state: ended, effects: state.receiver.hasFailed ? [{ type: 'forgetFailures' }] : [] };
  return { state: isOver(ended, state.receiver) ? { ...ended, ...SUSPENDED } : ended, effects: [{ type: 'recordFailure' }] };
}

/** The next attempt, now or at its time; while one is in flight, the same one again, so that a recovered run waits for its outcome. */
function planOf(state: DeliveryState, at: number): DeliveryDecision['plan'] {
  const { status, attemptCount } = state;
  if (!isWaiting(status)) return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const wakeAt = state.nextAttemptAt ?? state.createdAt;
  const attempt = isInFlight(state) ? attemptCount : attemptCount + 1;
  const note = `Attempt ${attempt} of ${ATTEMPTS} at ${korean(wakeAt)}.`;
  const due = wakeAt <= at ? { calls: [callOf(state, attempt, at)] } : { calls: [], next: callOf(state, attempt, wakeAt) };
  return { wakeAt, ...due, done: false, note, status };
}

const callOf = ({ storeId, deliveryId }: DeliveryState, attempt: number, at: number): DeliveryDecision['plan']['calls'][number] => ({
  id: attemptId(deliveryId, attempt),
  name: 'attemptDelivery',
  storeId,
  input: { deliveryId, attempt, at },
});
