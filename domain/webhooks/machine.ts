/**
 * The delivery of one event to one receiver (D16, D85). An attempt is under way from its begin until its outcome; at most one is.
 *
 *                   load, elapsed          outcome of the attempt under way              suspended
 *   PENDING         FAILED if given up     SUCCESS, PENDING_RETRY                        FAILED
 *   PENDING_RETRY   FAILED if given up     SUCCESS, PENDING_RETRY; FAILED at the fifth   FAILED
 *   SUCCESS, FAILED: nothing changes them.
 */
import type { CallOf, Decision } from '../kernel/messages.ts';
import { korean, SECOND } from '../kernel/time.ts';
import type { WebhookDeliveryMessages } from './messages.ts';
import {
  afterAttempt,
  type AttemptOutcome,
  attemptId,
  ATTEMPTS,
  type DeliveryStatus,
  isInFlight,
  isOver,
  isWaiting,
  SUSPENDED,
} from './rules.ts';

/** What of a subscription decides about its deliveries. */
export interface ReceiverState {
  readonly isActive: boolean;
  /** Its last attempt failed. */
  readonly hasFailed: boolean;
  /** How often it was suspended. */
  readonly epoch: number;
}
/** What of a delivery decides; the outcome is the last attempt's. Times are business milliseconds. */
export interface DeliveryState extends AttemptOutcome {
  readonly storeId: string;
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  /** Attempts that were begun. */
  readonly attemptCount: number;
  readonly attemptedAt: number | null;
  /** Null: at `createdAt` for the first attempt; not known while one is under way; none at the end. */
  readonly nextAttemptAt: number | null;
  /** The receiver's when the delivery was made. */
  readonly epoch: number;
  readonly createdAt: number;
  readonly receiver: ReceiverState;
}

export type DeliveryEvent =
  | { readonly type: 'load' | 'elapsed' }
  /** LOST: the call never answered. RECORDED: whoever made the attempt has recorded its outcome. */
  | { readonly type: 'outcome'; readonly callId: string; readonly answer: AttemptOutcome | 'LOST' | 'RECORDED' }
  /** What `noteFailure` answers when the receiver is suspended, by this failure or before. */
  | { readonly type: 'suspended' };

/** What the transaction does besides writing the state. */
export type DeliveryEffect =
  /** The receiver works again: its unbroken row of failures ends. */
  | { readonly type: 'forgetFailures' }
  /** Counts the failure against the receiver, and may suspend it: `suspended` is the next event then. */
  | { readonly type: 'noteFailure' };

export type DeliveryDecision = Decision<DeliveryState, DeliveryEffect, CallOf<WebhookDeliveryMessages['calls']>>;
type Step = Omit<DeliveryDecision, 'plan'>;

/** What an event means to a delivery. `at`: business milliseconds. Refuses nothing: an event that comes late changes nothing. */
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
      return takeOutcome(state, event, at);
    case 'suspended':
      return only({ ...state, ...SUSPENDED });
    default:
      return event satisfies never;
  }
}

const only = (state: DeliveryState): Step => ({ state, effects: [] });

/** An attempt under way may still succeed, whatever has become of the receiver (D16). */
const isGivenUp = (state: DeliveryState): boolean => isOver(state, state.receiver) || (!state.receiver.isActive && !isInFlight(state));
const endIfGivenUp = (state: DeliveryState): DeliveryState => (isGivenUp(state) ? { ...state, ...SUSPENDED } : state);

const UNANSWERED: AttemptOutcome = { errorCode: 'TIMEOUT', responseStatusCode: null, responseTimeMs: null, responseBodyExcerpt: null };
/** An attempt that could not even be begun (an outage, a secret that does not open) is made after this gap, under its own number. */
const UNBEGUN_MS = 30 * SECOND;

function takeOutcome(state: DeliveryState, { callId, answer }: Extract<DeliveryEvent, { readonly type: 'outcome' }>, at: number): Step {
  const { deliveryId, attemptCount } = state;
  if (isInFlight(state)) {
    if (answer === 'RECORDED' || callId !== attemptId(deliveryId, attemptCount)) return only(state);
    return endAttempt(state, answer === 'LOST' ? UNANSWERED : answer, at);
  }
  const isUnbegun = answer === 'LOST' && callId === attemptId(deliveryId, attemptCount + 1);
  return only(isUnbegun && !isGivenUp(state) ? { ...state, nextAttemptAt: at + UNBEGUN_MS } : endIfGivenUp(state));
}

/** A success stands, whatever has become of the receiver; a failure counts against it. */
function endAttempt(state: DeliveryState, outcome: AttemptOutcome, at: number): Step {
  const ended = { ...state, ...outcome, ...afterAttempt(state.attemptCount, outcome.errorCode, at), attemptedAt: at };
  if (outcome.errorCode === null) return { state: ended, effects: state.receiver.hasFailed ? [{ type: 'forgetFailures' }] : [] };
  return { state: isOver(ended, state.receiver) ? { ...ended, ...SUSPENDED } : ended, effects: [{ type: 'noteFailure' }] };
}

/** The next attempt now or at its time; while one is under way, the same one, so that a run that was lost asks after it. */
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
