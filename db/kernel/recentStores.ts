import type { MonotonicClock } from './clock.ts';
import { type Load, measuredLoad } from './load.ts';

/** Whether more than one store has had work lately: then none of them takes more than its share. */
export class RecentStores {
  readonly #recentMs: number;
  readonly #clock: MonotonicClock;
  readonly #load: Load;
  #last = { storeId: '', at: -Infinity };
  /** When there was work of another store than the last one. */
  #othersAt = -Infinity;

  /** What is recent, in milliseconds. */
  constructor(recentMs: number, clock: MonotonicClock = performance, load: Load = measuredLoad) {
    this.#recentMs = recentMs;
    this.#clock = clock;
    this.#load = load;
  }

  note(storeId: string): void {
    if (storeId !== this.#last.storeId) this.#othersAt = this.#last.at;
    this.#last = { storeId, at: this.#clock.now() };
  }
  get areMany(): boolean {
    return this.#clock.now() - this.#othersAt < this.#recentMs;
  }
  /**
   * How long a store pauses after work of so many milliseconds, while it does so much at once: as long as all of that takes, so that it
   * works half of the time, as if it did one after the other. At most `maxMs`. 0 while no other store has work, or while the machine has
   * time for all of them; in between less.
   */
  pauseMs(workedMs: number, atOnce: number, maxMs: number): number {
    return this.areMany ? this.#load.pressure * Math.min(workedMs * atOnce, maxMs) : 0;
  }
}
