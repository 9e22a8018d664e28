/**
 * The client of PortOne's V2 HTTP API (Y23 … Y26). Its payment id is our order id. A payment counts only when id, amount, currency and
 * store are those of the attempt, and its channel is of the attempt's environment.
 */
import { randomUUID } from 'node:crypto';
import { ENVIRONMENT_MISMATCH, isKnownDecline, providerMessage, safeCode } from '../../domain/payments/failures.ts';
import type { PortoneCredentials } from '../../domain/payments/providers.ts';
import {
  CANCEL_FAILED,
  CANCEL_REQUESTED,
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
  type Verification,
  voidReason,
} from './answers.ts';
import type { PaymentProvider } from './port.ts';
import {
  type Cancellation,
  cancelsOf,
  codeOf,
  isOurs,
  type Merchant,
  messageOf,
  outcomeOf,
  type PortonePayment,
  statusOf,
} from './portonePayment.ts';
import { createWire, type Received, type Reply, type Wire } from './wire.ts';

/** PortOne advises 60 seconds or more: closing the connection does not cancel the request. */
const CONFIRM_MS = 65_000;
const CANCEL_MS = 60_000;

/** 4xx types that do not tell whether money moved. */
const AMBIGUOUS = new Set([
  'ALREADY_PAID',
  'ALREADY_PAID_OR_WAITING',
  'IDEMPOTENCY_OUTSTANDING_REQUEST',
  'CANCELLABLE_AMOUNT_CONSISTENCY_BROKEN',
]);
const RUNNING = 'IDEMPOTENCY_OUTSTANDING_REQUEST';
/** Codes of the provider behind a 502 with which it refuses a cancel for good. */
const CANCEL_REFUSED = new Set(['NOT_CANCELABLE_PAYMENT', 'EXCEED_MAX_REFUND_DUE', 'NOT_CANCELABLE_AMOUNT', 'ALREADY_CANCELED_PAYMENT']);

/** The API as one store uses it. */
interface Api extends Merchant {
  read(paymentId: string, limit?: number | AbortSignal): Promise<Reply<PortonePayment>>;
  post(path: string, body: object, key: string, limit: number | AbortSignal): Promise<Reply<PortonePayment>>;
}

export function createPortone(baseUrl: string, { storeId, channelKey, apiSecret }: PortoneCredentials): PaymentProvider {
  const call: Wire<PortonePayment> = createWire(baseUrl, `PortOne ${apiSecret}`);
  const api: Api = {
    storeId,
    channelKey,
    read: (paymentId, limit = READ_MS) =>
      call({ method: 'GET', path: `/payments/${encodeURIComponent(paymentId)}?storeId=${encodeURIComponent(storeId)}`, limit }),
    post: (path, body, key, limit) =>
      call({ method: 'POST', path: `/payments/${path}`, body: { storeId, ...body }, limit, headers: { 'idempotency-key': `"${key}"` } }),
  };
  return { ...approvals(api), ...refunds(api) };
}

function approvals(api: Api): Pick<PaymentProvider, 'confirm' | 'read' | 'void' | 'verify'> {
  const readCharge = async (charge: ProviderCharge, limit?: AbortSignal): Promise<ProviderAnswer> => {
    const reply = await api.read(charge.pgOrderId, limit);
    if ('lost' in reply) return lost(reply.lost);
    return reply.status === 200 ? outcomeOf(api, reply.json, charge) : failedReading(reply);
  };
  return {
    /** What a confirm answers is no payment: it is read afterwards. */
    async confirm(charge, limit) {
      const { attemptId, pgOrderId, paymentToken, paymentKey: txId, amount: totalAmount, environment } = charge;
      const isTest = environment === 'TEST';
      const body = { paymentToken, ...(txId !== null && { txId }), totalAmount, currency: 'KRW', isTest };
      const reply = await api.post(`${encodeURIComponent(pgOrderId)}/confirm`, body, `confirm-${attemptId}`, limit ?? CONFIRM_MS);
      if ('lost' in reply) return lost(reply.lost);
      if (reply.status === 200) return afterConfirm(await readCharge(charge, limit));
      const { status, json } = reply;
      if (isRefused(status)) return refusedConfirm(status, safeCode(json.type, 'UNAUTHORIZED'), json.message);
      if (!isDeclined(reply)) return inconclusive(reply);
      return afterDecline(declined(codeOf(json, status), messageOf(json)), await readCharge(charge, limit));
    },
    read: (charge) => readCharge(charge),
    /** The whole of what a reading has just shown, so it is the cancellable amount. */
    async void({ attemptId, pgOrderId, amount }, key) {
      const body = { reason: voidReason(attemptId), currentCancellableAmount: amount, requester: 'ADMIN' };
      const reply = await api.post(`${encodeURIComponent(pgOrderId)}/cancel`, body, key, CANCEL_MS);
      if ('lost' in reply) return lost(reply.lost);
      const { status, json } = reply;
      if (isRefused(status)) return unauthorized(codeOf(json, status), json.message);
      const isDone = status === 200 ? json.cancellation?.status === 'SUCCEEDED' : json.type === 'PAYMENT_ALREADY_CANCELLED';
      const answer = unknown(status === 200 ? safeCode(json.cancellation?.status, 'NO_STATUS') : codeOf(json, status), false);
      return { ...answer, result: isDone ? 'VOIDED' : 'UNKNOWN', ...(status === 404 && { isNotFound: true }) };
    },
    async verify(limitMs) {
      const reply = await api.read(`verify-${randomUUID()}`, limitMs);
      return 'lost' in reply ? 'UNAVAILABLE' : verificationOf(reply);
    },
  };
}

function refunds(api: Api): Pick<PaymentProvider, 'refund' | 'findRefund'> {
  return {
    /** Reads what can be canceled first; a refund that is there already is not requested again. */
    async refund(charge, refund) {
      const known = await api.read(charge.pgOrderId);
      if ('lost' in known) return lost(known.lost);
      const { json: payment } = known;
      if (known.status !== 200) return notSent(failedReading(known));
      if (!isOurs(api, payment, charge)) return foreign(MISMATCH);
      const present = refundAnswer(cancelsOf(payment), refund, statusOf(payment));
      if (present.result === 'REFUNDED' || present.code === CANCEL_REQUESTED) return present;
      const { refundId, amount, key } = refund;
      const currentCancellableAmount = charge.amount - (payment.amount?.cancelled ?? 0);
      const body = { amount, reason: refundReason(refundId), currentCancellableAmount, requester: 'ADMIN' };
      const reply = await api.post(`${encodeURIComponent(charge.pgOrderId)}/cancel`, body, key, CANCEL_MS);
      if ('lost' in reply) return lost(reply.lost);
      return reply.status === 200 ? canceled(reply.json.cancellation ?? {}, amount) : refused(reply);
    },
    /** FOREIGN: it is another payment. */
    async findRefund(charge, refund) {
      const reply = await api.read(charge.pgOrderId);
      if ('lost' in reply) return lost(reply.lost);
      const { status, json } = reply;
      if (status !== 200) return notSent(failedReading(reply));
      return isOurs(api, json, charge) ? refundAnswer(cancelsOf(json), refund, statusOf(json)) : foreign(MISMATCH);
    },
  };
}

const isRefused = (status: number): boolean => status === 401 || status === 403;
/** A definite failure: 4xx without an ambiguous type, or a known decline of the provider behind it. */
function isDeclined({ status, json }: Received<PortonePayment>): boolean {
  if (json.type === 'PG_PROVIDER') return isKnownDecline(json.pgCode);
  return isDefinite(status, json.type);
}
const isDefinite = (status: number, type = ''): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429 && !AMBIGUOUS.has(type);

function verificationOf({ status, json }: Received<PortonePayment>): Verification {
  if (isRefused(status)) return 'UNAUTHORIZED';
  return status === 404 && json.type === 'PAYMENT_NOT_FOUND' ? 'VERIFIED' : 'UNAVAILABLE';
}

/** A confirm was answered with success: its reading counts, unless it shows nothing yet. */
const afterConfirm = (answer: ProviderAnswer): ProviderAnswer => {
  if (answer.result === 'FOREIGN') return unknown(MISMATCH, true);
  if (answer.result !== 'UNPAID' && !answer.isUnauthorized && !answer.isTechnical) return answer;
  return unknown(answer.code, true);
};

/** A channel of the other environment is why a confirm was refused, whatever the refusal says. */
const afterDecline = (refused: ProviderAnswer, read: ProviderAnswer): ProviderAnswer =>
  read.code === ENVIRONMENT_MISMATCH
    ? { ...read, message: refused.message, ...(read.result === 'UNPAID' && { result: 'DECLINED' as const }) }
    : refused;

/** The answer to a cancel. */
function canceled({ status, totalAmount }: Cancellation, amount: number): ProviderAnswer {
  if (status === 'SUCCEEDED' && (totalAmount ?? amount) === amount) return { ...unknown(status, true), result: 'REFUNDED' };
  if (status === 'FAILED') return { ...unknown(CANCEL_FAILED, true), result: 'REFUSED' };
  return unknown(status === 'REQUESTED' ? CANCEL_REQUESTED : safeCode(status, 'NO_STATUS'), true);
}
/** The answer of an error to a cancel. */
function refused(reply: Received<PortonePayment>): ProviderAnswer {
  const { status, json } = reply;
  const code = codeOf(json, status);
  if (isRefused(status)) return unauthorized(code, json.message);
  const isFinal = json.type === 'PG_PROVIDER' ? CANCEL_REFUSED.has(json.pgCode ?? '') : isDefinite(status, json.type);
  if (!isFinal) return inconclusive(reply);
  const answer = { ...unknown(code, true), result: 'REFUSED', message: providerMessage(messageOf(json)) } as const;
  return status === 404 ? { ...answer, isNotFound: true } : answer;
}

/** A reading that shows no payment. */
function failedReading({ status, json }: Received<PortonePayment>): ProviderAnswer {
  if (status === 404) return notFound();
  const code = codeOf(json, status);
  if (isRefused(status)) return unauthorized(code, json.message);
  return { ...unknown(code, false), ...(status >= 500 && { isTechnical: true }) };
}
/** The same where a refund is read: it proves nothing about the refund. */
const notSent = (answer: ProviderAnswer): ProviderAnswer => ({ ...answer, result: 'UNKNOWN', ended: false });
/** An error that does not tell whether money moved. `ended`: our request is no longer processed. */
function inconclusive({ status, json }: Received<PortonePayment>): ProviderAnswer {
  const code = codeOf(json, status);
  const ended = json.type !== RUNNING && status !== 408 && status !== 429;
  const answer = { ...unknown(code, ended), message: providerMessage(messageOf(json)) };
  return status >= 500 && !isKnownDecline(json.pgCode) ? { ...answer, isTechnical: true } : answer;
}
