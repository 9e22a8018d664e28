/**
 * Sequences of claims, cancels and everything between, by random buyers and sellers of one order through two API processes: each answer
 * is what a reference written from the specification says, and after each step the database's sums add up, read from outside.
 * CLAIM_SEQUENCES=2000 for the full count. A failure is shrunk and prints its seed: CLAIM_SEED and the lane's path play it again.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { underTest } from '../../kernel/world.ts';
import { type SecondApi, secondApi } from '../../kernel/secondApi.ts';
import { openLane } from './model/counter.ts';
import { play, type Sequence } from './model/play.ts';

const SEQUENCES = Number(process.env['CLAIM_SEQUENCES'] ?? 50);
const SEED = Number(process.env['CLAIM_SEED'] ?? 19);
/** `LANE:PATH` of a failure: only that is played. */
const [REPLAYED, PATH] = (process.env['CLAIM_PATH'] ?? '').split(/:(.*)/);
const LANES = Math.min(5, SEQUENCES);

const number = fc.nat({ max: 65_535 });
const dice = fc.array(number, { minLength: 12, maxLength: 12 });
const sequence: fc.Arbitrary<Sequence> = fc.record({
  order: fc.array(number, { minLength: 40, maxLength: 40 }),
  steps: fc.array(fc.record({ dice, also: fc.constantFrom(0, 0, 0, 0, 1, 2) }), { minLength: 4, maxLength: 16, size: 'max' }),
});

let second: SecondApi;
beforeAll(async () => {
  second = await secondApi();
});
afterAll(() => second.stop());

test(
  `${SEQUENCES} sequences, seed ${SEED}`,
  async () => {
    const counted = { actions: 0, races: 0 };
    const lanes = Array.from({ length: LANES }, (_, i) => i).filter((i) => REPLAYED === '' || Number(REPLAYED) === i);
    await Promise.all(
      lanes.map(async (i) => {
        const lane = await openLane();
        const property = fc.asyncProperty(sequence, async (drawn) => {
          const { actions, races } = await play(lane, [underTest.api, second.url], drawn);
          counted.actions += actions;
          counted.races += races;
        });
        const numRuns = Math.floor(SEQUENCES / LANES) + (i < SEQUENCES % LANES ? 1 : 0);
        const result = await fc.check(property, {
          seed: SEED + i,
          numRuns,
          unbiased: true,
          endOnFailure: true,
          interruptAfterTimeLimit: 3_000_000,
          ...(PATH !== undefined && { path: PATH, endOnFailure: true }),
        });
        if (result.failed)
          throw new Error(`CLAIM_SEED=${SEED} CLAIM_PATH=${i}:${result.counterexamplePath ?? ''}\n${String(result.errorInstance)}`);
        expect(result.interrupted).toBe(false);
      }),
    );
    process.stdout.write(`${SEQUENCES} sequences of ${counted.actions} actions, ${counted.races} of them at the same moment\n`);
  },
  60_000 + SEQUENCES * 3000,
);
