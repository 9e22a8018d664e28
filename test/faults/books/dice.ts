/** Numbers by a seed: the same seed makes the same choices, though not the same order of what happens at once. */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed | 0;
  }
  /** From 0 to `count - 1` (mulberry32). */
  roll(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }
  pick<T>(choices: readonly T[]): T {
    return choices[this.roll(choices.length)]!;
  }
  /** In `percent` of cases. */
  chance(percent: number): boolean {
    return this.roll(100) < percent;
  }
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.roll(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, choice] of choices) {
      if (left < weight) return choice;
      left -= weight;
    }
    throw new Error('unreachable');
  }
}
