/**
 * Sequences of claims, cancels and everything between, by random buyers and sellers of one order through two API processes: each answer
 * is what a reference written from the specification says, and after each step the database's sums add up, read from outside.
 * CLAIM_SEQUENCES=2000 for the full count. A failure is shrunk and prints its seed: CLAIM_SEED and the lane's path play it again.
 */
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { underTest } from '../../kernel/world.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { openLane } from './model/counter.ts';
import { play, type Sequence } from './model/play.ts';

const SEQUENCES = Number(process.env['CLAIM_SEQUENCES'] ?? 8);
const SEED = Number(process.env['CLAIM_SEED'] ?? 19);
/** `LANE:PATH` of a failure: only that is played. */
const [REPLAYED, PATH] = (process.env['CLAIM_PATH'] ?? '').split(/:(.*)/);
const LANES = Math.min(5, SEQUENCES);
/** How long a sequence may take: a long run gives way to other work of its machine. */
const EACH_MS = process.env['CLAIM_SEQUENCES'] === undefined ? 3000 : 20_000;

const number = fc.nat({ max: 65_535 });
const dice = fc.array(number, { minLength: 12, maxLength: 12 });
const sequence: fc.Arbitrary<Sequence> = fc.record({
  order: fc.array(number, { minLength: 40, maxLength: 40 }),
  steps: fc.array(fc.record({ dice, also: fc.constantFrom(0, 0, 0, 0, 1, 2) }), { minLength: 4, maxLength: 16, size: 'max' }),
});

let second: string;
beforeAll(async () => {
  second = await sharedApi();
});

/** Tries to find a shorter sequence with the failure that was found. */
const SHRINKS = 40;

interface Counted {
  actions: number;
  races: number;
  /** The lane that has failed, and its tries to shrink. The others end. */
  failed: number | null;
  shrinks: number;
}

async function playLane(index: number, counted: Counted): Promise<void> {
  const lane = await openLane();
  const property = fc.asyncProperty(sequence, async (drawn) => {
    if (counted.failed !== null && (counted.failed !== index || counted.shrinks++ >= SHRINKS)) return;
    try {
      const { actions, races } = await play(lane, [underTest.api, second], drawn);
      counted.actions += actions;
      counted.races += races;
    } catch (error) {
      counted.failed ??= index;
      throw error;
    }
  });
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, {
    seed: SEED + index,
    numRuns: Math.floor(SEQUENCES / LANES) + (index < SEQUENCES % LANES ? 1 : 0),
    unbiased: true,
    ...(PATH !== undefined && { path: PATH, endOnFailure: true }),
  });
  if (failed) throw new Error(`CLAIM_SEED=${SEED} CLAIM_PATH=${index}:${counterexamplePath ?? ''}\n${String(errorInstance)}`);
}

test(
  `${SEQUENCES} sequences, seed ${SEED}`,
  async () => {
    const counted: Counted = { actions: 0, races: 0, failed: null, shrinks: 0 };
    const lanes = Array.from({ length: LANES }, (_, i) => i).filter((i) => REPLAYED === '' || Number(REPLAYED) === i);
    const ends = await Promise.allSettled(lanes.map((lane) => playLane(lane, counted)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    process.stdout.write(`${SEQUENCES} sequences of ${counted.actions} actions, ${counted.races} times several at the same moment\n`);
    expect(counted.actions).toBeGreaterThan(0);
  },
  120_000 + SEQUENCES * EACH_MS,
);
