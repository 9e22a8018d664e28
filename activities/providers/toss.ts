/**
 * The client of TossPayments' HTTP API (docs/contract.md#outcomes). A response counts only when its order id, amount and payment key are
 * those of the attempt (X17): one account may serve many stores.
 */
import { randomUUID } from 'node:crypto';
import { isKnownDecline, providerMessage, safeCode } from '../../domain/payments/failures.ts';
import type { TossCredentials } from '../../domain/payments/providers.ts';
import {
  approved,
  type Cancel,
  declined,
  foreign,
  lost,
  MISMATCH,
  notFound,
  type ProviderAnswer,
  type ProviderCharge,
  READ_MS,
  refundAnswer,
  refundReason,
  refusedConfirm,
  unauthorized,
  unknown,
  unpaid,
  type Verification,
  voidReason,
  withCancels,
} from './answers.ts';
import type { PaymentProvider } from './port.ts';
import { createWire, type Received, type Wire } from './wire.ts';

const CONFIRM_MS = 60_000;

/** 4xx codes that do not tell whether the payment was charged. */
const AMBIGUOUS = new Set([
  'ALREADY_PROCESSED_PAYMENT',
  'DUPLICATED_ORDER_ID',
  'IDEMPOTENT_REQUEST_PROCESSING',
  'FORBIDDEN_CONSECUTIVE_REQUEST',
  'PROVIDER_ERROR',
  'CARD_PROCESSING_ERROR',
]);
/** Codes under which our first request may still be processed. */
const RUNNING = new Set(['IDEMPOTENT_REQUEST_PROCESSING', 'FORBIDDEN_CONSECUTIVE_REQUEST']);
/** Codes of a 403 that is about our key; any other is about the payment. */
const KEY_REFUSED = new Set(['UNAUTHORIZED_KEY', 'INVALID_API_KEY', 'FORBIDDEN_REQUEST', 'INCORRECT_BASIC_AUTH_FORMAT', 'HTTP_403']);

const METHODS: ReadonlyMap<string, string> = new Map([
  ['카드', 'CARD'],
  ['간편결제', 'EASY_PAY'],
  ['계좌이체', 'BANK_TRANSFER'],
  ['가상계좌', 'VIRTUAL_ACCOUNT'],
  ['휴대폰', 'MOBILE'],
]);

interface TossPayment {
  readonly paymentKey?: string;
  readonly orderId?: string;
  readonly totalAmount?: number;
  readonly balanceAmount?: number;
  readonly status?: string;
  readonly method?: string | null;
  readonly easyPay?: object | null;
  readonly cancels?: readonly { readonly cancelReason?: string; readonly cancelAmount?: number; readonly cancelStatus?: string }[] | null;
  readonly failure?: { readonly code?: string; readonly message?: string } | null;
  readonly code?: string;
  readonly message?: string;
}

export function createToss(baseUrl: string, { secretKey }: TossCredentials): PaymentProvider {
  const call = createWire<TossPayment>(baseUrl, `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`);
  return { ...approvals(call), ...refunds(call) };
}
const read = (call: Wire<TossPayment>, path: string, limit = READ_MS) => call({ method: 'GET', path: `/v1/payments/${path}`, limit });
const post = (call: Wire<TossPayment>, path: string, body: object, key: string, limit: number | AbortSignal = CONFIRM_MS) =>
  call({ method: 'POST', path: `/v1/payments/${path}`, body, limit, headers: { 'idempotency-key': key } });
/** Only attempts with a payment key reach the provider. */
const keyOf = ({ paymentKey }: ProviderCharge): string => encodeURIComponent(paymentKey ?? '');

function approvals(call: Wire<TossPayment>): Pick<PaymentProvider, 'confirm' | 'read' | 'void' | 'verify'> {
  return {
    async confirm(charge, limit) {
      const { paymentKey, pgOrderId: orderId, amount } = charge;
      const reply = await post(call, 'confirm', { paymentKey, orderId, amount }, `confirm-${charge.attemptId}`, limit);
      if ('lost' in reply) return lost(reply.lost);
      const { status, json } = reply;
      if (status === 200) {
        if (!isOurs(json, charge)) return unknown(MISMATCH, true);
        return json.status === 'DONE' ? approved(methodOf(json)) : unknown(statusOf(json), true);
      }
      if (isRefused(reply)) return refusedConfirm(status, codeOf(json, status), json.message);
      const code = codeOf(json, status);
      return isDefinite(status, code) ? declined(code, json.message) : inconclusive(reply);
    },
    /**
     * Reads the payment by our order id. When another payment has this order id, ours is read by its payment key too; when the other is
     * charged and ours is not, the result is FOREIGN.
     */
    async read(charge) {
      const reply = await read(call, `orders/${encodeURIComponent(charge.pgOrderId)}`);
      if ('lost' in reply) return lost(reply.lost);
      if (reply.status !== 200) return failedReading(reply);
      if (reply.json.paymentKey === charge.paymentKey) return outcomeOf(reply.json, charge);
      const ours = await read(call, keyOf(charge));
      if ('lost' in ours) return lost(ours.lost);
      const answer = ours.status === 200 ? outcomeOf(ours.json, charge) : failedReading(ours);
      return answer.result === 'UNPAID' && isCharged(reply.json) ? foreign(MISMATCH) : answer;
    },
    async void(charge, key) {
      const reply = await post(call, `${keyOf(charge)}/cancel`, { cancelReason: voidReason(charge.attemptId) }, key);
      if ('lost' in reply) return lost(reply.lost);
      const { status, json } = reply;
      if (isRefused(reply)) return unauthorized(codeOf(json, status), json.message);
      if (status === 200 && !isOurs(json, charge)) return unknown(MISMATCH, false);
      const isRequested = cancelsOf(json).some(({ state }) => state === 'REQUESTED');
      const isDone = status === 200 ? json.status === 'CANCELED' && !isRequested : json.code === 'ALREADY_CANCELED_PAYMENT';
      const answer = unknown(status === 200 ? statusOf(json) : codeOf(json, status), false);
      return { ...answer, result: isDone ? 'VOIDED' : 'UNKNOWN', ...(status === 404 && { isNotFound: true }) };
    },
    async verify(limitMs) {
      const reply = await read(call, `orders/verify-${randomUUID()}`, limitMs);
      return 'lost' in reply ? 'UNAVAILABLE' : verificationOf(reply);
    },
  };
}

function refunds(call: Wire<TossPayment>): Pick<PaymentProvider, 'refund' | 'findRefund'> {
  return {
    async refund(charge, refund) {
      const { refundId, amount, key } = refund;
      const body = { cancelReason: refundReason(refundId), cancelAmount: amount };
      const reply = await post(call, `${keyOf(charge)}/cancel`, body, key);
      if ('lost' in reply) return lost(reply.lost);
      const { status, json } = reply;
      if (status === 200 && !isOurs(json, charge)) return unknown(MISMATCH, true);
      if (status === 200) {
        const answer = refundAnswer(cancelsOf(json), refund, statusOf(json));
        return answer.result === 'ABSENT' ? { ...answer, result: 'UNKNOWN' } : answer;
      }
      const code = codeOf(json, status);
      if (isRefused(reply)) return unauthorized(code, json.message);
      if (!isDefinite(status, code)) return inconclusive(reply);
      const refused = { ...unknown(code, true), result: 'REFUSED', message: providerMessage(json.message) } as const;
      return status === 404 ? { ...refused, isNotFound: true } : refused;
    },
    /** FOREIGN: it is another payment. */
    async findRefund(charge, refund) {
      const reply = await read(call, keyOf(charge));
      if ('lost' in reply) return lost(reply.lost);
      const { status, json } = reply;
      if (status === 404) return { ...unknown(codeOf(json, status), false), isNotFound: true };
      if (status !== 200) return failedReading(reply);
      return isOurs(json, charge) ? refundAnswer(cancelsOf(json), refund, statusOf(json)) : foreign(MISMATCH);
    },
  };
}

/** A definite failure: 4xx, but no timeout, rate limit or ambiguous code. */
const isDefinite = (status: number, code: string): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429 && !AMBIGUOUS.has(code);
/** Our key was refused, so nothing was done. */
const isRefused = ({ status, json }: Received<TossPayment>): boolean =>
  status === 401 || (status === 403 && KEY_REFUSED.has(codeOf(json, status)));

function verificationOf({ status, json }: Received<TossPayment>): Verification {
  if (status === 401 || status === 403) return 'UNAUTHORIZED';
  return status === 404 && json.code === 'NOT_FOUND_PAYMENT' ? 'VERIFIED' : 'UNAVAILABLE';
}

/** The outcome of a payment as it was read. READY and IN_PROGRESS: authenticated at most, not charged yet. */
function outcomeOf(payment: TossPayment, charge: ProviderCharge): ProviderAnswer {
  if (!isOurs(payment, charge)) return foreign(MISMATCH);
  return withCancels(statusAnswer(payment), cancelsOf(payment), charge.attemptId);
}
function statusAnswer(payment: TossPayment): ProviderAnswer {
  switch (payment.status) {
    case 'DONE':
      return approved(methodOf(payment));
    case 'ABORTED':
    case 'EXPIRED':
      return declined(payment.failure?.code === undefined ? payment.status : codeOf(payment.failure, 200), payment.failure?.message);
    case 'CANCELED':
      return { ...unknown('CANCELED', true), result: 'VOIDED' };
    case 'READY':
    case 'IN_PROGRESS':
      return unpaid(payment.status);
    case undefined:
    default:
      return unknown(statusOf(payment), false);
  }
}

const isOurs = (payment: TossPayment, charge: ProviderCharge): boolean =>
  payment.paymentKey === charge.paymentKey && payment.orderId === charge.pgOrderId && payment.totalAmount === charge.amount;
/** The payment was charged, even when it was canceled later. */
const isCharged = ({ status }: TossPayment): boolean => status === 'DONE' || status === 'PARTIAL_CANCELED' || status === 'CANCELED';
const methodOf = ({ method, easyPay }: TossPayment): string => (easyPay ? 'EASY_PAY' : (METHODS.get(method ?? '') ?? 'CARD'));

const codeOf = ({ code }: { readonly code?: string }, status: number): string => safeCode(code, `HTTP_${status}`);
const statusOf = ({ status }: TossPayment): string => safeCode(status, 'NO_STATUS');

/** An older entry without a status is done. */
const CANCEL_STATES: Readonly<Record<string, Cancel['state']>> = { IN_PROGRESS: 'REQUESTED', ABORTED: 'FAILED', FAILED: 'FAILED' };
const cancelsOf = ({ cancels }: TossPayment): Cancel[] =>
  (cancels ?? []).map(({ cancelReason, cancelAmount, cancelStatus }) => ({
    reason: cancelReason ?? '',
    amount: cancelAmount,
    state: CANCEL_STATES[cancelStatus ?? ''] ?? 'DONE',
  }));

/** A reading that shows no payment. */
function failedReading({ status, json }: Received<TossPayment>): ProviderAnswer {
  if (status === 404) return notFound();
  const code = codeOf(json, status);
  if (status === 401 || status === 403) return unauthorized(code, json.message);
  return { ...unknown(code, false), ...(status >= 500 && { isTechnical: true }) };
}
/** An error that does not tell whether money moved. `ended`: our request is no longer processed. */
function inconclusive({ status, json }: Received<TossPayment>): ProviderAnswer {
  const code = codeOf(json, status);
  const answer = { ...unknown(code, !RUNNING.has(code) && status !== 408 && status !== 429), message: providerMessage(json.message) };
  return status >= 500 && !isKnownDecline(code) ? { ...answer, isTechnical: true } : answer;
}
