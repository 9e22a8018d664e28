/** Runs, their births, and the transition that every workflow-owned row goes through. */
import type { Command, Owed, RunEvent, RunKind, RunRef } from '../../workflows/kernel/obligations.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Clock } from '../kernel/clock.ts';
import { currentTrace } from '../kernel/tracing.ts';
import { announceCommit, type Em, sql } from '../orm.ts';
import { OutboxEntity, RunEntity } from './entities.ts';
import { claimOperation, completeOperation, keyOf } from './operations.ts';

export interface Birth {
  readonly storeId: string;
  readonly kind: RunKind;
  readonly workflowId: string;
  readonly runId: string;
  readonly orderNo: string | null;
  /** Business time at which the run must first do something by itself. */
  readonly wakeAt: number | null;
  /** What the run's row says at first; operators filter by it. */
  readonly status: string;
  /** Real time. */
  readonly bornAt: number;
  /** A run that a command will very likely start within seconds need not be started by the relay first. */
  readonly startAfterMs?: number;
  /** Whether others of its kind are started first. */
  readonly yields?: boolean;
}

/** A run is born in the transaction of its cause, with the outbox row that starts its workflow. */
export function bear(em: Em, birth: Birth): void {
  const { storeId, kind, workflowId, runId, orderNo, status, startAfterMs, yields = false } = birth;
  const createdAt = new Date(birth.bornAt);
  const notBefore = startAfterMs === undefined ? null : new Date(birth.bornAt + startAfterMs);
  const wakeAt = birth.wakeAt === null ? null : new Date(birth.wakeAt);
  const traceparent = currentTrace();
  em.persist(em.create(RunEntity, { storeId, kind, workflowId, runId, orderNo, wakeAt, loadedAt: null, doneAt: null, createdAt }));
  em.persist(
    em.create(OutboxEntity, {
      storeId,
      message: 'start',
      kind,
      workflowId,
      runId,
      orderNo,
      status,
      wakeAt,
      createdAt,
      notBefore,
      yields,
      traceparent,
    }),
  );
}

/** Asks a run to look again, once this transaction is committed. */
export function pokeLater(em: Em, run: Pick<Birth, 'storeId' | 'kind' | 'workflowId' | 'runId' | 'orderNo'>, realNow: number): void {
  em.persist(em.create(OutboxEntity, { ...run, message: 'poke', createdAt: new Date(realNow), traceparent: currentTrace() }));
}

/**
 * Brings a finished run back, because its row owes something again: its workflow is started anew, and the reconciler watches it. Its
 * line may have been swept meanwhile.
 */
export async function reopen(
  em: Em,
  run: Pick<Birth, 'storeId' | 'kind' | 'workflowId' | 'runId' | 'orderNo'>,
  wakeAt: number,
  realNow: number,
): Promise<void> {
  await sql(
    em,
    `INSERT INTO run (store_id, workflow_id, kind, run_id, order_no, wake_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, workflow_id) DO UPDATE SET done_at = NULL, wake_at = excluded.wake_at, pokes = 0, poked_at = NULL, grace_from = NULL`,
    [run.storeId, run.workflowId, run.kind, run.runId, run.orderNo, new Date(wakeAt), new Date(realNow)],
  );
  pokeLater(em, run, realNow);
}

/** What a kind's transition answers: what is owed, and for a command the reply that its caller gets. */
export interface Moved {
  readonly owed: Omit<Owed, 'clock'>;
  readonly clock: number;
  readonly reply?: { readonly status: number; readonly body: unknown };
}
/** One transition of a kind: locks the row, applies the rule, writes. Null when the row is gone. */
export type Move = (em: Em, run: RunRef, event: RunEvent, at: number) => Promise<Moved | null>;

/** A kind of run: its name in `run` and its transition. */
export interface KindOfRun {
  readonly kind: RunKind;
  readonly move: Move;
}

/**
 * A run's transition, all in the caller's transaction: operation row first, then the move, then the run line. A
 * command that was carried out before moves nothing; one that comes after its `notAfter` is refused, judged at the begin and again
 * before the commit, which comes at most COMMIT_MS later or never (X26). The clock is the real one.
 */
export async function transition(em: Em, { kind, move }: KindOfRun, run: RunRef, event: RunEvent, at: number, clock: Clock): Promise<Owed> {
  const realNow = clock.now();
  const repeated = event.type === 'command' && (await isRepeated(em, run, event.command, realNow));
  const moved = await move(em, run, repeated ? { type: 'load' } : event, at);
  if (moved === null) {
    await writeRun(em, kind, run, GONE, realNow);
    return { ...GONE, clock: 0 };
  }
  if (event.type === 'command' && !repeated && moved.reply)
    await completeOperation(em, run.storeId, keyOf(event.command.operation), moved.reply);
  await em.flush();
  await writeRun(em, kind, run, moved.owed, realNow);
  if (event.type === 'command' && !repeated) await judgeAgain(em, event.command, clock);
  return { ...moved.owed, clock: moved.clock };
}

/** Locks may have held the transition up: who was told meanwhile that it never will be done must be right. */
async function judgeAgain(em: Em, { notAfter }: Command, clock: Clock): Promise<void> {
  await announceCommit(em);
  if (clock.now() > notAfter) throw new Fault('TEMPORARILY_UNAVAILABLE');
}

const GONE: Omit<Owed, 'clock'> = { wakeAt: null, calls: [], done: true, note: 'The row is gone.', status: 'GONE' };

async function isRepeated(em: Em, run: RunRef, command: Command, realNow: number): Promise<boolean> {
  const claim = await claimOperation(em, run.storeId, keyOf(command.operation), realNow);
  if (claim !== 'new') return true;
  if (realNow > command.notAfter) throw new Fault('TEMPORARILY_UNAVAILABLE');
  return false;
}

async function writeRun(em: Em, kind: RunKind, run: RunRef, owed: Omit<Owed, 'clock'>, realNow: number): Promise<void> {
  const wakeAt = owed.done || owed.wakeAt === null ? null : new Date(owed.wakeAt);
  const now = new Date(realNow);
  await sql(
    em,
    `UPDATE run SET wake_at = ?, is_idle = ?, done_at = CASE WHEN ? THEN coalesce(done_at, ?) END, loaded_at = coalesce(loaded_at, ?),
       pokes = CASE WHEN wake_at IS DISTINCT FROM ? THEN 0 ELSE pokes END,
       grace_from = CASE WHEN wake_at IS DISTINCT FROM ? THEN NULL ELSE grace_from END WHERE store_id = ? AND kind = ? AND run_id = ?`,
    [wakeAt, owed.isIdle === true, owed.done, now, now, wakeAt, wakeAt, run.storeId, kind, run.runId],
  );
}
