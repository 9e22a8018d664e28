/** Brief calls: external calls that are made as local activities, in the worker that runs the workflow. */
import { type Answer, BRIEF_MS, type Call } from '../../workflows/kernel/messages.ts';

/**
 * How many a worker makes at a time. Each holds a workflow task and a slot for local activities, for seconds while its provider is slow, so
 * the worker has that many more than its transitions need (`worker/main.ts`).
 */
export const BRIEF_AT_ONCE = 20;
/** The time of its request, which is aborted well before the local activity times out. */
export const BRIEF_REQUEST_MS = BRIEF_MS - 500;
/**
 * A workflow task of ten seconds records what it has done so far after eight of them; without that, its repeat finds the outcome marked as
 * unknown. So a brief call that is made again unmarked comes later than this after its plan.
 */
export const BRIEF_AGE_MS = 7000;

type AnyCalls = Readonly<Record<string, (call: Call) => Promise<Answer | null>>>;

/** Null at once, with nothing begun, while `limit` of these calls are under way: the run makes an ordinary activity of it. */
export function atMost(limit: number, calls: object): Readonly<Record<string, (call: Call) => Promise<Answer | null>>> {
  let underWay = 0;
  return Object.fromEntries(
    Object.entries(calls as AnyCalls).map(([name, make]) => [
      name,
      async (call: Call) => {
        if (underWay >= limit) return null;
        underWay++;
        try {
          return await make(call);
        } finally {
          underWay--;
        }
      },
    ]),
  );
}
