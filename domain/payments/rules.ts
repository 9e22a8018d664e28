/** The checkout payment's states and what an answer of the provider means (D17, D21, D36, D40; docs/contract.md#outcomes). */
import type { PaymentMessages } from './messages.ts';
import { isHost, RETURN_URL } from '../kernel/hosts.ts';
import { DAY, MINUTE, SECOND } from '../kernel/time.ts';

export type { Failure } from './failures.ts';

export const PAYMENT_LIFETIME_MS = 10 * MINUTE;
/** A provider's authentication dies after this; only then is an unanswered confirm certainly without effect. */
export const AUTHENTICATION_LIFETIME_MS = 10 * MINUTE;

export const PAYMENT_STATUSES = ['pending', 'processing', 'completed', 'failed', 'expired'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export const PAYMENT_RESULTS = ['PENDING', 'PROCESSING', 'COMPLETED', 'CANCELED', 'FAILED', 'EXPIRED'] as const;
export type PaymentResult = (typeof PAYMENT_RESULTS)[number];

/**
 * OPEN: the buyer may pay. CONFIRMING: the provider was asked. The others are final. UNRESOLVED: a day of look-ups did not
 * tell whether money moved; an operator is told, and may have it looked up once more.
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

/** The one call that a payment makes at a time, not before `dueAt`. */
export interface PendingCall {
  readonly id: string;
  readonly name: keyof PaymentMessages['calls'];
  /** Counts the calls since the outcome became unknown: the gaps before the next grow with it. */
  readonly n: number;
  readonly attemptId: string;
  readonly dueAt: number;
  /** Of `refundPayment` and `findRefund`. */
  readonly refundId?: string;
}

/** Why money goes back. */
export type RefundCause = 'SELLER_CANCEL';

/** How a refund stands between two calls. */
export interface RefundUnknown {
  readonly refusedWith: string | null;
  readonly isAnswered: boolean;
  readonly absences: number;
}
/**
 * What follows a reading that does not show the refund: a refusal stands (FAILED); a request that was never answered is
 * repeated under its key, which the provider counts once; an answered error is read three times and then asked under a new key,
 * because the provider would repeat the kept error for ever.
 */
export function afterAbsence({ refusedWith, isAnswered, absences }: RefundUnknown): 'failed' | 'ask-again' | 'ask-anew' | 'look-again' {
  if (refusedWith !== null) return 'failed';
  if (!isAnswered) return 'ask-again';
  return absences >= PROVING_READINGS ? 'ask-anew' : 'look-again';
}

/**
 * A provider's answer, classified into three, never two. APPROVED: order id, amount, payment key and status match our attempt.
 * DECLINED: a definite no. UNKNOWN: everything else. `ended`: the provider has finished with our request, so a
 * reading taken later is the whole truth. FOREIGN: what stands there is another payment, so nothing was charged by us (X17).
 * UNSENT: nothing was asked, because our key is for the other kind of payments (X26).
 */
export type ProviderResult =
  | 'APPROVED'
  | 'DECLINED'
  | 'UNKNOWN'
  | 'UNPAID'
  | 'VOIDED'
  | 'REFUNDED'
  | 'REFUSED'
  | 'ABSENT'
  | 'FOREIGN'
  | 'UNSENT';

/** Three readings "not charged" after an answered confirm prove that nothing was charged: 2 + 4 + 8 s. */
const PROVING_READINGS = 3;
const READ_GAPS = [2 * SECOND, 4 * SECOND, 8 * SECOND, 15 * SECOND, 30 * SECOND] as const;
/** After half an hour of look-ups nobody waits at the screen any more. */
const LONG_GAP = { from: 60, ms: 5 * MINUTE } as const;

/** The wait before look-up `n` (from 0) of an unknown outcome: 2, 4, 8, 15, then 30 seconds, from the 60th on 5 minutes. */
export const readGap = (n: number): number => (n >= LONG_GAP.from ? LONG_GAP.ms : READ_GAPS[Math.min(n, READ_GAPS.length - 1)]!);

/** How long an outcome is looked up, in the store's time, before it is an operator's business. */
const LOOKING_MS = DAY;
export const isUnknownTooLong = (since: number, at: number): boolean => at >= since + LOOKING_MS;
/** What an attempt or a refund that was looked up too long is told with. */
export const UNRESOLVED = 'UNRESOLVED';
/** What a refund is told with whose payment at the provider is not ours. */
export const FOREIGN_PAYMENT = 'FOREIGN_PAYMENT';

export interface UnknownOutcome {
  readonly readings: number;
  /** The last confirm was answered (not lost, not still running). */
  readonly ended: boolean;
  readonly confirmedAt: number;
  readonly expiresAt: number;
}

/**
 * What follows a reading that says "not charged": proven when the confirm was answered and three readings agree, or
 * when the authentication is dead; after the payment's expiry no confirm is sent (D40); else the confirm is repeated
 * under the same key.
 */
export function afterUnpaid(doubt: UnknownOutcome, at: number): 'not-charged' | 'confirm-again' | 'read-again' {
  if (at >= doubt.confirmedAt + AUTHENTICATION_LIFETIME_MS) return 'not-charged';
  if (doubt.ended && doubt.readings >= PROVING_READINGS) return 'not-charged';
  return at < doubt.expiresAt ? 'confirm-again' : 'read-again';
}

const RETURN = new RegExp(RETURN_URL, 'u');
/** A scheme and, where it leads into the web, a host; nothing that `URL` drops or turns. */
const ABSOLUTE = /^(?:https?:\/\/[^/?#]|(?!https?:)[a-z][a-z0-9+.-]*:)[!-[\]-~\u0080-\uffff]*$/i;

/**
 * Where a buyer may be sent back to. Sandbox stores without a payment domain: every https address, and http on
 * localhost and 127.0.0.1 (D38). What is no absolute URL, or names a host that is none (X23), is a problem of the field.
 */
export function judgeReturnUrl(text: string): 'ok' | 'not-absolute' | 'no-host' | 'not-allowed' {
  if (!ABSOLUTE.test(text) || !URL.canParse(text)) return 'not-absolute';
  const { protocol, hostname, host } = new URL(text);
  if (hostname !== '' && !isHost(hostname)) return 'no-host';
  if (RETURN.test(text)) return 'ok';
  // What is left of https names its host in another way than hosts are written, or a user.
  const [, authority = ''] = /^https:\/\/([^/?#]*)/i.exec(text) ?? [];
  return protocol === 'https:' && host !== '' && !authority.includes('@') ? 'no-host' : 'not-allowed';
}

/** `returnUrl` with `svcPaymentId` and `svcResult` appended; the existing query is kept. */
export function returnAddress(returnUrl: string, paymentId: string, result: PaymentResult): string {
  const url = new URL(returnUrl);
  url.searchParams.set('svcPaymentId', paymentId);
  url.searchParams.set('svcResult', result);
  return url.href;
}

/** `{orderNo}-{2-digit attempt}`: what the provider knows an attempt by. */
export const pgOrderId = (orderNo: string, attempt: number): string => `${orderNo}-${String(attempt).padStart(2, '0')}`;

export const PAYMENT_METHODS = ['CARD', 'EASY_PAY', 'BANK_TRANSFER', 'VIRTUAL_ACCOUNT', 'MOBILE'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];
/** What a store offers at present; virtual accounts are left out by D22. */
export const OFFERED: readonly { pg: 'tosspayments'; method: PaymentMethod; provider: string | null; label: string }[] = [
  { pg: 'tosspayments', method: 'CARD', provider: null, label: '신용·체크카드' },
];

export const REFUND_STATUSES = ['PENDING', 'HELD', 'DONE', 'FAILED'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];
