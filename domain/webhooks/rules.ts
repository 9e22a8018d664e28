/** Delivery of events: retries, suspension, and outcomes of attempts (docs/contract.md#deliveries). */
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
/** The timeout of an attempt, from the DNS lookup to the last byte of the response headers. */
export const ATTEMPT_MS = 10 * SECOND;
/** Gaps after attempt 1, 2, 3 and 4; the fifth attempt is the last. */
const GAPS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR] as const;
export const ATTEMPTS = GAPS_MS.length + 1;

export const DELIVERY_STATUSES = ['PENDING', 'PENDING_RETRY', 'SUCCESS', 'FAILED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export const DELIVERY_ERRORS = ['TIMEOUT', 'CONNECTION_FAILED', 'BLOCKED_ADDRESS', 'NON_2XX', 'WEBHOOK_SUSPENDED'] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** The delivery after attempt `n` (from 1) that ended at `at`: a null error is success; the fifth failure is final. */
export function afterAttempt(n: number, error: DeliveryError | null, at: number): { status: DeliveryStatus; nextAttemptAt: number | null } {
  if (error === null) return { status: 'SUCCESS', nextAttemptAt: null };
  const gap = GAPS_MS[n - 1];
  return gap === undefined ? { status: 'FAILED', nextAttemptAt: null } : { status: 'PENDING_RETRY', nextAttemptAt: at + gap };
}

/** A receiver's failures since its last success; nulls when there are none. */
export interface FailureRecord {
  readonly firstFailureAt: number | null;
  readonly lastFailureAt: number | null;
}
const QUIET_MS = 3 * HOUR;
const PATIENCE_MS = 24 * HOUR;

/**
 * The record after a failure at `at`. After more than three hours without a failure the record starts over; a failure 24 hours or more
 * after the first one suspends. Failures at 0:00, 2:30, …, 22:30 and 24:00 suspend; at 0:00 and 24:00 alone they do not.
 */
export function afterFailure(
  { firstFailureAt, lastFailureAt }: FailureRecord,
  at: number,
): FailureRecord & { readonly isSuspended: boolean } {
  const isNew = firstFailureAt === null || lastFailureAt === null || at - lastFailureAt > QUIET_MS;
  const first = isNew ? at : firstFailureAt;
  return { firstFailureAt: first, lastFailureAt: Math.max(lastFailureAt ?? at, at), isSuspended: at - first >= PATIENCE_MS };
}

/** How long a rotated secret still signs, in addition to the new one. */
export const SECRET_OVERLAP_MS = DAY;
/** How long deliveries and events are listed. */
export const HISTORY_MS = 30 * DAY;
/** The age up to which a bulk redelivery covers failed deliveries. */
export const REDELIVER_MS = 72 * HOUR;
export const MAX_REDELIVERED = 500;

/** Deliveries that one transaction ends or deletes after a suspension or deletion of their subscription (X26). */
export const PORTION = 500;

export const isWaiting = (status: DeliveryStatus): boolean => status === 'PENDING' || status === 'PENDING_RETRY';

/** The id of the call of attempt `n`. workflows/webhooks.ts builds the id of attempt 1 in the same form. */
export const attemptId = (deliveryId: string, n: number): string => `${deliveryId}-${n}`;

interface Progress {
  readonly status: DeliveryStatus;
  readonly attemptCount: number;
  readonly nextAttemptAt?: Date | number | null | undefined;
  readonly epoch: number;
}
/** An attempt has begun and not ended: it may still succeed, even after a suspension. */
export const isInFlight = ({ attemptCount, nextAttemptAt }: Pick<Progress, 'attemptCount' | 'nextAttemptAt'>): boolean =>
  attemptCount > 0 && !nextAttemptAt;

/** A suspension has ended the delivery, even if its row does not say so yet: it is shown as FAILED and never sent, also after a resume. */
export const isOver = (delivery: Progress, receiver: { readonly epoch: number }): boolean =>
  isWaiting(delivery.status) && !isInFlight(delivery) && delivery.epoch < receiver.epoch;

/** The fields of a waiting delivery after its subscription was suspended. */
export const SUSPENDED = { status: 'FAILED', errorCode: 'WEBHOOK_SUSPENDED', nextAttemptAt: null } as const;

/** The outcome of one attempt. */
export interface AttemptOutcome {
  readonly errorCode: DeliveryError | null;
  readonly responseStatusCode: number | null;
  readonly responseTimeMs: number | null;
  /** The first 1,024 characters; NUL removed, bad bytes replaced. */
  readonly responseBodyExcerpt: string | null;
}
export const EXCERPT_CHARACTERS = 1024;
