/** PortOne V2 as its API documents it: confirm of a payment token, read, cancel. The channel is one of TossPayments. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviours } from './behaviours.ts';
import { type Approval, approve, AUTHENTICATION_MS, cancel, type CancelRefusal, newCancel } from './cards.ts';
import { failureOf, messageOf } from './codes.ts';
import type { Answer, Call, Protocol } from './gateway.ts';
import { type Environment, isStoreOf, type Key, portoneKey } from './merchants.ts';
import { balanceOf, type Cancel, cancellableOf, cancelsOf, isRunning, type Payment, type Payments } from './payments.ts';

const refuse = (status: number, type: string, message = type): Answer => ({ status, body: { type, message } });
const pgProvider = (pgCode: string): Answer => ({
  status: 502,
  body: { type: 'PG_PROVIDER', message: 'PG사에서 오류를 전달한 경우', pgCode, pgMessage: messageOf(pgCode) },
});

const LATE_MS = 3000;
const HOUR_MS = 3_600_000;

const CANCEL_REFUSALS: Readonly<Record<CancelRefusal, Answer>> = {
  NOT_PAID: refuse(409, 'PAYMENT_NOT_PAID', '결제가 완료되지 않은 경우'),
  ALREADY_CANCELED: refuse(409, 'PAYMENT_ALREADY_CANCELLED', '결제가 이미 취소된 경우'),
  EXCEEDS: refuse(409, 'CANCEL_AMOUNT_EXCEEDS_CANCELLABLE_AMOUNT', '결제 취소 금액이 취소 가능 금액을 초과한 경우'),
  RUNNING: refuse(409, 'CANCEL_AMOUNT_EXCEEDS_CANCELLABLE_AMOUNT', '결제 취소 금액이 취소 가능 금액을 초과한 경우'),
  FAILING_CARD: pgProvider('FAILED_METHOD_HANDLING_CANCEL'),
};

export class PortOne implements Protocol {
  readonly pg = 'portone';
  readonly keyFormat = /^"[\w-]{16,256}"$/;
  readonly keyRetentionMs = 3 * HOUR_MS;
  readonly refusals = {
    unauthorized: refuse(401, 'UNAUTHORIZED', '인증 정보가 올바르지 않은 경우'),
    isRunning: refuse(409, 'IDEMPOTENCY_OUTSTANDING_REQUEST'),
    badKey: refuse(400, 'INVALID_REQUEST', 'Idempotency-Key'),
    badBody: refuse(400, 'INVALID_REQUEST', '요청된 입력 정보가 유효하지 않은 경우'),
  };
  readonly #payments: Payments;
  readonly #behaviours: Behaviours;

  constructor(payments: Payments, behaviours: Behaviours) {
    this.#payments = payments;
    this.#behaviours = behaviours;
  }

  authenticate(authorization: string): Key | null {
    return portoneKey(/^PortOne (.+)$/.exec(authorization)?.[1] ?? '');
  }

  subject(call: Call): { orderId: string; environment: Environment | null } {
    const { paymentId } = parse(call.path);
    const key = this.authenticate(call.header('authorization') ?? '');
    return { orderId: paymentId, environment: (key && this.#payments.byOrder(key, paymentId)?.environment) ?? null };
  }

  demanded(): null {
    return null;
  }

  async answer(key: Key, { method, path, query, body }: Call): Promise<Answer> {
    const { paymentId, action } = parse(path);
    if (paymentId === '' || (method === 'GET') !== (action === undefined)) return refuse(404, 'NOT_FOUND');
    const storeId = action === undefined ? (query.get('storeId') ?? undefined) : body['storeId'];
    const payment = isStoreOf(key, storeId) ? this.#payments.byOrder(key, paymentId) : undefined;
    if (action === undefined) return this.#read(payment, paymentId);
    if (!payment) return NOT_FOUND;
    return action === 'confirm' ? this.#confirm(key, payment, body) : this.#answerCancel(payment, body);
  }

  #read(payment: Payment | undefined, paymentId: string): Answer {
    const behaviour = this.#behaviours.take('read', paymentId, this.pg);
    if (behaviour === 'fail') return ERROR;
    if (!payment) return NOT_FOUND;
    const { orderId, paymentKey } = payment;
    return {
      status: 200,
      body: show(behaviour === 'foreign' ? { ...payment, orderId: `${orderId}x`, paymentKey: `${paymentKey}x` } : payment),
    };
  }

  async #confirm(key: Key, { orderId, state }: Payment, body: Call['body']): Promise<Answer> {
    if (state === 'PAID') return refuse(409, 'ALREADY_PAID', '결제가 이미 완료된 경우');
    const { paymentToken } = body;
    if (typeof paymentToken !== 'string') return this.refusals.badBody;
    const payment = this.#payments.ofOrder(key, orderId).find((one) => one.paymentToken === paymentToken);
    if (!payment) return INVALID_TOKEN;
    if (!fits(payment, body)) return refuse(409, 'INFORMATION_MISMATCH', '결제 정보가 일치하지 않는 경우');
    if (payment.state === 'FAILED') return pgProvider(payment.failure!.code);
    if (payment.state !== 'AUTHENTICATED') return INVALID_TOKEN;
    if (Date.now() - payment.authenticatedAt > AUTHENTICATION_MS) {
      this.#payments.fail(payment, 'EXPIRED', failureOf('NOT_FOUND_PAYMENT_SESSION'));
      return INVALID_TOKEN;
    }
    return confirmed(payment, await approve(this.#payments, payment, this.#behaviours.take('confirm', orderId, this.pg)));
  }

  /**
   * Behaviours of a cancel: respond with another cancel (`foreign`), refuse with a failed cancellation (`refuse`), fail without effect
   * (`fail`), lose the response (`drop`) or respond late (`late`).
   */
  async #answerCancel(payment: Payment, body: Call['body']): Promise<Answer> {
    const behaviour = this.#behaviours.take('cancel', payment.orderId, this.pg);
    if (behaviour === 'fail') return CANCEL_REFUSALS.FAILING_CARD;
    const answer = this.#cancel(payment, body, behaviour);
    if (behaviour === 'late') await sleep(LATE_MS);
    return { ...answer, isLost: behaviour === 'drop' };
  }

  #cancel(payment: Payment, { amount, reason, currentCancellableAmount: expected }: Call['body'], behaviour?: string): Answer {
    if (typeof reason !== 'string' || reason === '' || !isAmount(amount) || !isAmount(expected)) return this.refusals.badBody;
    if (behaviour === 'foreign') return cancelAnswer(newCancel((amount ?? balanceOf(payment)) + 1, 'x'));
    if (behaviour === 'refuse') return this.#refuseCancel(payment, amount, reason);
    const isCancellable = payment.state === 'PAID' && balanceOf(payment) > 0;
    if (isCancellable && expected !== undefined && expected !== cancellableOf(payment))
      return refuse(409, 'CANCELLABLE_AMOUNT_CONSISTENCY_BROKEN', '취소 가능 잔액 검증에 실패한 경우');
    const made = cancel(this.#payments, payment, amount ?? null, reason);
    return typeof made === 'string' ? CANCEL_REFUSALS[made] : cancelAnswer(made);
  }

  #refuseCancel(payment: Payment, amount: number | undefined, reason: string): Answer {
    const refused = { ...newCancel(amount ?? balanceOf(payment), reason), isRefused: true };
    this.#payments.addCancel(payment, refused);
    return cancelAnswer(refused);
  }
}

const NOT_FOUND = refuse(404, 'PAYMENT_NOT_FOUND', '결제 건이 존재하지 않는 경우');
const INVALID_TOKEN = refuse(400, 'INVALID_PAYMENT_TOKEN', '결제 토큰이 유효하지 않은 경우');
const ERROR = refuse(500, 'INTERNAL_SERVER_ERROR');
const isAmount = (value: unknown): value is number | undefined => value === undefined || Number.isSafeInteger(value);

function parse(path: string): { paymentId: string; action: string | undefined } {
  const [, paymentId, action] = /^\/payments\/([^/]+)(?:\/(confirm|cancel))?$/.exec(path) ?? [];
  return { paymentId: decodeURIComponent(paymentId ?? ''), action };
}

/** Whether a confirm says what the payment is; everything in it but the token is optional. */
const fits = (payment: Payment, { txId, totalAmount, currency, isTest }: Call['body']): boolean =>
  (txId ?? payment.paymentKey) === payment.paymentKey &&
  (totalAmount ?? payment.totalAmount) === payment.totalAmount &&
  (currency ?? 'KRW') === 'KRW' &&
  (isTest ?? payment.environment === 'TEST') === (payment.environment === 'TEST');

function confirmed(payment: Payment, approval: Approval): Answer {
  if (approval.result === 'PAID')
    return { status: 200, body: { pgTxId: pgTxIdOf(payment), paidAt: paidAtOf(payment) }, isLost: approval.isLost };
  if (approval.result === 'DECLINED') return pgProvider(approval.code);
  return approval.result === 'ERROR' ? ERROR : refuse(401, 'UNAUTHORIZED');
}
const pgTxIdOf = ({ paymentKey }: Payment): string => `tgen_${paymentKey.replaceAll('-', '')}`;
const paidAtOf = ({ paidAt }: Payment): string => new Date(paidAt ?? 0).toISOString();

/** The status of a payment in the words of PortOne. */
export function portoneStatus(payment: Payment): string {
  if (payment.state !== 'PAID') return { READY: 'READY', AUTHENTICATED: 'READY', FAILED: 'FAILED', EXPIRED: 'FAILED' }[payment.state];
  if (cancelsOf(payment).length === 0) return 'PAID';
  return balanceOf(payment) === 0 ? 'CANCELLED' : 'PARTIAL_CANCELLED';
}

const METHODS = {
  CARD: 'PaymentMethodCard',
  EASY_PAY: 'PaymentMethodEasyPay',
  BANK_TRANSFER: 'PaymentMethodTransfer',
  VIRTUAL_ACCOUNT: 'PaymentMethodVirtualAccount',
  MOBILE: 'PaymentMethodMobile',
} as const;

/** A payment as the API returns it. */
function show(payment: Payment): object {
  const { orderId, paymentKey, storeId, merchant, orderName, totalAmount, method, easyPay, state, failure, cancels } = payment;
  const isPaid = state === 'PAID';
  return {
    status: portoneStatus(payment),
    id: orderId,
    transactionId: paymentKey,
    merchantId: `merchant-${merchant}`,
    storeId,
    ...(state !== 'READY' && { method: { type: METHODS[method], ...(easyPay !== null && { provider: easyPay }) } }),
    channel: { type: payment.environment, key: payment.channelKey, pgProvider: 'TOSSPAYMENTS', pgMerchantId: merchant },
    version: 'V2',
    requestedAt: new Date(payment.requestedAt).toISOString(),
    orderName,
    amount: {
      total: totalAmount,
      taxFree: 0,
      discount: 0,
      paid: isPaid ? totalAmount : 0,
      cancelled: isPaid ? totalAmount - balanceOf(payment) : 0,
      cancelledTaxFree: 0,
    },
    currency: 'KRW',
    ...(isPaid && { paidAt: paidAtOf(payment), pgTxId: pgTxIdOf(payment) }),
    ...(cancels.length > 0 && { cancellations: cancels.map(showCancel) }),
    ...(failure && { failure: { reason: failure.message, pgCode: failure.code, pgMessage: failure.message } }),
  };
}

const cancelAnswer = (cancel: Cancel): Answer => ({ status: 200, body: { cancellation: showCancel(cancel) } });
function showCancel(cancel: Cancel): object {
  const accepted = isRunning(cancel) ? 'REQUESTED' : 'SUCCEEDED';
  const status = cancel.isRefused ? 'FAILED' : accepted;
  return {
    status,
    id: cancel.id,
    pgCancellationId: cancel.id,
    totalAmount: cancel.amount,
    taxFreeAmount: 0,
    vatAmount: 0,
    reason: cancel.reason,
    ...(status === 'SUCCEEDED' && { cancelledAt: new Date(cancel.doneAt).toISOString() }),
    requestedAt: cancel.at,
  };
}
