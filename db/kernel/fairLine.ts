/**
 * A line in which senders come in turn, whoever of them has how many in it, and one sender's own come as they arrived. Where it is full,
 * the longest sender's last one leaves it: "longest queue drop" (McKenney, Stochastic Fairness Queueing). So nobody fills it for others.
 */
export interface Waiting {
  readonly sender: string;
  /** It leaves without having had its turn. */
  readonly refuse: () => void;
}

export class FairLine<T extends Waiting> {
  /** Those who wait, by sender: the sender that was served longest ago first. */
  readonly #senders = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }
  /** The number of the sender that has the most. */
  get longest(): number {
    return Math.max(0, ...[...this.#senders.values()].map(({ size }) => size));
  }
  /** Who is next. */
  get next(): T | undefined {
    const [first] = this.#senders.values();
    return first?.values().next().value;
  }
  sizeOf(sender: string): number {
    return this.#senders.get(sender)?.size ?? 0;
  }

  add(one: T): void {
    const own = this.#senders.get(one.sender) ?? new Set();
    own.add(one);
    this.#senders.set(one.sender, own);
    this.#size++;
  }
  /** It leaves the line, whether it had its turn or not; afterwards its sender comes behind the others. */
  remove(one: T): void {
    const own = this.#senders.get(one.sender);
    if (!own?.delete(one)) return;
    this.#size--;
    this.#senders.delete(one.sender);
    if (own.size > 0) this.#senders.set(one.sender, own);
  }
  /** Refuses the last one of a sender like this; false: there is none. */
  dropLastOf(isOne: (sender: string) => boolean): boolean {
    const found = [...this.#senders].findLast(([sender]) => isOne(sender));
    [...(found?.[1] ?? [])].at(-1)?.refuse();
    return found !== undefined;
  }
  /** Refuses the last one of the sender that has the most. */
  dropLast(): void {
    const max = this.longest;
    const own = [...this.#senders.values()].find(({ size }) => size === max);
    [...(own ?? [])].at(-1)?.refuse();
  }
}
