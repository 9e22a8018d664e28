/**
 * Attempts of deliveries that this process has in flight, by store. A receiver that hangs holds each for ten seconds, so what one store has is
 * bounded: its first attempts by the relay, which starts no more (worker/relay.ts), its retries here. Retries have fewer, so that they leave
 * room for first attempts, and the sum stays below the worker's slots.
 */
const RETRIES = { all: 400, perStore: 40 } as const;
/** What is put off is spread as if every receiver hung: ten seconds for each of a store's retries. */
const SPREAD_MS = 10_000 / RETRIES.perStore;
const MIN_DELAY_MS = 30_000;
const MAX_DELAY_MS = 600_000;

interface MonotonicClock {
  now(): number;
}

export class Attempts {
  /** First attempts; the relay reads them. */
  readonly first = new InFlight();
  readonly #retries = new InFlight();
  readonly #clock: MonotonicClock;
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** When the last retry that was put off comes again, by store. */
  readonly #putOff = new Map<string, number>();

  constructor(clock: MonotonicClock = performance) {
    this.#clock = clock;
  }

  /** Makes what has this key once at a time: who asks again meanwhile gets the same answer. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay.get(key) as Promise<T> | undefined;
    if (underWay) return underWay;
    const made = make().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, made);
    // Who asked may wait no longer when it fails.
    made.catch(() => {});
    return made;
  }

  /** Makes a first attempt, which always may begin. */
  makeFirst<T>(storeId: string, make: () => Promise<T>): Promise<T> {
    return this.first.count(storeId, make);
  }

  /** Makes a retry, or has it put off by so many milliseconds, with nothing begun: its store, or all, have as many in flight as they may. */
  makeRetry<T>(storeId: string, make: () => Promise<T>, putOff: (ms: number) => Promise<T>): Promise<T> {
    const isFull = this.#retries.of(storeId) >= RETRIES.perStore || this.#retries.all >= RETRIES.all;
    return isFull ? putOff(this.#delayOf(storeId)) : this.#retries.count(storeId, make);
  }

  #delayOf(storeId: string): number {
    const now = this.#clock.now();
    for (const [store, at] of this.#putOff) if (at < now) this.#putOff.delete(store);
    const next = Math.max(now + MIN_DELAY_MS, (this.#putOff.get(storeId) ?? 0) + SPREAD_MS);
    const at = Math.min(next, now + MAX_DELAY_MS);
    this.#putOff.set(storeId, at);
    return Math.round(at - now);
  }
}

/** Counts what is in flight, of each store and of all. */
class InFlight {
  readonly byStore = new Map<string, number>();
  all = 0;

  of(storeId: string): number {
    return this.byStore.get(storeId) ?? 0;
  }
  async count<T>(storeId: string, make: () => Promise<T>): Promise<T> {
    this.#add(storeId, 1);
    try {
      return await make();
    } finally {
      this.#add(storeId, -1);
    }
  }
  #add(storeId: string, n: number): void {
    this.all += n;
    const left = this.of(storeId) + n;
    if (left === 0) this.byStore.delete(storeId);
    else this.byStore.set(storeId, left);
  }
}
