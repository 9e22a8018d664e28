/** What the steps of flows would do, as facts of a preview. */
import { comparedSteps } from '../../db/runs/effect.ts';
import { digestOf } from '../../db/kernel/digest.ts';
import type { FlowStep } from '../../db/kernel/tx.ts';
import { korean } from '../../domain/kernel/time.ts';

/** Names of a list, steps, timers, and the length of all steps: of a group there may be thousands of jobs. The digest names the rest. */
const MAX_NAMES = 10;
const MAX_STEPS = 20;
const MAX_LENGTH = 3000;
/** When timers end moves with the time of the step: shown, and not compared. */
export const STEP_LEVELS = ['timers'] as const;

const first = (list: readonly string[]) => list.slice(0, MAX_NAMES);
const shown = ({ orderItemIds, edges, to, status, jobs }: FlowStep) => ({
  orderItemIds: first(orderItemIds),
  edges: first(edges),
  to: first(to),
  status,
  jobs: first(jobs),
});
const isWhole = ({ orderItemIds, edges, to, jobs }: FlowStep) => [orderItemIds, edges, to, jobs].every(({ length }) => length <= MAX_NAMES);

/**
 * Of steps in which the flow chose an edge: those that there is room for, a digest of all of them, and the timers that they begin.
 * `stepsTruncated`: there is more than is shown.
 */
export function stepFacts(all: readonly FlowStep[]): object {
  const taken = all.filter(({ edges }) => edges.length > 0);
  if (taken.length === 0) return {};
  let left = MAX_LENGTH;
  const fitting = taken.slice(0, MAX_STEPS).map(shown);
  const steps = fitting.filter((step) => (left -= JSON.stringify(step).length) >= 0);
  const timers = taken.flatMap((step) => step.timers).map(({ key, at }) => `${key} ${korean(at)}`);
  const isCut = steps.length < taken.length || !taken.every(isWhole) || timers.length > MAX_NAMES;
  return {
    steps,
    stepsDigest: digestOf(comparedSteps(taken)),
    ...(timers.length > 0 && { timers: first(timers) }),
    ...(isCut && { stepsTruncated: true }),
  };
}
