/**
 * Advances a sandbox store's clock stepwise (spec/shapes.md § A sandbox store's clock): the next minute in which a
 * run wakes, wait until all is quiet, repeat; then the target. So one P20D ends like twenty P1D. Holds no transaction.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Em, inStore, REQUEST } from '../../db/orm.ts';
import { holdClock, isQuiet, nextWake, openRuns, raiseOffset, readOffset, releaseClock } from '../../db/stores/clock.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { MINUTE } from '../../workflows/kernel/time.ts';
import { startOptions } from '../../workflows/kernel/start.ts';
import type { ApiDeps } from '../kernel/deps.ts';

const ANSWER_MS = 10_000;
/** A step that does not settle for so long (a dead receiver, an outage) is left behind; its runs go on by themselves. */
const STEP_MS = 60_000;
const PARALLEL = 16;

interface Advancing {
  readonly deps: ApiDeps;
  readonly storeId: string;
  readonly holder: string;
  /** When the caller stops waiting; real time. */
  readonly answerBy: number;
}
type Target = { readonly by: number } | { readonly to: number };

/** Answers the store's time and whether all that fell due has happened; what has not by then goes on behind. */
export async function advanceClock(deps: ApiDeps, storeId: string, target: Target): Promise<{ now: number; settled: boolean }> {
  const advancing: Advancing = { deps, storeId, holder: randomUUID(), answerBy: deps.clock.now() + ANSWER_MS };
  await queue(advancing);
  const work = step(advancing, target).finally(() => inTx(advancing, (em) => releaseClock(em, storeId, advancing.holder)));
  const left = Math.max(0, advancing.answerBy - deps.clock.now());
  const settled = await Promise.race([work, sleep(left, false, { ref: false })]);
  work.catch((error: unknown) => deps.log.warn({ err: error, storeId }, 'a clock advance ended early'));
  return { now: deps.clock.now() + (await inTx(advancing, (em) => readOffset(em, storeId))), settled };
}

const inTx = <T>({ deps, storeId }: Advancing, work: (em: Em) => Promise<T>) => inStore(deps.orm, storeId, REQUEST, work);

/** Concurrent advances of one store go one after the other. */
async function queue(advancing: Advancing): Promise<void> {
  const { deps, storeId, holder, answerBy } = advancing;
  while (!(await inTx(advancing, (em) => holdClock(em, storeId, holder, deps.clock.now())))) {
    if (deps.clock.now() > answerBy) throw new Fault('TEMPORARILY_UNAVAILABLE');
    await sleep(50);
  }
}

async function step(advancing: Advancing, target: Target): Promise<boolean> {
  const { deps, storeId } = advancing;
  const now = () => deps.clock.now();
  const began = await inTx(advancing, (em) => readOffset(em, storeId));
  const to = 'to' in target ? target.to : now() + began + target.by;
  let settled = true;
  for (;;) {
    const wake = await inTx(advancing, (em) => nextWake(em, storeId, to));
    if (wake === null) break;
    const minute = Math.min(Math.ceil(wake / MINUTE) * MINUTE, to);
    await moveTo(advancing, minute, true);
    settled = (await quiet(advancing)) && settled;
    if (!settled) break;
  }
  await moveTo(advancing, to, false);
  return (await quiet(advancing)) && settled;
}

/** Commits the offset at which it is `to`, and tells the runs: those that are due, or every open one. */
async function moveTo(advancing: Advancing, to: number, dueOnly: boolean): Promise<void> {
  const { deps, storeId, holder } = advancing;
  const wanted = to - deps.clock.now();
  const { offset, runs } = await inTx(advancing, async (em) => {
    await holdClock(em, storeId, holder, deps.clock.now());
    await raiseOffset(em, storeId, wanted);
    const is = await readOffset(em, storeId);
    return { offset: is, runs: await openRuns(em, storeId, dueOnly ? deps.clock.now() + is : null) };
  });
  for (let i = 0; i < runs.length; i += PARALLEL) {
    await Promise.all(
      runs.slice(i, i + PARALLEL).map(({ kind, workflow_id: workflowId, run_id: runId, order_no: orderNo }) => {
        const options = startOptions({ storeId, kind, workflowId, runId, orderNo });
        return deps.temporal.withDeadline(Date.now() + 5000, () =>
          deps.temporal.workflow.signalWithStart(kind, { ...options, signal: 'clock', signalArgs: [offset] }),
        );
      }),
    );
  }
}

async function quiet(advancing: Advancing): Promise<boolean> {
  const { deps, storeId, holder } = advancing;
  const end = deps.clock.now() + STEP_MS;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 200)) {
    const done = await inTx(advancing, async (em) => {
      await holdClock(em, storeId, holder, deps.clock.now());
      return isQuiet(em, storeId, deps.clock.now() + (await readOffset(em, storeId)));
    });
    if (done) return true;
    if (deps.clock.now() > end) return false;
    await sleep(pause);
  }
}
