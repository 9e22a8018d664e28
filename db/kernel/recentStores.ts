/** How long ago something is recent, in milliseconds. */
const RECENT_MS = 1000;

/** Whether more than one store has had work lately: then none of them takes more than its share. */
export class RecentStores {
  readonly #clock: { now(): number };
  #last = { storeId: '', at: -Infinity };
  /** When there was work of another store than the last one. */
  #othersAt = -Infinity;

  constructor(clock: { now(): number } = performance) {
    this.#clock = clock;
  }

  note(storeId: string): void {
    if (storeId !== this.#last.storeId) this.#othersAt = this.#last.at;
    this.#last = { storeId, at: this.#clock.now() };
  }
  get areMany(): boolean {
    return this.#clock.now() - this.#othersAt < RECENT_MS;
  }
}
