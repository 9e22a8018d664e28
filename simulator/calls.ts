/** What the API calls of an order were, never with a secret: of `Authorization` only the scheme. */
import type { Environment, Provider } from './merchants.ts';

export interface LoggedCall {
  readonly pg: Provider;
  /** Null where no merchant has the key. */
  readonly merchant: string | null;
  /** Null where neither the key nor a payment has one. */
  readonly environment: Environment | null;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly scheme: string | null;
  readonly contentType: string | null;
  readonly idempotencyKey: string | null;
  /** Null for reads. */
  readonly body: object | null;
  readonly at: string;
  /** Null while it is processed, and where the connection was cut. */
  status: number | null;
}
const MAX_ORDERS = 20_000;

export class Calls {
  readonly #byOrder = new Map<string, LoggedCall[]>();

  add(orderId: string, call: LoggedCall): void {
    const calls = this.#byOrder.get(orderId) ?? [];
    this.#byOrder.set(orderId, [...calls, call]);
    const [oldest] = this.#byOrder.keys();
    if (this.#byOrder.size > MAX_ORDERS) this.#byOrder.delete(oldest!);
  }
  /** Oldest first. */
  of(orderId: string): readonly LoggedCall[] {
    return this.#byOrder.get(orderId) ?? [];
  }
  /** Of a merchant's keys, whatever they were about. */
  by(merchant: string): readonly LoggedCall[] {
    return [...this.#byOrder.values()].flat().filter((call) => call.merchant === merchant);
  }
  /** The idempotency keys of the order's confirms, one for each that was sent since the simulator started. */
  confirmKeys(orderId: string): string[] {
    return this.of(orderId).flatMap(({ path, idempotencyKey }) =>
      path.endsWith('/confirm') && idempotencyKey !== null ? [idempotencyKey] : [],
    );
  }
}
