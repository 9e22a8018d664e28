/** How a run makes an external call: as an activity, tried once. */
import { ActivityFailure, type ActivityOptions, isCancellation, proxyActivities } from '@temporalio/workflow';
import { type Answer, type Call, WORKFLOWS, type WorkflowType } from './messages.ts';

/** The activity options in which the calls of workflow types differ. */
export interface CallTimes extends Pick<ActivityOptions, 'scheduleToStartTimeout' | 'heartbeatTimeout'> {
  readonly startToCloseTimeout: NonNullable<ActivityOptions['startToCloseTimeout']>;
}
/** A worker that died is noticed in seconds, not at the start-to-close timeout. */
export const HEARTBEAT = { heartbeatTimeout: '8s' } as const;
/** No retry: an outcome that is lost or unknown is read by the next transition, never assumed. */
const ONCE = { maximumAttempts: 1 } as const;

/** A call whose activity failed or timed out has the outcome LOST, which the transition resolves. */
export async function makeCall(type: WorkflowType, call: Call, times: CallTimes, summary: string): Promise<Answer> {
  const { callsQueue } = WORKFLOWS[type];
  const options = { ...(callsQueue !== null && { taskQueue: callsQueue }), ...times, retry: ONCE, summary };
  try {
    return await proxyActivities<Record<string, (call: Call) => Promise<Answer>>>(options)[call.name]!(call);
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return { result: 'LOST' };
    throw error;
  }
}
