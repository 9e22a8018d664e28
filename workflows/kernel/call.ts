/** How a run makes an external call: as an activity, tried once. */
import { type ActivityOptions, isCancellation, proxyActivities, proxyLocalActivities, TemporalFailure } from '@temporalio/workflow';
import { type Answer, BRIEF_MS, type Call, WORKFLOWS, type WorkflowType } from './messages.ts';

/** The activity options in which the calls of workflow types differ. */
export interface CallTimes extends Pick<ActivityOptions, 'scheduleToStartTimeout' | 'heartbeatTimeout'> {
  readonly startToCloseTimeout: NonNullable<ActivityOptions['startToCloseTimeout']>;
  /** Of its brief calls; absent: BRIEF_MS. */
  readonly briefMs?: number;
}
/** A worker that died is noticed in seconds, not at the start-to-close timeout. */
export const HEARTBEAT = { heartbeatTimeout: '8s' } as const;
/** No retry: an outcome that is lost or unknown is read by the next transition, never assumed. */
const ONCE = { maximumAttempts: 1 } as const;

/** A call whose activity failed or timed out has the outcome LOST, which the transition resolves. */
export async function makeCall(type: WorkflowType, call: Call, { briefMs, ...times }: CallTimes, summary: string): Promise<Answer> {
  const answer = call.isBrief ? await makeBriefly(call, summary, briefMs) : null;
  if (answer) return answer;
  const { callsQueue, ownQueues } = WORKFLOWS[type];
  const taskQueue = ownQueues?.[call.name] ?? callsQueue;
  const options = { ...(taskQueue !== null && { taskQueue }), ...times, retry: ONCE, summary };
  return orLost(() => proxyActivities<Record<string, (call: Call) => Promise<Answer>>>(options)[call.name]!(call));
}

/**
 * As a local activity, within the workflow task that asks for it: no other task, and no event before its end. Null: the worker did not
 * begin it. When the worker dies in it, it is made again with the workflow task, under the same key.
 */
function makeBriefly(call: Call, summary: string, ms = BRIEF_MS): Promise<Answer | null> {
  const options = { startToCloseTimeout: ms, scheduleToCloseTimeout: ms, retry: ONCE, summary };
  return orLost(() => proxyLocalActivities<Record<string, (call: Call) => Promise<Answer | null>>>(options)[call.name]!(call));
}

async function orLost<T>(made: () => Promise<T>): Promise<T | { readonly result: 'LOST' }> {
  try {
    return await made();
  } catch (error) {
    // The failure of a local activity is not wrapped in an ActivityFailure.
    if (error instanceof TemporalFailure && !isCancellation(error)) return { result: 'LOST' };
    throw error;
  }
}
