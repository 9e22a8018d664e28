/** What the transitions of all workflow types share. */
import { Fault } from '../../domain/kernel/errors.ts';
import { dateOf } from '../../domain/kernel/time.ts';
import type { CommandEnvelope, Plan, RunEvent, RunRef, WorkflowType } from '../../workflows/kernel/messages.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Keyring } from '../kernel/keyring.ts';
import { type Counting, countAction } from '../aiActions/commands.ts';
import { announceCommit, type Tx } from '../kernel/tx.ts';
import { findStore } from '../stores/queries.ts';
import { effectOf, type Sofar, sofar } from './effect.ts';
import { completeOperation, isFirst, reserveOperation } from './operations.ts';
import { passOrigin, recordCommand, type Views } from './origin.ts';

/** The result of a transition: the plan, the store's clock offset (ms), and for a command the reply to its caller. */
export interface TransitionResult<T extends WorkflowType> {
  readonly plan: Omit<Plan<T>, 'clock'>;
  readonly clock: number;
  readonly reply?: { readonly status: number; readonly body: unknown };
  /** What GET shows before and after a command. */
  readonly views?: Views;
}
/** Locks the row, decides, writes. Null when the row does not exist. */
export type Transition<T extends WorkflowType> = (tx: Tx, run: RunRef, event: RunEvent<T>) => Promise<TransitionResult<T> | null>;

/** A workflow type and its transition. */
export interface RunTransition<T extends WorkflowType> {
  readonly workflowType: T;
  readonly transition: Transition<T>;
}

/**
 * A run's transition, in the caller's transaction: the operation row first, then the entity's own transition, then the row in `run`. A
 * command that was carried out before changes nothing. One whose `notAfter` has passed is refused with TEMPORARILY_UNAVAILABLE, checked at
 * the beginning and again before the commit, which happens within COMMIT_MS or never (X26). APPROVAL_STALE: it would do something else than
 * what was approved. `clock`: the real one.
 */
export async function transitionRun<T extends WorkflowType>(
  tx: Tx,
  { workflowType, transition }: RunTransition<T>,
  run: RunRef,
  event: RunEvent<T>,
  { clock, keyring }: { readonly clock: Clock; readonly keyring: Keyring },
): Promise<Plan<T>> {
  const isRepeated = event.type === 'command' && (await wasCarriedOut(tx, event.command));
  const at = event.type === 'load' ? tx.at + (await clockLag(tx, run)) : tx.at;
  const { origin, typed } = await passOrigin(tx, event, at, keyring);
  const before = sofar(tx);
  const isCompared = tx.isCompared === true || (event.type === 'command' && event.command.expects !== undefined);
  const result = await transition({ ...tx, at, origin, isCompared }, run, isRepeated ? { type: 'load' } : event);
  if (result === null) {
    await writeRun(tx, workflowType, run, GONE);
    return { ...GONE, clock: 0 };
  }
  const fresh = event.type === 'command' && !isRepeated ? event.command : null;
  if (fresh) await replyTo(tx, fresh, result, before);
  await tx.em.flush();
  await writeRun(tx, workflowType, run, result.plan);
  if (event.type === 'command')
    await recordCommand(tx, event.command, { entityId: entityOf(run, event.command), typed, views: result.views ?? null, isRepeated });
  if (fresh) await countAndCheck(tx, fresh, clock);
  return { ...result.plan, clock: result.clock };
}

/** Stores a command's reply, unless it did something else than what was approved. */
async function replyTo<T extends WorkflowType>(
  tx: Tx,
  command: CommandEnvelope,
  result: TransitionResult<T>,
  before: Sofar,
): Promise<void> {
  const { expects, operation } = command;
  if (expects !== undefined && effectOf(result, tx, before) !== expects) throw new Fault('APPROVAL_STALE');
  if (result.reply) await completeOperation(tx, operation, result.reply);
}
async function countAndCheck(tx: Tx, command: CommandEnvelope, clock: Clock): Promise<void> {
  const counting = await countingOf(tx, command);
  if (counting) await countAction(tx, counting);
  await checkDeadlineAgain(tx, command, clock);
}

/** Whom a command changes: of those of a group's run, the member that it names. */
const entityOf = ({ entityId }: RunRef, { input }: { readonly input: object }): string =>
  'orderItemId' in input && typeof input.orderItemId === 'string' ? input.orderItemId : entityId;

/**
 * How far the clock that a run knows is behind its store's, in milliseconds: a run that has just been started knows no offset yet. Without
 * it a sandbox store that is days ahead would date what its first transition begins days back.
 */
async function clockLag(tx: Tx, { clock = 0 }: RunRef): Promise<number> {
  const store = await findStore(tx);
  return Math.max(0, (store?.clockOffsetMs ?? 0) - clock);
}

/** How the command is counted as an agent's action; of a bulk, only the first that is carried out. */
async function countingOf(tx: Tx, { operation, aiActions, bulkAction }: CommandEnvelope): Promise<Counting | null> {
  if (!bulkAction) return aiActions ?? null;
  return (await isFirst(tx, { ...operation, key: bulkAction.key })) ? bulkAction.counting : null;
}

/** Locks may have delayed the transition: a caller that got a 503 meanwhile relies on it not being committed. */
async function checkDeadlineAgain(tx: Tx, { notAfter }: CommandEnvelope, clock: Clock): Promise<void> {
  if (tx.isRehearsal) return;
  await announceCommit(tx);
  if (clock.now() > notAfter) throw new Fault('TEMPORARILY_UNAVAILABLE');
}

const GONE: Omit<Plan<never>, 'clock'> = { wakeAt: null, calls: [], done: true, note: 'The row is gone.', status: 'GONE' };

async function wasCarriedOut(tx: Tx, command: CommandEnvelope): Promise<boolean> {
  const { realNow } = tx;
  if ((await reserveOperation(tx, command.operation)) !== 'new') return true;
  if (!tx.isRehearsal && realNow > command.notAfter) throw new Fault('TEMPORARILY_UNAVAILABLE');
  return false;
}

async function writeRun({ sql, realNow }: Tx, workflowType: WorkflowType, run: RunRef, plan: Omit<Plan, 'clock'>): Promise<void> {
  const wakeAt = plan.done ? null : dateOf(plan.wakeAt);
  const now = new Date(realNow);
  await sql`UPDATE run SET wake_at = ${wakeAt}, is_poll_only = ${plan.isPollOnly === true},
    done_at = CASE WHEN ${plan.done} THEN coalesce(done_at, ${now}) END, loaded_at = coalesce(loaded_at, ${now}),
       wakes = CASE WHEN wake_at IS DISTINCT FROM ${wakeAt} THEN 0 ELSE wakes END,
       grace_from = CASE WHEN wake_at IS DISTINCT FROM ${wakeAt} THEN NULL ELSE grace_from END WHERE store_id = ${run.storeId}
         AND workflow_type = ${workflowType}
         AND entity_id = ${run.entityId}`;
}
