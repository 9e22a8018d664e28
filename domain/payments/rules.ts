/** States of the checkout payment, and rules for unknown outcomes (docs/contract.md#outcomes). */
import type { PendingCall } from './pendingCall.ts';
import { isHost, RETURN_URL } from '../kernel/hosts.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../kernel/time.ts';

export type { Failure } from './failures.ts';

export const PAYMENT_LIFETIME_MS = 10 * MINUTE;
/** Lifetime of an authentication at the provider; only after it is an unanswered confirm certainly without effect. */
export const AUTHENTICATION_LIFETIME_MS = 10 * MINUTE;

export const PAYMENT_STATUSES = ['pending', 'processing', 'completed', 'failed', 'expired'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export const PAYMENT_RESULTS = ['PENDING', 'PROCESSING', 'COMPLETED', 'CANCELED', 'FAILED', 'EXPIRED'] as const;
export type PaymentResult = (typeof PAYMENT_RESULTS)[number];

/**
 * OPEN: the buyer may pay. CONFIRMING: a confirm was planned or sent. The others are final. UNRESOLVED: a day of readings did not show
 * whether the money moved; an alarm is raised, and an operator may have it read once more.
 */
export type AttemptStatus =
  | 'OPEN'
  | 'CONFIRMING'
  | 'APPROVED'
  | 'DECLINED'
  | 'CANCELED'
  | 'SUPERSEDED'
  | 'EXPIRED'
  | 'VOIDED'
  | 'UNRESOLVED';

/** The reason of a refund; FLOW: on the way, while the units stay. */
export const REFUND_CAUSES = ['SELLER_CANCEL', 'CLAIM', 'FLOW'] as const;
export type RefundCause = (typeof REFUND_CAUSES)[number];

/** What is known of a refund between two calls. */
export interface RefundUnknown {
  readonly refusedWith: string | null;
  readonly isAnswered: boolean;
  readonly absences: number;
}
/**
 * The next step after a reading that does not show the refund. A refusal is final (`failed`). A request that was never answered is
 * repeated under its idempotency key. An answered error is read three times and then requested under a new key, because under the old one
 * the provider would replay the stored error forever.
 */
export function afterAbsence({
  refusedWith,
  isAnswered,
  absences,
}: RefundUnknown): 'failed' | 'request-again' | 'request-under-new-key' | 'read-again' {
  if (refusedWith !== null) return 'failed';
  if (!isAnswered) return 'request-again';
  return absences >= PROVING_READINGS ? 'request-under-new-key' : 'read-again';
}

/** After an answer of the provider, so many readings prove that nothing was charged (a confirm) or refunded (an error of a refund). */
const PROVING_READINGS = 3;
const READ_GAPS = [2 * SECOND, 4 * SECOND, 8 * SECOND, 15 * SECOND, 30 * SECOND] as const;
/** After half an hour of readings no buyer waits at the screen any more. */
const LONG_GAP = { from: 60, ms: 5 * MINUTE } as const;

/**
 * The gap before call `n` about an unknown outcome, in milliseconds. The first call is number 0 and the first reading number 1: readings in
 * a row come after 4, 8, 15, then 30 seconds, from number 60 on after 5 minutes. A repeated confirm or request takes a number too.
 */
export const readGap = (n: number): number => (n >= LONG_GAP.from ? LONG_GAP.ms : READ_GAPS[Math.min(n, READ_GAPS.length - 1)]!);

/** The gap before a call whose credentials were refused, in milliseconds: short at first, because others may just have been verified. */
export const blockedGap = ({ isBlocked = false }: PendingCall): number => (isBlocked ? HOUR : MINUTE);
/** A buyer who has paid usually comes back before this: then the reading of the notification is not needed. */
export const NOTIFIED_OPEN_MS = 2 * SECOND;
/** How often a reading that nobody waits for is tried while the provider does not answer. */
export const MAX_HINT_READINGS = 5;

/** How long an unknown outcome is read, in business time, before it becomes UNRESOLVED. */
const MAX_UNKNOWN_MS = DAY;
export const isUnknownTooLong = (since: number, at: number): boolean => at >= since + MAX_UNKNOWN_MS;
/** The failure code of an attempt or refund whose outcome stayed unknown for too long. */
export const UNRESOLVED = 'UNRESOLVED';
/** The code of a request that was not answered in its time. */
export const TIMEOUT = 'TIMEOUT';
/** The failure code of a refund whose payment at the provider is not ours. */
export const FOREIGN_PAYMENT = 'FOREIGN_PAYMENT';

export interface UnknownOutcome {
  readonly readings: number;
  /** The last confirm was answered (not lost, not still running). */
  readonly ended: boolean;
  readonly confirmedAt: number;
  readonly expiresAt: number;
}

/**
 * The next step after a reading that says "not charged". It is proven when the confirm was answered and three readings agree, or when the
 * authentication has expired. Until then, answered or not, the confirm is repeated under the same idempotency key before the payment's
 * expiry, and only read again after it (D40).
 */
export function afterUnpaid(outcome: UnknownOutcome, at: number): 'not-charged' | 'confirm-again' | 'read-again' {
  if (at >= outcome.confirmedAt + AUTHENTICATION_LIFETIME_MS) return 'not-charged';
  if (outcome.ended && outcome.readings >= PROVING_READINGS) return 'not-charged';
  return at < outcome.expiresAt ? 'confirm-again' : 'read-again';
}

const RETURN = new RegExp(RETURN_URL, 'u');
/** A scheme, for http and https a host, and no characters that `URL` drops or rewrites. */
const ABSOLUTE = /^(?:https?:\/\/[^/?#]|(?!https?:)[a-z][a-z0-9+.-]*:)[!-[\]-~\u0080-\uffff]*$/i;

/**
 * Classifies a return URL. Allowed are https URLs, and http on localhost and 127.0.0.1 (D38). `not-absolute` and `no-host` are
 * problems of the field, `not-allowed` is a refusal.
 */
export function classifyReturnUrl(text: string): 'ok' | 'not-absolute' | 'no-host' | 'not-allowed' {
  if (!ABSOLUTE.test(text) || !URL.canParse(text)) return 'not-absolute';
  const { protocol, hostname, host } = new URL(text);
  if (hostname !== '' && !isHost(hostname)) return 'no-host';
  if (RETURN.test(text)) return 'ok';
  // What remains of https has a host in another notation, or user info.
  const [, authority = ''] = /^https:\/\/([^/?#]*)/i.exec(text) ?? [];
  return protocol === 'https:' && host !== '' && !authority.includes('@') ? 'no-host' : 'not-allowed';
}

/** `returnUrl` with `svcPaymentId` and `svcResult` added to its query. */
export function returnAddress(returnUrl: string, paymentId: string, result: PaymentResult): string {
  const url = new URL(returnUrl);
  url.searchParams.set('svcPaymentId', paymentId);
  url.searchParams.set('svcResult', result);
  return url.href;
}

/** `{orderNo}-{2-digit attempt}`: our order id at the provider. */
export const pgOrderId = (orderNo: string, attempt: number): string => `${orderNo}-${String(attempt).padStart(2, '0')}`;

export const PAYMENT_METHODS = ['CARD', 'EASY_PAY', 'BANK_TRANSFER', 'VIRTUAL_ACCOUNT', 'MOBILE'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];
export const REFUND_STATUSES = ['PENDING', 'HELD', 'DONE', 'FAILED'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
