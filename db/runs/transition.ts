/** What the transitions of all workflow types share. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { CommandEnvelope, Plan, RunEvent, RunRef, WorkflowType } from '../../workflows/kernel/messages.ts';
import type { Clock } from '../kernel/clock.ts';
import { announceCommit, type Em, sql } from '../kernel/tx.ts';
import { completeOperation, reserveOperation } from './operations.ts';

/** The result of a transition: the plan, the store's clock offset (ms), and for a command the reply to its caller. */
export interface TransitionResult<T extends WorkflowType> {
  readonly plan: Omit<Plan<T>, 'clock'>;
  readonly clock: number;
  readonly reply?: { readonly status: number; readonly body: unknown };
}
/** Locks the row, decides, writes. Null when the row does not exist. */
export type Transition<T extends WorkflowType> = (
  em: Em,
  run: RunRef,
  event: RunEvent<T>,
  at: number,
) => Promise<TransitionResult<T> | null>;

/** A workflow type and its transition. */
export interface RunTransition<T extends WorkflowType> {
  readonly workflowType: T;
  readonly transition: Transition<T>;
}

/**
 * A run's transition, in the caller's transaction: the operation row first, then the entity's own transition, then the row in `run`. A
 * command that was carried out before changes nothing. One whose `notAfter` has passed is refused with TEMPORARILY_UNAVAILABLE, checked at
 * the beginning and again before the commit, which happens within COMMIT_MS or never (X26). `clock`: the real one.
 */
export async function transitionRun<T extends WorkflowType>(
  em: Em,
  { workflowType, transition }: RunTransition<T>,
  run: RunRef,
  event: RunEvent<T>,
  at: number,
  clock: Clock,
): Promise<Plan<T>> {
  const realNow = clock.now();
  const isRepeated = event.type === 'command' && (await wasCarriedOut(em, run, event.command, realNow));
  const businessAt = event.type === 'load' ? at + (await clockLag(em, run)) : at;
  const result = await transition(em, run, isRepeated ? { type: 'load' } : event, businessAt);
  if (result === null) {
    await writeRun(em, workflowType, run, GONE, realNow);
    return { ...GONE, clock: 0 };
  }
  if (event.type === 'command' && !isRepeated && result.reply)
    await completeOperation(em, run.storeId, event.command.operation, result.reply);
  await em.flush();
  await writeRun(em, workflowType, run, result.plan, realNow);
  if (event.type === 'command' && !isRepeated) await checkDeadlineAgain(em, event.command, clock);
  return { ...result.plan, clock: result.clock };
}

/**
 * How far the clock that a run knows is behind its store's, in milliseconds: a run that has just been started knows no offset yet. Without
 * it a sandbox store that is days ahead would date what its first transition begins days back.
 */
async function clockLag(em: Em, { storeId, clock = 0 }: RunRef): Promise<number> {
  const [store] = await sql<{ clock_offset_ms: string }>(em, 'SELECT clock_offset_ms FROM store WHERE store_id = ?', [storeId]);
  return Math.max(0, Number(store?.clock_offset_ms ?? 0) - clock);
}

/** Locks may have delayed the transition: a caller that got a 503 meanwhile relies on it not being committed. */
async function checkDeadlineAgain(em: Em, { notAfter }: CommandEnvelope, clock: Clock): Promise<void> {
  await announceCommit(em);
  if (clock.now() > notAfter) throw new Fault('TEMPORARILY_UNAVAILABLE');
}

const GONE: Omit<Plan<never>, 'clock'> = { wakeAt: null, calls: [], done: true, note: 'The row is gone.', status: 'GONE' };

async function wasCarriedOut(em: Em, run: RunRef, command: CommandEnvelope, realNow: number): Promise<boolean> {
  if ((await reserveOperation(em, run.storeId, command.operation, realNow)) !== 'new') return true;
  if (realNow > command.notAfter) throw new Fault('TEMPORARILY_UNAVAILABLE');
  return false;
}

async function writeRun(em: Em, workflowType: WorkflowType, run: RunRef, plan: Omit<Plan, 'clock'>, realNow: number): Promise<void> {
  const wakeAt = plan.done || plan.wakeAt === null ? null : new Date(plan.wakeAt);
  const now = new Date(realNow);
  await sql(
    em,
    `UPDATE run SET wake_at = ?, is_poll_only = ?, done_at = CASE WHEN ? THEN coalesce(done_at, ?) END, loaded_at = coalesce(loaded_at, ?),
       wakes = CASE WHEN wake_at IS DISTINCT FROM ? THEN 0 ELSE wakes END,
       grace_from = CASE WHEN wake_at IS DISTINCT FROM ? THEN NULL ELSE grace_from END WHERE store_id = ? AND workflow_type = ?
         AND entity_id = ?`,
    [wakeAt, plan.isPollOnly === true, plan.done, now, now, wakeAt, wakeAt, run.storeId, workflowType, run.entityId],
  );
}
