/** Draws from a seed: what is drawn is the same each time, and quickly made. */
export class Pen {
  #state: number;
  #made = 0;
  constructor(seed: number) {
    this.#state = seed;
  }
  /** mulberry32 */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  count = (min: number, max: number): number => min + Math.floor(this.#next() * (max - min + 1));
  chance = (percent: number): boolean => this.count(1, 100) <= percent;
  pick = <T>(from: readonly T[]): T => from[this.count(0, from.length - 1)]!;
  id = (prefix: string): string => `${prefix}${this.#made++}`;
}
