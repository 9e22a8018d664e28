/** Choices by a seed: the same seed makes the same ones, though not the same order of what happens at once. */
import { Pen } from '../../units/flows/pen.ts';

export class Dice extends Pen {
  /** From 0 to `count - 1`. */
  roll = (count: number): number => this.count(0, count - 1);
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.roll(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, choice] of choices) {
      if (left < weight) return choice;
      left -= weight;
    }
    throw new Error('unreachable');
  }
}
