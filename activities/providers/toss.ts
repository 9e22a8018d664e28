/**
 * TossPayments over its real wire protocol (docs/contract.md#outcomes). Every answer is classified into three, never two, and
 * counts only when order id, amount and payment key are ours (X17): one account may serve many stores.
 */
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
/** An answer with the provider's own words, which only the seller's side may see. */
export type TossAnswer = ProviderOutcome & { readonly message: string | null };

const CONFIRM_MS = 60_000;
const READ_MS = 10_000;

/** 4xx codes that say nothing about whether the money moved. */
const AMBIGUOUS = new Set([
  'ALREADY_PROCESSED_PAYMENT',
  'DUPLICATED_ORDER_ID',
  'IDEMPOTENT_REQUEST_PROCESSING',
  'FORBIDDEN_CONSECUTIVE_REQUEST',
  'PROVIDER_ERROR',
  'CARD_PROCESSING_ERROR',
]);
/** Codes under which our first request may still be running. */
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

type Wire = (method: 'GET' | 'POST', path: string, timeoutMs: number, body?: object, key?: string) => Promise<Reply>;

function wireTo(config: TossConfig): Wire {
  const authorization = `Basic ${Buffer.from(`${config.secretKey}:`).toString('base64')}`;
  return async (method, path, timeoutMs, body, key) => {
    try {
      const response = await fetch(config.baseUrl + path, {
        method,
        headers: { authorization, 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
        signal: AbortSignal.timeout(timeoutMs),
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
      return { lost: error instanceof Error && error.name === 'TimeoutError' ? 'TIMEOUT' : 'CONNECTION' };
    }
  };
}

export const createToss = (config: TossConfig) => ({ ...approvals(wireTo(config)), ...refunds(wireTo(config)) });

function approvals(call: Wire) {
  return {
    /** Asks for the approval; the key is the attempt's own, so asking again repeats nothing. */
    async confirm(attempt: TossAttempt): Promise<TossAnswer> {
      const { paymentKey, pgOrderId: orderId, amount } = attempt;
      const reply = await call('POST', '/v1/payments/confirm', CONFIRM_MS, { paymentKey, orderId, amount }, `confirm-${attempt.attemptId}`);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status === 200) {
        if (!isOurs(json, attempt)) return unknown(MISMATCH, true);
        return json.status === 'DONE' ? approved(json) : unknown(statusOf(json), true);
      }
      const code = codeOf(json, status);
      if (isDefinite(status, code)) return declined(code, json.message);
      return unknown(code, !RUNNING.has(code) && status !== 408 && status !== 429);
    },
    /**
     * Reads by our order id: the judge of every unknown outcome. Where another payment stands under it, our own key is
     * asked for as well; when that was not charged and the other was, nothing was charged by us: FOREIGN.
     */
    async read(attempt: TossAttempt): Promise<TossAnswer> {
      const reply = await call('GET', `/v1/payments/orders/${encodeURIComponent(attempt.pgOrderId)}`, READ_MS);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status === 404) return unpaid('NOT_FOUND');
      if (status !== 200) return unknown(codeOf(json, status), false);
      if (json.paymentKey === attempt.paymentKey) return judge(json, attempt);
      const ours = await call('GET', `/v1/payments/${encodeURIComponent(attempt.paymentKey)}`, READ_MS);
      if ('lost' in ours) return unknown(ours.lost, false);
      if (ours.status !== 200 && ours.status !== 404) return unknown(codeOf(ours.json, ours.status), false);
      const answer = ours.status === 404 ? unpaid('NOT_FOUND') : judge(ours.json, attempt);
      return answer.result === 'UNPAID' && isCharged(json) ? foreign(MISMATCH) : answer;
    },
    /**
     * Cancels all of a payment that must not be; done when nothing is left of it. Each try has a key of its own: a kept
     * error would be answered for ever, and a full cancel cannot happen twice.
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
    /** Pays a part back. The refund's id stands in the reason, so that our own entry is known after the key's lifetime too. */
    async refund(attempt: TossAttempt, { refundId, amount, key }: TossRefund): Promise<TossAnswer> {
      const path = `/v1/payments/${encodeURIComponent(attempt.paymentKey)}/cancel`;
      const reply = await call('POST', path, CONFIRM_MS, { cancelReason: `환불 [${refundId}]`, cancelAmount: amount }, key);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status === 200 && !isOurs(json, attempt)) return unknown(MISMATCH, true);
      if (status === 200) return { ...unknown(statusOf(json), true), result: shows(json, refundId, amount) ? 'REFUNDED' : 'UNKNOWN' };
      const code = codeOf(json, status);
      // A wrong key is our configuration's fault, not the refund's: it is asked again once that is mended.
      if (status !== 401 && isDefinite(status, code)) return { ...unknown(code, true), result: 'REFUSED', message: json.message ?? null };
      return unknown(code, !RUNNING.has(code) && status !== 408 && status !== 429);
    },
    /** Whether the provider's ledger shows the refund: the judge of every refund whose answer was lost. FOREIGN: it is another payment's. */
    async findRefund(attempt: TossAttempt, { refundId, amount }: TossRefund): Promise<TossAnswer> {
      const reply = await call('GET', `/v1/payments/${encodeURIComponent(attempt.paymentKey)}`, READ_MS);
      if ('lost' in reply) return unknown(reply.lost, false);
      const { status, json } = reply;
      if (status !== 200) return unknown(codeOf(json, status), false);
      if (!isOurs(json, attempt)) return foreign(MISMATCH);
      return { ...unknown(statusOf(json), true), result: shows(json, refundId, amount) ? 'REFUNDED' : 'ABSENT' };
    },
  };
}

/** A no that stands: a 4xx that is neither a time-out nor one of the codes that say nothing. */
const isDefinite = (status: number, code: string): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429 && !AMBIGUOUS.has(code);

/** What a reading under our own key says. READY and IN_PROGRESS: authenticated at most, not charged as of now. */
function judge(payment: TossPayment, attempt: TossAttempt): TossAnswer {
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

/** What an answer about another payment than ours is told with. */
export const MISMATCH = 'MISMATCH';
const isOurs = (payment: TossPayment, attempt: TossAttempt): boolean =>
  payment.paymentKey === attempt.paymentKey && payment.orderId === attempt.pgOrderId && payment.totalAmount === attempt.amount;
/** Money moved under this payment, whatever became of it. */
const isCharged = ({ status }: TossPayment): boolean => status === 'DONE' || status === 'PARTIAL_CANCELED' || status === 'CANCELED';

/** A provider's words stay with the seller: only what looks like a code may stand in Temporal (X24). */
const word = (text: unknown, otherwise: string): string =>
  text === undefined ? otherwise : typeof text === 'string' && /^[A-Z][A-Z0-9_]{0,59}$/.test(text) ? text : 'OTHER';
const codeOf = ({ code }: { readonly code?: string }, status: number): string => word(code, `HTTP_${status}`);
const statusOf = ({ status }: TossPayment): string => word(status, 'NO_STATUS');

const shows = ({ cancels }: TossPayment, refundId: string, amount: number): boolean =>
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
  message: message ?? null,
});
const unknown = (code: string, ended: boolean): TossAnswer => ({ result: 'UNKNOWN', code, ended, approvedMethod: null, message: null });
const unpaid = (code: string): TossAnswer => ({ ...unknown(code, true), result: 'UNPAID' });
const foreign = (code: string): TossAnswer => ({ ...unknown(code, true), result: 'FOREIGN' });
