/** Delivery of events: when to try again, and how an attempt ends (docs/contract.md#deliveries). */
import { DAY, HOUR, MINUTE, SECOND } from '../kernel/time.ts';

/** Every type that a store may subscribe to (docs/contract.md#events). */
export const EVENT_TYPES = [
  'ORDER.PAID',
  'ORDER.CONFIRMED',
  'ORDER.DISPATCHED',
  'ORDER.DELIVERED',
  'ORDER.PURCHASE_DECIDED',
  'ORDER.ADDRESS_CHANGE_REQUESTED',
  'ORDER.CANCELED',
  'ORDER.FULFILLED',
  'ORDER.FLOW_STATE_CHANGED',
  'ORDER.FLOW_NOTIFICATION',
  'CLAIM.CANCEL_REQUESTED',
  'CLAIM.RETURN_REQUESTED',
  'CLAIM.EXCHANGE_REQUESTED',
  'CLAIM.COMPLETED',
  'INQUIRY.CREATED',
  'REVIEW.CREATED',
  'PRODUCT.OUT_OF_STOCK',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const WEBHOOK_LIMIT = 10;
/** An attempt's whole time, from the look-up of its name to the last byte of its headers. */
export const ATTEMPT_MS = 10 * SECOND;
/** Gaps after attempt 1, 2, 3 and 4; the fifth attempt is the last. */
const GAPS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR] as const;
export const ATTEMPTS = GAPS_MS.length + 1;

export const DELIVERY_STATUSES = ['PENDING', 'PENDING_RETRY', 'SUCCESS', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export const DELIVERY_ERRORS = ['TIMEOUT', 'CONNECTION_FAILED', 'BLOCKED_ADDRESS', 'NON_2XX', 'WEBHOOK_SUSPENDED'] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** What follows attempt `n` (from 1) that ended at `at`: null error is success; the fifth failure is FAILED. */
export function afterAttempt(n: number, error: DeliveryError | null, at: number): { status: DeliveryStatus; nextAttemptAt: number | null } {
  if (error === null) return { status: 'SUCCESS', nextAttemptAt: null };
  const gap = GAPS_MS[n - 1];
  return gap === undefined ? { status: 'FAILED', nextAttemptAt: null } : { status: 'PENDING_RETRY', nextAttemptAt: at + gap };
}

/** Since when a receiver has failed without a break; nulls when its last word was a success. */
export interface FailureRecord {
  readonly firstFailureAt: number | null;
  readonly lastFailureAt: number | null;
}
const QUIET_MS = 3 * HOUR;
const PATIENCE_MS = 24 * HOUR;

/**
 * What a failure at `at` adds. After more than three quiet hours counting starts anew; 24 hours or more from the first failure
 * suspend. Failures at 0:00, 2:30, …, 22:30 and 24:00 suspend; at 0:00 and 24:00 alone they do not.
 */
export function afterFailure(
  { firstFailureAt, lastFailureAt }: FailureRecord,
  at: number,
): FailureRecord & { readonly isSuspended: boolean } {
  const isNew = firstFailureAt === null || lastFailureAt === null || at - lastFailureAt > QUIET_MS;
  const first = isNew ? at : firstFailureAt;
  return { firstFailureAt: first, lastFailureAt: Math.max(lastFailureAt ?? at, at), isSuspended: at - first >= PATIENCE_MS };
}

/** How long a rotated secret still signs beside the new one. */
export const SECRET_OVERLAP_MS = DAY;
/** Records and events are shown for so long. */
export const HISTORY_MS = 30 * DAY;
/** What a bulk redelivery covers. */
export const REDELIVER_MS = 72 * HOUR;
export const MAX_REDELIVERED = 500;

/** Deliveries that one transaction ends or deletes when their subscription is suspended or deleted (X26). */
export const PORTION = 500;

export const isWaiting = (status: DeliveryStatus): boolean => status === 'PENDING' || status === 'PENDING_RETRY';

/** The id of the call that makes attempt `n` of a delivery. A run's first plan names attempt 1 the same way (workflows/webhooks.ts). */
export const attemptId = (deliveryId: string, n: number): string => `${deliveryId}-${n}`;

interface Progress {
  readonly status: DeliveryStatus;
  readonly attemptCount: number;
  readonly nextAttemptAt?: Date | number | null | undefined;
  readonly epoch: number;
}
/** An attempt was begun and has not ended: it may still succeed, even after a suspension (D16). */
export const isInFlight = ({ attemptCount, nextAttemptAt }: Pick<Progress, 'attemptCount' | 'nextAttemptAt'>): boolean =>
  attemptCount > 0 && !nextAttemptAt;

/** A suspension has ended it, though its row may not say so yet: it is shown as ended, and never sent, also after a resume. */
export const isOver = (delivery: Progress, receiver: { readonly epoch: number }): boolean =>
  isWaiting(delivery.status) && !isInFlight(delivery) && delivery.epoch < receiver.epoch;

/** What becomes of a delivery that waits when its subscription is suspended. */
export const SUSPENDED = { status: 'FAILED', errorCode: 'WEBHOOK_SUSPENDED', nextAttemptAt: null } as const;

/** How one attempt ended on the wire. */
export interface AttemptOutcome {
  readonly errorCode: DeliveryError | null;
  readonly responseStatusCode: number | null;
  readonly responseTimeMs: number | null;
  /** The first 1,024 characters; NUL removed, bad bytes replaced (D86). */
  readonly responseBodyExcerpt: string | null;
}
export const EXCERPT_CHARACTERS = 1024;
