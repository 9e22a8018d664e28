/** How the next calls behave, as `POST /__sim/next` orders it. */
import type { Provider } from './merchants.ts';

const OPERATIONS = ['confirm', 'read', 'cancel', 'notify'] as const;
export type Operation = (typeof OPERATIONS)[number];
export const isOperation = (value: unknown): value is Operation => OPERATIONS.includes(value as Operation);

interface Ordered {
  readonly pg: Provider | null;
  readonly behaviour: string;
}
/** Of any order. */
export const ANY = '*';

export class Behaviours {
  readonly #next = new Map<string, Ordered[]>();

  /** The behaviour of the next call of an operation on this order: a card's ending, or one of the operation's own. */
  add(operation: Operation, behaviour: string, orderId: string, pg: Provider | null): void {
    const key = `${operation}/${orderId}`;
    this.#next.set(key, [...(this.#next.get(key) ?? []), { pg, behaviour }]);
  }
  /** Discards the behaviours of an operation on this order. */
  forget(operation: Operation, orderId: string, pg: Provider | null): void {
    const key = `${operation}/${orderId}`;
    this.#next.set(key, pg === null ? [] : (this.#next.get(key) ?? []).filter((one) => one.pg !== pg));
  }
  /** The behaviour of this call, which is used up. */
  take(operation: Operation, orderId: string, pg: Provider): string | undefined {
    for (const key of [`${operation}/${orderId}`, `${operation}/${ANY}`]) {
      const ordered = this.#next.get(key) ?? [];
      const found = ordered.findIndex((one) => one.pg === null || one.pg === pg);
      if (found !== -1) return ordered.splice(found, 1)[0]!.behaviour;
    }
    return undefined;
  }
}
