/** The provider's payments by key and by order id, stored in a log file that survives restarts. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';

export type Status = 'READY' | 'IN_PROGRESS' | 'DONE' | 'CANCELED' | 'PARTIAL_CANCELED' | 'ABORTED' | 'EXPIRED';

export interface Payment {
  readonly paymentKey: string;
  readonly orderId: string;
  readonly orderName: string;
  readonly totalAmount: number;
  readonly card: string;
  readonly authenticatedAt: number;
  balanceAmount: number;
  status: Status;
  method: string | null;
  failure: { code: string; message: string } | null;
  cancels: { amount: number; reason: string; at: string }[];
  refusedCancels: number;
}

export class Payments {
  readonly #byKey = new Map<string, Payment>();
  readonly #byOrder = new Map<string, Payment>();
  readonly #charged = new Map<string, Payment>();
  readonly #file: string | null;

  constructor(file: string | null) {
    this.#file = file;
    if (file === null || !existsSync(file)) return;
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) this.#index(JSON.parse(line) as Payment);
  }
  #index(payment: Payment): void {
    this.#byKey.set(payment.paymentKey, payment);
    this.#byOrder.set(payment.orderId, payment);
    if (payment.status === 'DONE') this.#charged.set(payment.orderId, payment);
    else if (this.#charged.get(payment.orderId)?.paymentKey === payment.paymentKey) this.#charged.set(payment.orderId, payment);
  }
  /** Creates the payment of a buyer who has finished the payment window: authenticated, not approved yet. */
  authenticate(order: { orderId: string; orderName: string; amount: number; card: string }): Payment {
    const payment: Payment = {
      paymentKey: `tgen_${randomUUID().replaceAll('-', '')}`,
      orderId: order.orderId,
      orderName: order.orderName,
      totalAmount: order.amount,
      balanceAmount: order.amount,
      card: order.card,
      authenticatedAt: Date.now(),
      status: 'IN_PROGRESS',
      method: null,
      failure: null,
      cancels: [],
      refusedCancels: 0,
    };
    this.save(payment);
    return payment;
  }
  save(payment: Payment): void {
    this.#index(payment);
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(payment)}\n`);
  }
  byKey(paymentKey: string): Payment | undefined {
    return this.#byKey.get(paymentKey);
  }
  /** The charged payment of an order, or else its latest. */
  byOrder(orderId: string): Payment | undefined {
    return this.charged(orderId) ?? this.#byOrder.get(orderId);
  }
  /** The charged payment of an order: at most one of its payment keys is charged. */
  charged(orderId: string): Payment | undefined {
    return this.#charged.get(orderId);
  }
  all(): Payment[] {
    return [...this.#byKey.values()];
  }
}
