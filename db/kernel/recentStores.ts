import type { MonotonicClock } from './clock.ts';

/** Whether more than one store has had work lately: then none of them takes more than its share. */
export class RecentStores {
  readonly #recentMs: number;
  readonly #clock: MonotonicClock;
  #last = { storeId: '', at: -Infinity };
  /** When there was work of another store than the last one. */
  #othersAt = -Infinity;

  /** What is recent, in milliseconds. */
  constructor(recentMs: number, clock: MonotonicClock = performance) {
    this.#recentMs = recentMs;
    this.#clock = clock;
  }

  note(storeId: string): void {
    if (storeId !== this.#last.storeId) this.#othersAt = this.#last.at;
    this.#last = { storeId, at: this.#clock.now() };
  }
  get areMany(): boolean {
    return this.#clock.now() - this.#othersAt < this.#recentMs;
  }
}
