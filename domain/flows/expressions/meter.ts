/**
 * Counts what expressions do while they run, in the units of their prices (F43): a wrong estimate, or a version that was published before
 * there were prices, stops here. It counts work and never time, so that the same expression with the same values always ends alike.
 */
import { ExpressionError } from './errors.ts';

/** One expression: five times what may be published. */
export const MAX_EXPRESSION = 10_000;
/** All conditions and deadlines of one step; fees are not among them, since an item is refunded once. Measured in docs/performance.md. */
export const MAX_STEP = 100_000;

/** One item of an answer, and all items of one answer, which judge limits of claims only. */
export const MAX_ITEM = 20_000;
export const MAX_ANSWER = 200_000;

/** So many characters of a text that is counted cost one. */
export const CHARACTERS = 16;
/** What a side of `&&` or `||` costs beside its nodes: it may fail, which takes as long as this. */
export const SIDE = 40;

export class Meter {
  #left: number;
  #spent = 0;
  constructor(max: number) {
    this.#left = max;
  }
  get spent(): number {
    return this.#spent;
  }
  /** More was asked for than there was. */
  get isOver(): boolean {
    return this.#left < 0;
  }
  /** Before the work is done. @throws ExpressionError EXPRESSION_TOO_COSTLY where there is not so much left: the work is not done. */
  spend(units: number): void {
    const isEnough = units <= this.#left;
    this.#spent += isEnough ? units : Math.max(0, this.#left);
    this.#left = isEnough ? this.#left - units : -1;
    if (!isEnough) throw new ExpressionError('EXPRESSION_TOO_COSTLY', 'looks at more than an expression may');
  }
  /** A meter that draws on this one: `take` afterwards what it has spent. */
  part(max: number): Meter {
    return new Meter(Math.min(max, Math.max(0, this.#left)));
  }
  take({ spent }: Meter): void {
    this.#spent += spent;
    this.#left = Math.max(0, this.#left - spent);
  }
}
