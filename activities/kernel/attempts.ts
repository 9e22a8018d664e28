/**
 * Attempts of deliveries that this process has in flight, by store. A receiver that hangs holds each for ten seconds, so what one store has
 * is bounded: its first attempts by the relay, which starts no more (worker/relay.ts), its retries here. Retries have fewer, so that they
 * leave room for first attempts, and the sum stays below the worker's slots.
 */
import type { MonotonicClock } from '../../db/kernel/clock.ts';
import { Counts } from '../../db/kernel/counts.ts';

interface Limit {
  readonly all: number;
  readonly perStore: number;
}
const RETRIES: Limit = { all: 400, perStore: 40 };
/** What is put off is spread as if every receiver hung: ten seconds for each of a store's retries. */
const SPREAD_MS = 10_000 / RETRIES.perStore;
const MIN_DELAY_MS = 30_000;
const MAX_DELAY_MS = 600_000;

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

  /** Begins `make` unless it is under way for this key: who asks again meanwhile gets the answer of the first. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const underWay = this.#underWay.get(key) as Promise<T> | undefined;
    if (underWay) return underWay;
    const made = make().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, made);
    // Who asked may wait no longer when it fails.
    made.catch(() => {});
    return made;
  }
  /** When none is under way: one may go on after its brief call, with no activity that waits for it. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay.values());
  }

  /** Makes a first attempt, which always may begin. */
  makeFirst<T>(storeId: string, make: () => Promise<T>): Promise<T> {
    return this.first.count(storeId, make);
  }

  /** Makes a retry, or has it put off by so many milliseconds, with nothing begun: its store has as many in flight as it may. */
  makeRetry<T>(storeId: string, make: () => Promise<T>, putOff: (ms: number) => Promise<T>): Promise<T> {
    return this.#retries.isFull(storeId, RETRIES) ? putOff(this.#delayOf(storeId)) : this.#retries.count(storeId, make);
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
  readonly byStore = new Counts();
  all = 0;

  of(storeId: string): number {
    return this.byStore.of(storeId);
  }
  /**
   * A store may have `perStore`, and no more than half of what is free for all: however many stores have much, one that has none finds
   * room.
   */
  isFull(storeId: string, { all, perStore }: Limit): boolean {
    return this.of(storeId) >= Math.min(perStore, (all - this.all) / 2);
  }
  /** The stores that may begin nothing more; one with nothing in flight is never one of them. */
  full(limit: Limit): string[] {
    return [...this.byStore].map(([storeId]) => storeId).filter((storeId) => this.isFull(storeId, limit));
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
    this.byStore.add(storeId, n);
  }
}
