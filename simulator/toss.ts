/** TossPayments as its API documents it: confirm, read, cancel, idempotency keys. The card number's ending selects the behaviour. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Payment, Payments } from './payments.ts';

export interface Answer {
  readonly status: number;
  readonly body: object;
  /** The provider processes the request, but the connection breaks before the response. */
  readonly drop?: boolean;
}
/** The messages of its error codes, for the merchant. */
const MESSAGES: Readonly<Record<string, string>> = {
  REJECT_CARD_PAYMENT: '한도초과 혹은 잔액부족으로 결제에 실패했습니다.',
  INVALID_STOPPED_CARD: '정지된 카드 입니다.',
  FDS_ERROR: '위험거래가 감지되어 결제가 제한됩니다.',
  REJECT_CARD_COMPANY: '결제 승인이 거절되었습니다.',
  UNAUTHORIZED_KEY: '인증되지 않은 시크릿 키 혹은 클라이언트 키 입니다.',
  NOT_CANCELABLE_PAYMENT: '취소 할 수 없는 결제 입니다.',
};
const refuse = (status: number, code: string, message = MESSAGES[code] ?? code): Answer => ({ status, body: { code, message } });

const CONFIRM = '/v1/payments/confirm';
const AUTHENTICATION_MS = 10 * 60_000;
const SLOW_MS = 90_000;

const DECLINES: Readonly<Record<string, readonly [number, string]>> = {
  '0001': [403, 'REJECT_CARD_PAYMENT'],
  '0002': [403, 'INVALID_STOPPED_CARD'],
  '0003': [403, 'FDS_ERROR'],
  '0022': [403, 'REJECT_CARD_COMPANY'],
};

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly key: string | null;
  readonly testCode: string | null;
  readonly body: Record<string, unknown>;
}

export class Toss {
  readonly #payments: Payments;
  readonly #secretKey: string;
  /** Responses by idempotency key and path; a promise while the first request is in progress. */
  readonly #replies = new Map<string, Promise<Answer> | Answer>();
  readonly #next = new Map<string, string[]>();
  readonly #confirmKeys = new Map<string, string[]>();

  constructor(payments: Payments, secretKey: string) {
    this.#payments = payments;
    this.#secretKey = secretKey;
  }

  /**
   * Sets the behaviour of the next call of an operation on this order (`*`: on any): a card's ending, or one of the operation's own;
   * `0000+4000` responds after four seconds.
   */
  behave(operation: string, behaviour: string, orderId: string): void {
    const key = `${operation}/${orderId}`;
    this.#next.set(key, [...(this.#next.get(key) ?? []), behaviour]);
  }

  /** Discards the behaviours set for an operation on this order. */
  forget(operation: string, orderId: string): void {
    this.#next.delete(`${operation}/${orderId}`);
  }

  /** The idempotency keys of the confirms of this order, one for each that was sent since the simulator started. */
  confirmKeys(orderId: string): readonly string[] {
    return this.#confirmKeys.get(orderId) ?? [];
  }

  #behaviour(operation: string, orderId: string): string | undefined {
    return this.#next.get(`${operation}/${orderId}`)?.shift() ?? this.#next.get(`${operation}/*`)?.shift();
  }

  /** Handles a call. The same idempotency key on the same path gets the first response, 409 while that is in progress. */
  async answer(call: Call): Promise<Answer> {
    const secret = Buffer.from(call.authorization.replace(/^Basic /, ''), 'base64').toString();
    // The account has a test key and a live key.
    if (secret.replace(/^live_/, 'test_') !== `${this.#secretKey.replace(/^live_/, 'test_')}:`) return refuse(401, 'UNAUTHORIZED_KEY');
    if (call.testCode !== null) return refuse(call.testCode.startsWith('FAILED') ? 500 : 403, call.testCode);
    if (call.method === 'GET') return this.#read(call.path);
    if (call.key === null) return this.#work(call);
    if (call.path === CONFIRM) {
      const orderId = String(call.body['orderId']);
      this.#confirmKeys.set(orderId, [...this.confirmKeys(orderId), call.key]);
    }
    const scope = [call.key, call.authorization, call.method, call.path].join('|');
    const known = this.#replies.get(scope);
    if (known instanceof Promise) return refuse(409, 'IDEMPOTENT_REQUEST_PROCESSING');
    if (known) return { ...known, drop: false };
    const working = this.#work(call);
    this.#replies.set(scope, working);
    const made = await working;
    this.#replies.set(scope, structuredClone(made));
    return made;
  }

  #read(path: string): Answer {
    const [, orderId] = /^\/v1\/payments\/orders\/([^/]+)$/.exec(path) ?? [];
    const [, paymentKey] = /^\/v1\/payments\/([^/]+)$/.exec(path) ?? [];
    const payment =
      orderId === undefined
        ? this.#payments.byKey(decodeURIComponent(paymentKey ?? ''))
        : this.#payments.byOrder(decodeURIComponent(orderId));
    const behaviour = this.#behaviour('read', payment?.orderId ?? decodeURIComponent(orderId ?? ''));
    if (behaviour === 'fail') return refuse(500, 'FAILED_INTERNAL_SYSTEM_PROCESSING');
    if (!payment) return refuse(404, 'NOT_FOUND_PAYMENT');
    return { status: 200, body: show(behaviour === 'foreign' ? another(payment) : payment) };
  }

  async #work(call: Call): Promise<Answer> {
    if (call.path === CONFIRM) return this.#confirm(call.body);
    const [, paymentKey] = /^\/v1\/payments\/([^/]+)\/cancel$/.exec(call.path) ?? [];
    return paymentKey === undefined ? refuse(404, 'NOT_FOUND') : this.#answerCancel(decodeURIComponent(paymentKey), call.body);
  }

  async #confirm({ paymentKey, orderId, amount }: Call['body']): Promise<Answer> {
    const payment = typeof paymentKey === 'string' ? this.#payments.byKey(paymentKey) : undefined;
    // The message quotes the request, as providers' messages may.
    if (!payment)
      return refuse(404, 'NOT_FOUND_PAYMENT_SESSION', `결제 시간이 만료되어 결제 진행 데이터가 존재하지 않습니다: ${String(paymentKey)}`);
    if (payment.orderId !== orderId || payment.totalAmount !== amount) return refuse(400, 'INVALID_REQUEST');
    if (payment.status === 'DONE') return refuse(400, 'ALREADY_PROCESSED_PAYMENT');
    if (this.#payments.charged(payment.orderId)) return refuse(400, 'DUPLICATED_ORDER_ID');
    if (payment.status !== 'IN_PROGRESS') return refuse(403, 'REJECT_CARD_PAYMENT');
    if (Date.now() - payment.authenticatedAt > AUTHENTICATION_MS) return this.#end(payment, 'EXPIRED', 404, 'NOT_FOUND_PAYMENT_SESSION');
    return this.#decide(payment, this.#behaviour('confirm', payment.orderId) ?? payment.card.slice(-4));
  }

  /** The behaviour of each card ending (docs/contract.md#development). */
  async #decide(payment: Payment, behaviour: string): Promise<Answer> {
    const [ending = '', lateMs = '0'] = behaviour.split('+');
    const answer = await this.#judge(payment, ending);
    await sleep(Number(lateMs));
    return answer;
  }

  async #judge(payment: Payment, ending: string): Promise<Answer> {
    if (ending === '0022') await sleep(SLOW_MS);
    const decline = DECLINES[ending];
    if (decline) return this.#end(payment, 'ABORTED', ...decline);
    if (ending === '0030') return refuse(500, 'FAILED_INTERNAL_SYSTEM_PROCESSING');
    if (ending === '0050') return refuse(401, 'UNAUTHORIZED_KEY');
    Object.assign(payment, { status: 'DONE', method: '카드' });
    this.#payments.save(payment);
    if (ending === '0021') await sleep(SLOW_MS);
    if (ending === '0031') return refuse(500, 'FAILED_INTERNAL_SYSTEM_PROCESSING');
    return { status: 200, body: show(payment), drop: ending === '0020' };
  }

  #end(payment: Payment, status: 'ABORTED' | 'EXPIRED', httpStatus: number, code: string): Answer {
    Object.assign(payment, { status, failure: { code, message: MESSAGES[code] ?? code } });
    this.#payments.save(payment);
    return refuse(httpStatus, code);
  }

  /**
   * Behaviours of a cancel: respond with another payment (`foreign`), refuse (`refuse`), fail without effect (`fail`), lose the response
   * (`drop`) or respond late (`late`).
   */
  async #answerCancel(paymentKey: string, body: Call['body']): Promise<Answer> {
    const behaviour = this.#behaviour('cancel', this.#payments.byKey(paymentKey)?.orderId ?? '');
    if (behaviour === 'refuse') return refuse(403, 'NOT_CANCELABLE_PAYMENT');
    if (behaviour === 'fail') return refuse(500, 'FAILED_METHOD_HANDLING_CANCEL');
    if (behaviour === 'foreign') return { status: 200, body: show(another(this.#payments.byKey(paymentKey)!, body)) };
    const answer = this.#cancel(paymentKey, body);
    if (behaviour === 'late') await sleep(3000);
    return { ...answer, drop: behaviour === 'drop' };
  }

  #cancel(paymentKey: string, { cancelAmount, cancelReason }: Call['body']): Answer {
    const payment = this.#payments.byKey(paymentKey);
    if (!payment) return refuse(404, 'NOT_FOUND_PAYMENT');
    if (payment.status === 'CANCELED') return refuse(400, 'ALREADY_CANCELED_PAYMENT');
    if (payment.status !== 'DONE' && payment.status !== 'PARTIAL_CANCELED') return refuse(403, 'NOT_CANCELABLE_PAYMENT');
    if (payment.card.endsWith('0040') && payment.refusedCancels < 2) {
      payment.refusedCancels++;
      return refuse(500, 'FAILED_METHOD_HANDLING_CANCEL');
    }
    const amount = typeof cancelAmount === 'number' ? cancelAmount : payment.balanceAmount;
    if (amount > payment.balanceAmount || amount < 1) return refuse(400, 'EXCEED_CANCEL_AMOUNT');
    payment.balanceAmount -= amount;
    payment.cancels.push({ amount, reason: typeof cancelReason === 'string' ? cancelReason : '', at: new Date().toISOString() });
    payment.status = payment.balanceAmount === 0 ? 'CANCELED' : 'PARTIAL_CANCELED';
    this.#payments.save(payment);
    return { status: 200, body: show(payment) };
  }
}

/** Another payment with the same cancel, as if the provider had confused the two. */
const another = (payment: Payment, { cancelAmount, cancelReason }: Call['body'] = {}): Payment => ({
  ...payment,
  paymentKey: `${payment.paymentKey}x`,
  status: cancelReason !== undefined && cancelAmount === undefined ? 'CANCELED' : payment.status,
  cancels: [...payment.cancels, { amount: Number(cancelAmount ?? 0), reason: String(cancelReason), at: new Date().toISOString() }],
});

/** A payment as the API returns it. */
const show = ({ paymentKey, orderId, orderName, totalAmount, balanceAmount, status, method, failure, cancels }: Payment) => ({
  version: '2022-11-16',
  paymentKey,
  orderId,
  orderName,
  status,
  method,
  totalAmount,
  balanceAmount,
  currency: 'KRW',
  failure,
  easyPay: null,
  cancels:
    cancels.length > 0
      ? cancels.map(({ amount, reason, at }) => ({ cancelAmount: amount, cancelReason: reason, canceledAt: at, cancelStatus: 'DONE' }))
      : null,
});
