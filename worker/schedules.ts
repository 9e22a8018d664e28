/**
 * The Temporal Schedules of the scheduled jobs (workflows/kernel/jobs.ts): created where there is none, updated where one differs. Every
 * worker does it at its start and now and then, so that a new namespace gets them, too. A Schedule that an operator has paused stays
 * paused.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Log } from '../db/kernel/log.ts';
import { MINUTE } from '../domain/kernel/time.ts';
import { JOB_NAMES, JOB_WORKFLOW, type JobName, JOBS } from '../workflows/kernel/jobs.ts';
import { RUNS_QUEUE } from '../workflows/kernel/queues.ts';

const AGAIN_MS = 5 * MINUTE;
const RETRY_MS = 2000;

export interface SchedulesDeps {
  readonly client: Client;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Until aborted. */
export async function runSchedules(deps: SchedulesDeps): Promise<void> {
  while (!deps.signal.aborted) {
    const failed = await ensureSchedules(deps.client).then(
      () => false,
      (error: unknown) => {
        deps.log.warn({ err: error }, 'schedules could not be ensured; trying again');
        return true;
      },
    );
    await sleep(failed ? RETRY_MS : AGAIN_MS, undefined, { signal: deps.signal }).catch(() => {});
  }
}

async function ensureSchedules({ schedule }: Client): Promise<void> {
  for (const job of JOB_NAMES) {
    const handle = schedule.getHandle(job);
    const found = await handle.describe().catch(nullWhereMissing);
    if (found === null) await schedule.create({ scheduleId: job, ...wanted(job) }).catch(nullWhereMade);
    else if (JSON.stringify(found.memo) !== JSON.stringify(wanted(job).memo))
      await handle.update(({ state }) => ({ ...wanted(job), state }));
  }
}

/** The memo says with which timing it was written. One run at a time; of those that were missed, the last one. */
const wanted = (job: JobName) => ({
  memo: { ...JOBS[job] },
  spec: { intervals: [{ every: JOBS[job].everyMs, offset: JOBS[job].offsetMs }] },
  action: {
    type: 'startWorkflow' as const,
    workflowType: JOB_WORKFLOW,
    workflowId: `job/${job}`,
    taskQueue: RUNS_QUEUE,
    args: [{ job }],
    priority: { priorityKey: 5 },
    staticSummary: job,
  },
  policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: JOBS[job].everyMs },
});

function nullWhereMissing(error: unknown): null {
  if (error instanceof ScheduleNotFoundError) return null;
  throw error;
}
/** Another worker was faster. */
function nullWhereMade(error: unknown): null {
  if (error instanceof ScheduleAlreadyRunning) return null;
  throw error;
}
