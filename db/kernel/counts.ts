/** Counts by key, each forgotten when it is 0 again. */
export class Counts {
  readonly #counts = new Map<string, number>();

  /** The number of keys that are remembered. */
  get size(): number {
    return this.#counts.size;
  }
  /** Keys and their counts. */
  [Symbol.iterator](): Iterator<readonly [string, number]> {
    return this.#counts.entries();
  }
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
  /** Returns the key's new count. */
  add(key: string, n: number): number {
    const count = this.of(key) + n;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
    return count;
  }
}
