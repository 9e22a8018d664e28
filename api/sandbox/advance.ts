/**
 * Advances a sandbox store's clock in steps (docs/contract.md#sandbox): to the next minute in which a run wakes or time at which a
 * scheduled job is due, waits until nothing is due, and repeats; then to the target. So one P20D has the same effect as twenty P1D. Holds
 * no transaction. Scheduled jobs keep their times (N12) even where a run does not get done.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StoreJob, STORE_JOBS } from '../../db/jobs/stores.ts';
import { forEachAtOnce } from '../../db/kernel/parallel.ts';
import { inTenant, realTime, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { completeOperation, type OperationKey } from '../../db/runs/operations.ts';
import {
  storeTarget,
  acquireClockLease,
  isQuiet,
  nextWake,
  openRuns,
  raiseOffset,
  readOffset,
  releaseClockLease,
} from '../../db/sandbox/clock.ts';
import { type RunRow, runOfRow } from '../../db/runs/rows.ts';
import { Fault, RetryLater } from '../../domain/kernel/errors.ts';
import { korean, MINUTE } from '../../domain/kernel/time.ts';
import { CLOCK_SIGNAL } from '../../workflows/kernel/messages.ts';
import { startOptions } from '../../workflows/kernel/start.ts';
import type { ApiDeps } from '../declare/deps.ts';

const ANSWER_MS = 10_000;
/** A step that takes longer (a receiver that hangs, an outage) is not waited for; its runs go on by themselves. */
const STEP_MS = 60_000;
const PARALLEL = 16;
/** Turns that do not come in five seconds each. */
const MAX_TRIES = 100;

type Deps = Pick<ApiDeps, 'orm' | 'clock' | 'temporal' | 'log'>;
interface Advancing {
  readonly deps: Deps;
  readonly storeId: string;
  readonly holder: string;
  /** When the caller stops waiting; real time. */
  readonly answerBy: number;
}
type Target = { readonly by: number } | { readonly to: number };

/**
 * Returns the store's time, and whether everything that fell due has happened; the rest goes on in the background. The target is stored
 * under the idempotency key first: a repeated request advances to the same time.
 */
export async function advanceClock(deps: Deps, storeId: string, target: Target, operation: OperationKey): Promise<Advanced> {
  const advancing: Advancing = { deps, storeId, holder: randomUUID(), answerBy: deps.clock.now() + ANSWER_MS };
  await queue(advancing);
  const work = fixTarget(advancing, target, operation)
    .then((to) => step(advancing, to))
    .finally(() => inTx(advancing, (tx) => releaseClockLease(tx, advancing.holder)));
  const left = Math.max(0, advancing.answerBy - deps.clock.now());
  const settled = await Promise.race([work, sleep(left, false, { ref: false })]);
  work.catch((error: unknown) => deps.log.warn({ err: error, storeId }, 'a clock advance ended early'));
  return inTx(advancing, async (tx) => {
    const advanced = { now: korean(deps.clock.now() + (await readOffset(tx))), settled };
    await completeOperation(tx, operation, { status: 200, body: advanced });
    return advanced;
  });
}
interface Advanced {
  readonly now: string;
  readonly settled: boolean;
}

/** The target: a duration counts from the time at which this advance begins; a repeated request gets the stored target. */
const fixTarget = (advancing: Advancing, target: Target, operation: OperationKey): Promise<number> =>
  inTx(advancing, async (tx) => {
    const { deps } = advancing;
    const realNow = deps.clock.now();
    const fresh = 'to' in target ? target.to : realNow + (await readOffset(tx)) + target.by;
    return storeTarget(tx, operation, fresh);
  });

const inTx = <T>({ deps, storeId }: Advancing, work: (tx: Tx) => Promise<T>): Promise<T> =>
  untilItsTurn(() => inTenant(deps.orm, realTime(storeId, deps.clock.now()), REQUEST, work));

/** Nobody repeats an advance that goes on in the background: where the store's turn does not come in time, it waits again. */
async function untilItsTurn<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RetryLater) || tries === MAX_TRIES) throw error;
      await sleep(1000);
    }
}

/** Serializes concurrent advances of one store. */
async function queue(advancing: Advancing): Promise<void> {
  const { deps, holder, answerBy } = advancing;
  while (!(await inTx(advancing, (tx) => acquireClockLease(tx, holder)))) {
    if (deps.clock.now() > answerBy) throw new Fault('TEMPORARILY_UNAVAILABLE');
    await sleep(50);
  }
}

async function step(advancing: Advancing, to: number): Promise<boolean> {
  let settled = true;
  let passed = await inTx(advancing, async (tx) => tx.realNow + (await readOffset(tx)));
  for (;;) {
    const jobStops = await jobStopsAfter(advancing, passed, to);
    // A run that does not get done is not waited for again: only scheduled jobs, which have times of their own, are still stopped for.
    const stop = firstOf(settled ? [...jobStops, ...(await runStops(advancing, to))] : jobStops);
    if (stop === null) break;
    if (settled) {
      const signaled = await advanceTo(advancing, stop.at, 'due');
      settled = await quiet(advancing, signaled);
    } else await advanceTo(advancing, stop.at, 'none');
    for (const job of stop.jobs) await runJob(advancing, job, stop.at);
    passed = Math.max(passed, stop.at);
  }
  const signaled = await advanceTo(advancing, to, 'all');
  settled = (await quiet(advancing, signaled)) && settled;
  for (const job of STORE_JOBS) if (job.stops === 'end') await runJob(advancing, job, to);
  return settled;
}

interface Stop {
  readonly at: number;
  /** Scheduled jobs that are due then. */
  readonly jobs: readonly StoreJob[];
}
/**
 * The next time up to `to` at which each scheduled job is due, behind the stops that were made: one that went by in a wait is made late.
 */
const jobStopsAfter = (advancing: Advancing, passed: number, to: number): Promise<readonly Stop[]> =>
  inTx(advancing, async (tx) => {
    const stops: Stop[] = [];
    for (const job of STORE_JOBS) {
      const at = job.stops === 'end' ? null : await job.stops(tx, passed, to);
      if (at !== null) stops.push({ at, jobs: [job] });
    }
    return stops;
  });

/** The next minute up to `to` in which a run wakes. */
const runStops = (advancing: Advancing, to: number): Promise<readonly Stop[]> =>
  inTx(advancing, async (tx) => {
    const wake = await nextWake(tx, to);
    return wake === null ? [] : [{ at: Math.min(Math.ceil(wake / MINUTE) * MINUTE, to), jobs: [] }];
  });

function firstOf(stops: readonly Stop[]): Stop | null {
  const at = Math.min(...stops.map((stop) => stop.at));
  return stops.length === 0 ? null : { at, jobs: stops.flatMap((stop) => (stop.at === at ? stop.jobs : [])) };
}

/** Runs a scheduled job for the store, as at its time, a portion after the other. */
async function runJob(advancing: Advancing, { due, work }: StoreJob, at: number): Promise<void> {
  const { deps, storeId, holder } = advancing;
  const inJob = <T>(task: (tx: Tx) => Promise<T>) =>
    untilItsTurn(() => inTenant(deps.orm, { storeId, at, realNow: deps.clock.now() }, REQUEST, task));
  for (;;) {
    await inTx(advancing, (tx) => acquireClockLease(tx, holder));
    const found = await inJob(due);
    if (found.length === 0) return;
    await forEachAtOnce(found, PARALLEL, (one) => inJob((tx) => work(tx, one)));
  }
}

/** Commits the offset for the time `to`, and signals the runs that are due, all open ones, or none. Returns their workflow ids. */
async function advanceTo(advancing: Advancing, to: number, whom: 'due' | 'all' | 'none'): Promise<Set<string>> {
  const { deps, holder } = advancing;
  const wanted = to - deps.clock.now();
  const { offset, runs } = await inTx(advancing, async (tx) => {
    await acquireClockLease(tx, holder);
    await raiseOffset(tx, wanted);
    const offset = await readOffset(tx);
    const runs = whom === 'none' ? [] : await openRuns(tx, whom === 'due' ? deps.clock.now() + offset : null);
    return { offset, runs };
  });
  await signalRuns(advancing, runs, offset);
  return new Set(runs.map((run) => run.workflow_id));
}

async function signalRuns({ deps }: Advancing, runs: readonly RunRow[], offset: number): Promise<void> {
  for (let i = 0; i < runs.length; i += PARALLEL) {
    // A run whose signal fails is woken by the reconciler; `quiet` waits for it.
    await Promise.allSettled(
      runs.slice(i, i + PARALLEL).map((row) => {
        const options = { ...startOptions(runOfRow(row)), signal: CLOCK_SIGNAL, signalArgs: [offset] };
        return deps.temporal.withDeadline(Date.now() + 5000, () => deps.temporal.workflow.signalWithStart(row.workflow_type, options));
      }),
    );
  }
}

/**
 * Waits until nothing is due. Real time goes on meanwhile: runs that fall due in these seconds are signaled too, because their timers were
 * started with an older offset.
 */
async function quiet(advancing: Advancing, signaled: Set<string>): Promise<boolean> {
  const { deps, holder } = advancing;
  const end = deps.clock.now() + STEP_MS;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 200)) {
    const { done, offset, due } = await inTx(advancing, async (tx) => {
      await acquireClockLease(tx, holder);
      const offset = await readOffset(tx);
      const now = deps.clock.now() + offset;
      return { done: await isQuiet(tx, now), offset, due: await openRuns(tx, now) };
    });
    if (done) return true;
    const unsignaled = due.filter(({ workflow_id: id }) => !signaled.has(id));
    for (const { workflow_id: id } of unsignaled) signaled.add(id);
    await signalRuns(advancing, unsignaled, offset);
    if (deps.clock.now() > end) return false;
    await sleep(pause);
  }
}
