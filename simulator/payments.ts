/** What the providers have on record, in the words of neither: payments and their cancels, in a log file that survives restarts. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Environment, Key, Provider } from './merchants.ts';

export type State = 'READY' | 'AUTHENTICATED' | 'PAID' | 'FAILED' | 'EXPIRED';
export type Method = 'CARD' | 'EASY_PAY' | 'BANK_TRANSFER' | 'VIRTUAL_ACCOUNT' | 'MOBILE';

export interface Cancel {
  readonly id: string;
  readonly amount: number;
  readonly reason: string;
  readonly at: string;
  /** When it takes effect; an asynchronous cancel is in progress until then. */
  readonly doneAt: number;
  readonly isRefused?: boolean;
}
/** What the payment window was opened with. */
export interface Order {
  readonly pg: Provider;
  readonly merchant: string;
  readonly environment: Environment;
  /** PortOne: its paymentId. */
  readonly orderId: string;
  readonly orderName: string;
  readonly totalAmount: number;
  readonly method: Method;
  /** The wallet of an easy payment. */
  readonly easyPay: string | null;
  readonly storeId: string | null;
  readonly channelKey: string | null;
  readonly noticeUrls: readonly string[];
}
export interface Payment extends Order {
  /** PortOne: its transaction id. */
  readonly paymentKey: string;
  readonly requestedAt: number;
  state: State;
  card: string;
  authenticatedAt: number;
  /** PortOne: what a confirm needs. */
  paymentToken: string | null;
  paidAt: number | null;
  failure: { code: string; message: string } | null;
  cancels: Cancel[];
  refusedCancels: number;
}
export type Happening = 'READY' | 'PAID' | 'FAILED' | 'CANCELED' | 'PARTIAL_CANCELED';
export type Listener = (payment: Payment, happening: Happening, cancel?: Cancel) => void;

export class Payments {
  readonly #byKey = new Map<string, Payment>();
  readonly #byOrder = new Map<string, Payment[]>();
  readonly #file: string | null;
  readonly #announce: Listener;

  constructor(file: string | null, announce: Listener) {
    this.#file = file;
    this.#announce = announce;
    if (file === null || !existsSync(file)) return;
    const stored = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    // The last line of a payment is what it has become.
    const latest = new Map(stored.map((line) => [(JSON.parse(line) as Payment).paymentKey, line]));
    for (const line of latest.values()) this.#index(upgraded(JSON.parse(line) as Payment));
  }
  #index(payment: Payment): void {
    this.#byKey.set(payment.paymentKey, payment);
    this.#byOrder.set(payment.orderId, [...(this.#byOrder.get(payment.orderId) ?? []), payment]);
  }
  /** A payment whose window is open. */
  open(order: Order): Payment {
    const id = randomUUID();
    const payment: Payment = {
      ...order,
      paymentKey: order.pg === 'portone' ? id : `tgen_${id.replaceAll('-', '')}`,
      requestedAt: Date.now(),
      state: 'READY',
      card: '',
      authenticatedAt: 0,
      paymentToken: null,
      paidAt: null,
      failure: null,
      cancels: [],
      refusedCancels: 0,
    };
    this.#index(payment);
    this.change(payment, {}, 'READY');
    return payment;
  }
  /** The buyer has finished the window: authenticated, not approved yet. */
  authenticate(payment: Payment, card: string): void {
    const paymentToken = payment.pg === 'portone' ? randomUUID() : null;
    this.change(payment, { state: 'AUTHENTICATED', card, paymentToken, authenticatedAt: Date.now() });
  }
  charge(payment: Payment): void {
    this.change(payment, { state: 'PAID', paidAt: Date.now() }, 'PAID');
  }
  fail(payment: Payment, state: 'FAILED' | 'EXPIRED', failure: NonNullable<Payment['failure']>): void {
    this.change(payment, { state, failure }, 'FAILED');
  }
  addCancel(payment: Payment, cancel: Cancel): void {
    this.change(payment, { cancels: [...payment.cancels, cancel] });
    if (cancel.isRefused) return;
    // A timer may end a millisecond early: then the cancel is not done yet.
    const announce = () => {
      const wait = cancel.doneAt - Date.now();
      if (wait > 0) setTimeout(announce, wait).unref();
      else this.#announce(payment, balanceOf(payment) === 0 ? 'CANCELED' : 'PARTIAL_CANCELED', cancel);
    };
    announce();
  }
  change(payment: Payment, changes: Partial<Payment>, happening?: Happening): void {
    Object.assign(payment, changes);
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(payment)}\n`);
    if (happening) this.#announce(payment, happening);
  }
  /** The payment with this key, for its merchant. */
  byKey(key: Key, paymentKey: string): Payment | undefined {
    const payment = this.#byKey.get(paymentKey);
    return payment && isOf(key, payment) ? payment : undefined;
  }
  /** A merchant's payments of an order, oldest first. */
  ofOrder(key: Key, orderId: string): readonly Payment[] {
    return (this.#byOrder.get(orderId) ?? []).filter((payment) => isOf(key, payment));
  }
  /** The charged payment of an order, or else its latest. */
  byOrder(key: Key, orderId: string): Payment | undefined {
    return this.charged(key, orderId) ?? this.ofOrder(key, orderId).at(-1);
  }
  /** The charged payment of an order, at most one, canceled or not. */
  charged(key: Key, orderId: string): Payment | undefined {
    return this.ofOrder(key, orderId).find(({ state }) => state === 'PAID');
  }
  /** Whoever's payment it is. */
  find(paymentKey: string): Payment | undefined {
    return this.#byKey.get(paymentKey);
  }
  all(): Payment[] {
    return [...this.#byKey.values()];
  }
}

/** PortOne's keys are for both environments. */
const isOf = (key: Key, payment: Payment): boolean =>
  payment.pg === key.pg && payment.merchant === key.merchant && (key.environment ?? payment.environment) === payment.environment;

/** The cancels that took effect. */
export const cancelsOf = ({ cancels }: Payment): Cancel[] => cancels.filter(({ doneAt, isRefused }) => !isRefused && doneAt <= Date.now());
export const isRunning = ({ doneAt, isRefused }: Cancel): boolean => !isRefused && doneAt > Date.now();
const sum = (cancels: readonly Cancel[]): number => cancels.reduce((total, { amount }) => total + amount, 0);
/** What of the payment is not canceled. */
export const balanceOf = (payment: Payment): number => payment.totalAmount - sum(cancelsOf(payment));
/** The balance without the cancels in progress. */
export const cancellableOf = (payment: Payment): number =>
  payment.state === 'PAID' ? balanceOf(payment) - sum(payment.cancels.filter(isRunning)) : 0;

const STATES: Readonly<Record<string, State>> = {
  IN_PROGRESS: 'AUTHENTICATED',
  DONE: 'PAID',
  PARTIAL_CANCELED: 'PAID',
  CANCELED: 'PAID',
  ABORTED: 'FAILED',
  EXPIRED: 'EXPIRED',
};
/** A line of the time when there was one merchant at one provider, with that provider's words. */
function upgraded(line: Payment & { status?: string }): Payment {
  if (line.status === undefined) return line;
  const { status, ...payment } = line;
  return {
    ...payment,
    pg: 'tosspayments',
    merchant: 'sangjeom',
    environment: 'TEST',
    state: STATES[status] ?? 'READY',
    method: 'CARD',
    easyPay: null,
    storeId: null,
    channelKey: null,
    noticeUrls: [],
    requestedAt: line.authenticatedAt,
    paymentToken: null,
    paidAt: STATES[status] === 'PAID' ? line.authenticatedAt : null,
    cancels: line.cancels.map((cancel) => ({ ...cancel, id: randomUUID(), doneAt: 0 })),
  };
}
