/**
 * The client of TossPayments' HTTP API (docs/contract.md#outcomes). An outcome is a success, a definite failure or unknown. A response
 * counts only when its order id, amount and payment key are those of the attempt (X17): one account may serve many stores.
 */
import { providerMessage } from '../../domain/payments/failures.ts';
import type { ProviderOutcome } from '../../domain/payments/messages.ts';

export interface TossConfig {
  readonly baseUrl: string;
  readonly secretKey: string;
}
export interface TossAttempt {
  readonly attemptId: string;
  readonly pgOrderId: string;
  readonly paymentKey: string;
  readonly amount: number;
}
export interface TossRefund {
  readonly refundId: string;
  readonly amount: number;
  readonly key: string;
}
/** An answer with the provider's message about our request, which only the seller may see; never about another payment (X17). */
export type TossAnswer = ProviderOutcome & { readonly message: string | null };

const CONFIRM_MS = 60_000;
const READ_MS = 10_000;

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
type Reply = { readonly status: number; readonly json: TossPayment } | { readonly lost: string };

/** `limit`: its time in milliseconds, or the signal that aborts it; nothing is sent when that was given already. */
type Wire = (method: 'GET' | 'POST', path: string, limit: number | AbortSignal, body?: object, key?: string) => Promise<Reply>;

function wireTo(config: TossConfig): Wire {
  const authorization = `Basic ${Buffer.from(`${config.secretKey}:`).toString('base64')}`;
  return async (method, path, limit, body, key) => {
    try {
      const response = await fetch(config.baseUrl + path, {
        method,
        headers: { authorization, 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
        signal: typeof limit === 'number' ? AbortSignal.timeout(limit) : limit,
        redirect: 'manual',
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      try {
        const json: unknown = JSON.parse(text);
        return typeof json === 'object' && json !== null ? { status: response.status, json } : { lost: `HTTP_${response.status}` };
      } catch {
        return { lost: `HTTP_${response.status}` };
      }
    } catch (error) {
      return { lost: error instanceof Error && error.name === 'TimeoutError' ? TIMEOUT : 'CONNECTION' };
    }
  };
}

export const createToss = (config: TossConfig) => ({ ...approvals(wireTo(config)), ...refunds(wireTo(config)) });

function approvals(call: Wire) {
  return {
    /** Requests the approval, under an idempotency key per attempt. */
    async confirm(attempt: TossAttempt, limit: number | AbortSignal = CONFIRM_MS): Promise<TossAnswer> {
      const { paymentKey, pgOrderId: orderId, amount } = attempt;
      const reply = await call('POST', '/v1/payments/confirm', limit, { paymentKey, orderId, amount }, `confirm-${attempt.attemptId}`);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status === 200) {
        if (!isOurs(json, attempt)) return unknown(MISMATCH, true);
        return json.status === 'DONE' ? approved(json) : unknown(statusOf(json), true);
      }
      const code = codeOf(json, status);
      if (isDefinite(status, code)) return declined(code, json.message);
      return inconclusive(json, status);
    },
    /**
     * Reads the payment by our order id, which resolves an unknown outcome. When another payment has this order id, ours is read by its
     * payment key too; when the other is charged and ours is not, the result is FOREIGN.
     */
    async read(attempt: TossAttempt): Promise<TossAnswer> {
      const reply = await call('GET', `/v1/payments/orders/${encodeURIComponent(attempt.pgOrderId)}`, READ_MS);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status === 404) return unpaid('NOT_FOUND');
      if (status !== 200) return unknown(codeOf(json, status), false);
      if (json.paymentKey === attempt.paymentKey) return outcomeOf(json, attempt);
      const ours = await call('GET', `/v1/payments/${encodeURIComponent(attempt.paymentKey)}`, READ_MS);
      if ('lost' in ours) return unknown(ours.lost, false);
      if (ours.status !== 200 && ours.status !== 404) return unknown(codeOf(ours.json, ours.status), false);
      const answer = ours.status === 404 ? unpaid('NOT_FOUND') : outcomeOf(ours.json, attempt);
      return answer.result === 'UNPAID' && isCharged(json) ? foreign(MISMATCH) : answer;
    },
    /**
     * Cancels the whole payment. Each request has its own idempotency key, because the provider replays a stored error forever; a full
     * cancel cannot happen twice.
     */
    async void(attempt: TossAttempt, key: string): Promise<TossAnswer> {
      const path = `/v1/payments/${encodeURIComponent(attempt.paymentKey)}/cancel`;
      const reply = await call('POST', path, CONFIRM_MS, { cancelReason: `[void-${attempt.attemptId}]` }, key);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status === 200 && !isOurs(json, attempt)) return unknown(MISMATCH, false);
      const isDone = status === 200 ? json.status === 'CANCELED' : json.code === 'ALREADY_CANCELED_PAYMENT';
      return { ...unknown(status === 200 ? statusOf(json) : codeOf(json, status), false), result: isDone ? 'VOIDED' : 'UNKNOWN' };
    },
  };
}

function refunds(call: Wire) {
  return {
    /** A partial cancel. The reason contains the refund id, which identifies it after the idempotency key has expired too. */
    async refund(attempt: TossAttempt, { refundId, amount, key }: TossRefund): Promise<TossAnswer> {
      const path = `/v1/payments/${encodeURIComponent(attempt.paymentKey)}/cancel`;
      const reply = await call('POST', path, CONFIRM_MS, { cancelReason: `환불 [${refundId}]`, cancelAmount: amount }, key);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status === 200 && !isOurs(json, attempt)) return unknown(MISMATCH, true);
      if (status === 200) return { ...unknown(statusOf(json), true), result: hasRefund(json, refundId, amount) ? 'REFUNDED' : 'UNKNOWN' };
      const code = codeOf(json, status);
      // 401: our configuration is wrong, not the refund; it is requested again when that is repaired.
      if (status !== 401 && isDefinite(status, code))
        return { ...unknown(code, true), result: 'REFUSED', message: providerMessage(json.message) };
      return inconclusive(json, status);
    },
    /** Whether the payment's cancels contain the refund, which resolves an unknown outcome. FOREIGN: it is another payment. */
    async findRefund(attempt: TossAttempt, { refundId, amount }: TossRefund): Promise<TossAnswer> {
      const reply = await call('GET', `/v1/payments/${encodeURIComponent(attempt.paymentKey)}`, READ_MS);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status !== 200) return unknown(codeOf(json, status), false);
      if (!isOurs(json, attempt)) return foreign(MISMATCH);
      return { ...unknown(statusOf(json), true), result: hasRefund(json, refundId, amount) ? 'REFUNDED' : 'ABSENT' };
    },
  };
}

/** A definite failure: 4xx, but no timeout, rate limit or ambiguous code. */
const isDefinite = (status: number, code: string): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429 && !AMBIGUOUS.has(code);

/** The outcome of a payment as it was read. READY and IN_PROGRESS: authenticated at most, not charged yet. */
function outcomeOf(payment: TossPayment, attempt: TossAttempt): TossAnswer {
  if (!isOurs(payment, attempt)) return foreign(MISMATCH);
  switch (payment.status) {
    case 'DONE':
      return approved(payment);
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

/** The code of a request that was not answered in its time. */
export const TIMEOUT = 'TIMEOUT';
/** The code of a response about another payment. */
export const MISMATCH = 'MISMATCH';
const isOurs = (payment: TossPayment, attempt: TossAttempt): boolean =>
  payment.paymentKey === attempt.paymentKey && payment.orderId === attempt.pgOrderId && payment.totalAmount === attempt.amount;
/** The payment was charged, even when it was canceled later. */
const isCharged = ({ status }: TossPayment): boolean => status === 'DONE' || status === 'PARTIAL_CANCELED' || status === 'CANCELED';

/** Only codes may reach Temporal (X24): any other text becomes OTHER. */
const safeCode = (text: unknown, otherwise: string): string =>
  text === undefined ? otherwise : typeof text === 'string' && /^[A-Z][A-Z0-9_]{0,59}$/.test(text) ? text : 'OTHER';
const codeOf = ({ code }: { readonly code?: string }, status: number): string => safeCode(code, `HTTP_${status}`);
const statusOf = ({ status }: TossPayment): string => safeCode(status, 'NO_STATUS');

const hasRefund = ({ cancels }: TossPayment, refundId: string, amount: number): boolean =>
  (cancels ?? []).some((entry) => entry.cancelReason?.endsWith(`[${refundId}]`) === true && entry.cancelAmount === amount);

const approved = ({ method, easyPay }: TossPayment): TossAnswer => ({
  result: 'APPROVED',
  code: 'DONE',
  ended: true,
  approvedMethod: easyPay ? 'EASY_PAY' : (METHODS.get(method ?? '') ?? 'CARD'),
  message: null,
});
const declined = (code: string, message?: string): TossAnswer => ({
  result: 'DECLINED',
  code,
  ended: true,
  approvedMethod: null,
  message: providerMessage(message),
});
const unknown = (code: string, ended: boolean): TossAnswer => ({ result: 'UNKNOWN', code, ended, approvedMethod: null, message: null });
/** An error that does not tell whether money moved. `ended`: our request is no longer processed. */
const inconclusive = (json: TossPayment, status: number): TossAnswer => {
  const code = codeOf(json, status);
  return { ...unknown(code, !RUNNING.has(code) && status !== 408 && status !== 429), message: providerMessage(json.message) };
};
const unpaid = (code: string): TossAnswer => ({ ...unknown(code, true), result: 'UNPAID' });
const foreign = (code: string): TossAnswer => ({ ...unknown(code, true), result: 'FOREIGN' });
