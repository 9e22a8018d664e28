/** What simulations and replays have in common. */
import { nullable, oneOf } from '../declare/schema.ts';

/** The bounds of a rehearsal (F45). */
export const TRUNCATED = nullable(
  oneOf(
    ['TIME', 'HAPPENINGS', 'SIZE'],
    'The bound that was reached, and the rest was left out: two seconds of processor time, 2,000 happenings, or 1 MiB of answer (64 MiB of memory)',
  ),
);
