/**
 * Scheduled jobs: work that no row owns, at an interval of real time, in all stores. A Temporal Schedule of the job's name starts its
 * workflow (worker/schedules.ts), which runs portions (activities/jobs.ts) until nothing is left. A portion is idempotent.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Timing {
  readonly everyMs: number;
  /** After the beginning of each interval, which are counted from 1970. */
  readonly offsetMs: number;
}
export const JOBS = {
  /** Records which points have expired. */
  'point-expiry': { everyMs: 10 * MINUTE, offsetMs: 0 },
  /** Compares every member's points with their history, at four in the Korean morning. */
  'point-check': { everyMs: 24 * HOUR, offsetMs: 19 * HOUR },
  /** Counts visits into the sums that reports read, in all stores. */
  'visit-counts': { everyMs: 10 * MINUTE, offsetMs: 0 },
} as const satisfies Readonly<Record<string, Timing>>;
export type JobName = keyof typeof JOBS;
export const JOB_NAMES = Object.keys(JOBS) as readonly JobName[];

/** The task queue of their portions. */
export const JOBS_QUEUE = 'scheduled-jobs';
/** The workflow type of all jobs. */
export const JOB_WORKFLOW = 'scheduledJob';

/** The input of the workflow; `cursor`, `at` and `portions` after continue-as-new only. */
export interface JobRef {
  readonly job: JobName;
  readonly cursor?: string;
  readonly at?: number;
}
/** One portion: from where on (null: the beginning), and the real time that the whole run counts as. */
export interface Portion {
  readonly job: JobName;
  readonly cursor: string | null;
  readonly at: number;
}
/** Where the next portion goes on; null at the end. Ids and times only. */
export interface PortionDone {
  readonly next: string | null;
}
export interface JobActivities {
  readonly runPortion: (portion: Portion) => Promise<PortionDone>;
}

/** The beginning of the interval in which a run of the job starts: its time, however late its portions are. */
export function intervalAt(job: JobName, startedAt: number): number {
  const { everyMs, offsetMs } = JOBS[job];
  return Math.floor((startedAt - offsetMs) / everyMs) * everyMs + offsetMs;
}
