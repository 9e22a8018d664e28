/** Runs: opened in the transaction of their cause, woken, opened again. */
import type { WorkflowType } from '../../workflows/kernel/messages.ts';
import { currentTrace } from '../kernel/tracing.ts';
import { type Em, sql } from '../kernel/tx.ts';
import { OutboxEntity, RunEntity } from './entities.ts';

export interface NewRun {
  readonly storeId: string;
  readonly workflowType: WorkflowType;
  readonly workflowId: string;
  readonly entityId: string;
  readonly orderNo: string | null;
  /** Business time at which the run must first do something by itself. */
  readonly wakeAt: number | null;
  /** What the run's row says at first; operators filter by it. */
  readonly status: string;
  /** Real time. */
  readonly createdAt: number;
  /** A run that a command will very likely start within seconds need not be started by the relay first. */
  readonly startAfterMs?: number;
  /** Whether others of its kind are started first. */
  readonly yields?: boolean;
}

/** A run is opened in the transaction of its cause, with the outbox row that starts its workflow. */
export function openRun(em: Em, run: NewRun): void {
  const { storeId, workflowType, workflowId, entityId, orderNo, status, startAfterMs, yields = false } = run;
  const createdAt = new Date(run.createdAt);
  const notBefore = startAfterMs === undefined ? null : new Date(run.createdAt + startAfterMs);
  const wakeAt = run.wakeAt === null ? null : new Date(run.wakeAt);
  const traceparent = currentTrace();
  em.persist(
    em.create(RunEntity, { storeId, workflowType, workflowId, entityId, orderNo, wakeAt, loadedAt: null, doneAt: null, createdAt }),
  );
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

/** What names a run. */
export type RunIds = Pick<NewRun, 'storeId' | 'workflowType' | 'workflowId' | 'entityId' | 'orderNo'>;

/** Asks a run to look again, once this transaction is committed. */
export function wakeLater(em: Em, run: RunIds, realNow: number): void {
  em.persist(em.create(OutboxEntity, { ...run, message: 'wake', createdAt: new Date(realNow), traceparent: currentTrace() }));
}

/**
 * Brings a finished run back, because its row has something to do again: its workflow is started anew, and the reconciler watches it. Its
 * line may have been swept meanwhile.
 */
export async function reopenRun(em: Em, run: RunIds, wakeAt: number, realNow: number): Promise<void> {
  await sql(
    em,
    `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, order_no, wake_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, workflow_id) DO UPDATE SET done_at = NULL, wake_at = excluded.wake_at, wakes = 0, woken_at = NULL, grace_from = NULL`,
    [run.storeId, run.workflowId, run.workflowType, run.entityId, run.orderNo, new Date(wakeAt), new Date(realNow)],
  );
  wakeLater(em, run, realNow);
}
