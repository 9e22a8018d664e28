/** TossPayments as its API documents it: confirm, both reads, cancel. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviours } from './behaviours.ts';
import { type Approval, approve, AUTHENTICATION_MS, cancel, type CancelRefusal, newCancel } from './cards.ts';
import { failureOf, messageOf } from './codes.ts';
import type { Answer, Call, Protocol } from './gateway.ts';
import { type Key, tossKey } from './merchants.ts';
import { balanceOf, cancelsOf, isRunning, type Payment, type Payments } from './payments.ts';

const refuse = (status: number, code: string, message = messageOf(code)): Answer => ({ status, body: { code, message } });

const CONFIRM = '/v1/payments/confirm';
const LATE_MS = 3000;
const DAY_MS = 86_400_000;
const MAX_REASON = 200;

const CANCEL_REFUSALS: Readonly<Record<CancelRefusal, readonly [number, string]>> = {
  NOT_PAID: [403, 'NOT_CANCELABLE_PAYMENT'],
  ALREADY_CANCELED: [400, 'ALREADY_CANCELED_PAYMENT'],
  EXCEEDS: [400, 'EXCEED_CANCEL_AMOUNT'],
  RUNNING: [403, 'FORBIDDEN_CONSECUTIVE_REQUEST'],
  FAILING_CARD: [500, 'FAILED_METHOD_HANDLING_CANCEL'],
};

export class Toss implements Protocol {
  readonly pg = 'tosspayments';
  readonly keyFormat = /^.{1,300}$/;
  readonly keyRetentionMs = 15 * DAY_MS;
  readonly refusals = {
    unauthorized: refuse(401, 'UNAUTHORIZED_KEY'),
    isRunning: refuse(409, 'IDEMPOTENT_REQUEST_PROCESSING'),
    badKey: refuse(400, 'INVALID_IDEMPOTENCY_KEY'),
    badBody: refuse(400, 'INVALID_REQUEST'),
  };
  readonly #payments: Payments;
  readonly #behaviours: Behaviours;

  constructor(payments: Payments, behaviours: Behaviours) {
    this.#payments = payments;
    this.#behaviours = behaviours;
  }

  authenticate(authorization: string): Key | null {
    const [, encoded] = /^Basic (.+)$/.exec(authorization) ?? [];
    const [, secret] = /^(.*):$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
    return tossKey('sk', secret ?? '');
  }

  subject({ path, body }: Call): { orderId: string; environment: null } {
    const { orderId, paymentKey } = parse(path);
    const found = orderId ?? (path === CONFIRM ? body['orderId'] : this.#payments.find(paymentKey ?? '')?.orderId);
    return { orderId: typeof found === 'string' ? found : '', environment: null };
  }

  demanded({ header }: Call): Answer | null {
    const code = header('tosspayments-test-code');
    return code === null ? null : refuse(code.startsWith('FAILED') ? 500 : 403, code);
  }

  async answer(key: Key, call: Call): Promise<Answer> {
    const { orderId, paymentKey, isCancel } = parse(call.path);
    if (call.method === 'POST' && call.path === CONFIRM) return this.#confirm(key, call.body);
    if (call.method === 'POST' && isCancel) return this.#answerCancel(this.#payments.byKey(key, paymentKey!), call.body);
    if (call.method !== 'GET' || isCancel) return refuse(404, 'NOT_FOUND');
    const payment = orderId === undefined ? this.#payments.byKey(key, paymentKey ?? '') : this.#payments.byOrder(key, orderId);
    return this.#read(payment, orderId ?? payment?.orderId ?? '');
  }

  #read(payment: Payment | undefined, orderId: string): Answer {
    const behaviour = this.#behaviours.take('read', orderId, this.pg);
    if (behaviour === 'fail') return refuse(500, 'FAILED_INTERNAL_SYSTEM_PROCESSING');
    if (!payment) return refuse(404, 'NOT_FOUND_PAYMENT');
    return { status: 200, body: show(behaviour === 'foreign' ? another(payment) : payment) };
  }

  async #confirm(key: Key, { paymentKey, orderId, amount }: Call['body']): Promise<Answer> {
    const payment = typeof paymentKey === 'string' ? this.#payments.byKey(key, paymentKey) : undefined;
    // The message quotes the request, as providers' messages may.
    if (!payment)
      return refuse(404, 'NOT_FOUND_PAYMENT_SESSION', `결제 시간이 만료되어 결제 진행 데이터가 존재하지 않습니다: ${String(paymentKey)}`);
    if (payment.orderId !== orderId || payment.totalAmount !== amount) return refuse(400, 'INVALID_REQUEST');
    if (payment.state === 'PAID' && payment.cancels.length === 0) return refuse(400, 'ALREADY_PROCESSED_PAYMENT');
    if (this.#payments.charged(key, payment.orderId)) return refuse(400, 'DUPLICATED_ORDER_ID');
    if (payment.state !== 'AUTHENTICATED') return refuse(403, 'REJECT_CARD_PAYMENT');
    if (Date.now() - payment.authenticatedAt > AUTHENTICATION_MS) {
      this.#payments.fail(payment, 'EXPIRED', failureOf('NOT_FOUND_PAYMENT_SESSION'));
      return refuse(404, 'NOT_FOUND_PAYMENT_SESSION');
    }
    return confirmed(payment, await approve(this.#payments, payment, this.#behaviours.take('confirm', payment.orderId, this.pg)));
  }

  /**
   * Behaviours of a cancel: respond with another payment (`foreign`), refuse (`refuse`), fail without effect (`fail`), lose the response
   * (`drop`) or respond late (`late`).
   */
  async #answerCancel(payment: Payment | undefined, body: Call['body']): Promise<Answer> {
    if (!payment) return refuse(404, 'NOT_FOUND_PAYMENT');
    const behaviour = this.#behaviours.take('cancel', payment.orderId, this.pg);
    if (behaviour === 'refuse') return refuse(403, 'NOT_CANCELABLE_PAYMENT');
    if (behaviour === 'fail') return refuse(500, 'FAILED_METHOD_HANDLING_CANCEL');
    if (behaviour === 'foreign') return { status: 200, body: show(another(payment, body)) };
    const answer = this.#cancel(payment, body);
    if (behaviour === 'late') await sleep(LATE_MS);
    return { ...answer, isLost: behaviour === 'drop' };
  }

  #cancel(payment: Payment, { cancelAmount: amount, cancelReason: reason }: Call['body']): Answer {
    if (typeof reason !== 'string' || reason === '' || reason.length > MAX_REASON) return refuse(400, 'INVALID_REQUEST');
    if (amount !== undefined && !Number.isSafeInteger(amount)) return refuse(400, 'INVALID_REQUEST');
    const made = cancel(this.#payments, payment, (amount as number | undefined) ?? null, reason);
    return typeof made === 'string' ? refuse(...CANCEL_REFUSALS[made]) : { status: 200, body: show(payment) };
  }
}

/** What a path names. */
function parse(path: string): { orderId?: string; paymentKey?: string; isCancel: boolean } {
  const [, orderId] = /^\/v1\/payments\/orders\/([^/]+)$/.exec(path) ?? [];
  if (orderId !== undefined) return { orderId: decodeURIComponent(orderId), isCancel: false };
  const [, paymentKey, cancel] = /^\/v1\/payments\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
  return paymentKey === undefined ? { isCancel: false } : { paymentKey: decodeURIComponent(paymentKey), isCancel: cancel !== undefined };
}

function confirmed(payment: Payment, approval: Approval): Answer {
  if (approval.result === 'PAID') return { status: 200, body: show(payment), isLost: approval.isLost };
  if (approval.result === 'DECLINED') return refuse(403, approval.code);
  return approval.result === 'ERROR' ? refuse(500, 'FAILED_INTERNAL_SYSTEM_PROCESSING') : refuse(401, 'UNAUTHORIZED_KEY');
}

/** Another payment with the same cancel, as if the provider had confused the two. */
const another = (payment: Payment, { cancelAmount, cancelReason }: Call['body'] = {}): Payment => {
  const isWhole = cancelReason !== undefined && cancelAmount === undefined;
  const amount = isWhole ? balanceOf(payment) : Number(cancelAmount ?? 0);
  return {
    ...payment,
    paymentKey: `${payment.paymentKey}x`,
    cancels: [...payment.cancels, newCancel(amount, String(cancelReason))],
  };
};

/** The status of a payment in the words of TossPayments. */
export function tossStatus(payment: Payment): string {
  if (payment.state !== 'PAID')
    return { READY: 'READY', AUTHENTICATED: 'IN_PROGRESS', FAILED: 'ABORTED', EXPIRED: 'EXPIRED' }[payment.state];
  if (cancelsOf(payment).length === 0) return 'DONE';
  return balanceOf(payment) === 0 ? 'CANCELED' : 'PARTIAL_CANCELED';
}

const METHODS = { CARD: '카드', EASY_PAY: '간편결제', BANK_TRANSFER: '계좌이체', VIRTUAL_ACCOUNT: '가상계좌', MOBILE: '휴대폰' } as const;
const WALLETS: Readonly<Record<string, string>> = {
  KAKAOPAY: '카카오페이',
  NAVERPAY: '네이버페이',
  TOSSPAY: '토스페이',
  PAYCO: '페이코',
  SAMSUNGPAY: '삼성페이',
  APPLEPAY: '애플페이',
  LPAY: '엘페이',
  SSGPAY: 'SSG페이',
};
const seoul = (ms: number): string => new Date(ms + 9 * 3_600_000).toISOString().replace(/\.\d+Z$/, '+09:00');

/** A payment as the API returns it. */
function show(payment: Payment): object {
  const { paymentKey, orderId, orderName, totalAmount, method, easyPay, state, failure, paidAt } = payment;
  const isPaid = state === 'PAID';
  return {
    mId: payment.merchant,
    version: '2022-11-16',
    paymentKey,
    type: 'NORMAL',
    orderId,
    orderName,
    status: tossStatus(payment),
    method: isPaid ? METHODS[method] : null,
    totalAmount,
    balanceAmount: balanceOf(payment),
    currency: 'KRW',
    requestedAt: seoul(payment.requestedAt),
    approvedAt: paidAt === null ? null : seoul(paidAt),
    isPartialCancelable: true,
    failure,
    card:
      isPaid && method === 'CARD' ? { number: `${payment.card.slice(0, 6)}******${payment.card.slice(-4)}`, amount: totalAmount } : null,
    easyPay:
      isPaid && method === 'EASY_PAY'
        ? { provider: WALLETS[easyPay ?? ''] ?? easyPay ?? '', amount: totalAmount, discountAmount: 0 }
        : null,
    cancels: cancelsShown(payment),
  };
}

function cancelsShown({ cancels }: Payment): object[] | null {
  const shown = cancels.map((cancel) => ({
    transactionKey: cancel.id,
    cancelAmount: cancel.amount,
    cancelReason: cancel.reason,
    canceledAt: seoul(Date.parse(cancel.at)),
    cancelStatus: isRunning(cancel) ? 'IN_PROGRESS' : 'DONE',
  }));
  return shown.length > 0 ? shown : null;
}
