import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { HEARTBEAT } from './kernel/call.ts';
import { intervalAt, type JobActivities, type JobRef, JOBS_QUEUE } from './kernel/jobs.ts';

/** Portions before the history begins anew. */
const MAX_PORTIONS = 500;

/**
 * One run of a scheduled job, started by the Schedule of its name. Portions until nothing is left, one at a time; one that fails is tried
 * again, and meanwhile the Schedule starts no other run.
 */
export async function scheduledJob({ job, cursor: from, at: since }: JobRef): Promise<void> {
  const at = since ?? intervalAt(job, workflowInfo().startTime.getTime());
  const { runPortion } = proxyActivities<JobActivities>({
    taskQueue: JOBS_QUEUE,
    startToCloseTimeout: '2 minutes',
    ...HEARTBEAT,
    retry: { initialInterval: '1s', maximumInterval: '1 minute' },
    summary: job,
  });
  let cursor = from ?? null;
  for (let n = 0; n < MAX_PORTIONS; n++) {
    ({ next: cursor } = await runPortion({ job, cursor, at }));
    if (cursor === null) return;
  }
  await continueAsNew<typeof scheduledJob>({ job, cursor: cursor!, at });
}
