/** Runs: opened in the transaction of their cause, woken, reopened. */
import type { RunIds } from '../../workflows/kernel/messages.ts';
import { currentTrace } from '../kernel/tracing.ts';
import type { Tx } from '../kernel/tx.ts';
import { dateOf } from '../../domain/kernel/time.ts';
import { OutboxEntity, RunEntity } from './entities.ts';

export interface NewRun extends RunIds {
  /** Business time of the first timer; null: none. */
  readonly wakeAt: number | null;
  /** The initial status, a search attribute. */
  readonly status: string;
  /** Real time. */
  readonly createdAt: number;
  /** Delays the start by the relay, for a run that a command's update-with-start will probably start within seconds. */
  readonly startAfterMs?: number;
  /** A delivery to a receiver that fails: the relay starts others first. */
  readonly yields?: boolean;
}

/** Inserts a run, with the outbox row that starts its workflow, in the transaction of its cause. */
export function openRun({ em, isRehearsal }: Tx, run: NewRun): void {
  const { storeId, workflowType, workflowId, entityId, orderNo, status, startAfterMs, yields = false } = run;
  const createdAt = new Date(run.createdAt);
  const notBefore = startAfterMs === undefined ? null : new Date(run.createdAt + startAfterMs);
  const wakeAt = dateOf(run.wakeAt);
  const traceparent = currentTrace();
  em.persist(
    em.create(RunEntity, { storeId, workflowType, workflowId, entityId, orderNo, wakeAt, loadedAt: null, doneAt: null, createdAt }),
  );
  if (isRehearsal) return;
  em.persist(
    em.create(OutboxEntity, {
      storeId,
      message: 'start',
      workflowType,
      workflowId,
      entityId,
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

/** The same for many, in one statement: as entities, two hundred runs would keep a process from everything else for a tenth of a second. */
export async function openRuns({ sql, isRehearsal = false }: Tx, runs: readonly Omit<NewRun, 'startAfterMs'>[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map(({ wakeAt, createdAt, yields = false, ...run }) => ({
    ...run,
    yields,
    wakeAt: dateOf(wakeAt),
    createdAt: new Date(createdAt),
  }));
  await sql`WITH opened AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r
      ("storeId" text, "workflowType" text, "workflowId" text, "entityId" text, "orderNo" text, status text, "wakeAt" timestamptz,
      "createdAt" timestamptz, yields boolean)),
    run AS (INSERT INTO run (store_id, workflow_type, workflow_id, entity_id, order_no, wake_at, created_at)
      SELECT "storeId", "workflowType", "workflowId", "entityId", "orderNo", "wakeAt", "createdAt" FROM opened)
    INSERT INTO outbox
      (store_id, message, workflow_type, workflow_id, entity_id, order_no, status, wake_at, created_at, yields, traceparent)
    SELECT "storeId", 'start', "workflowType", "workflowId", "entityId", "orderNo", status, "wakeAt", "createdAt", yields,
      ${currentTrace()}::text FROM opened WHERE NOT ${isRehearsal}::boolean`;
}

/** Inserts an outbox row that wakes a run after the commit: it loads its row again. */
export function enqueueWake({ em, realNow, isRehearsal }: Tx, run: RunIds): void {
  if (isRehearsal) return;
  em.persist(em.create(OutboxEntity, { ...run, message: 'wake', createdAt: new Date(realNow), traceparent: currentTrace() }));
}

/**
 * The same, and until each run has loaded its row, which the caller has locked, it is due: a sandbox's clock waits for it, and the
 * reconciler wakes it when the wake gets lost. Passed over is what the reconciler is waking: it is due already.
 */
export async function enqueueDueWakes(tx: Tx, runs: readonly RunIds[]): Promise<void> {
  for (const run of runs) enqueueWake(tx, run);
  if (tx.isRehearsal) return;
  const ids = runs.map(({ workflowId }) => workflowId);
  await tx.sql`UPDATE run SET wake_at = least(wake_at, ${new Date(tx.at)}) WHERE store_id = ${tx.storeId} AND workflow_id IN (
    SELECT workflow_id FROM run WHERE store_id = ${tx.storeId} AND workflow_id = ANY (${ids}::text[]) AND done_at IS NULL
      FOR NO KEY UPDATE SKIP LOCKED)`;
}

/**
 * Reopens a run whose row has something to do again: its workflow is started again, and the reconciler covers it. Its row in `run` may have
 * been deleted by retention.
 */
export async function reopenRun(tx: Tx, run: RunIds, wakeAt: number): Promise<void> {
  const { sql, realNow } = tx;
  await sql`INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, order_no, wake_at, created_at)
    VALUES (${run.storeId}, ${run.workflowId}, ${run.workflowType}, ${run.entityId}, ${run.orderNo}, ${new Date(wakeAt)},
    ${new Date(realNow)})
     ON CONFLICT (store_id, workflow_id) DO UPDATE
       SET done_at = NULL, wake_at = excluded.wake_at, wakes = 0, woken_at = NULL, grace_from = NULL`;
  enqueueWake(tx, run);
}
