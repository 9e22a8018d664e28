/**
 * Runs that are idle from the start: an order item or a claim that waits for its seller or buyer. Until somebody wants something they cost
 * Temporal one event, and no transition loads their row (`idleOptions`).
 */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { PoolClient } from 'pg';
import type { Clock } from '../db/kernel/clock.ts';
import { type RunRow, runOfRow } from '../db/runs/rows.ts';
import { wakeOptions } from '../workflows/kernel/start.ts';

/** The columns of an outbox row that tell it. */
export interface IdleRow extends RunRow {
  readonly outbox_id: string;
  readonly message: 'start' | 'wake';
  readonly wake_at: Date | null;
  /** A start whose run was started by a command meanwhile, or is done. */
  readonly is_redundant: boolean;
  readonly is_done: boolean;
}

/** A run without a timer waits for a person. */
export const isIdle = ({ message, wake_at: wakeAt }: IdleRow): boolean => message === 'start' && wakeAt === null;

/**
 * Marks started runs as loaded: the reconciler does not miss them. Returns the outbox ids of those whose last command came between the
 * relay's SELECT and their start, which opened them once more: their outbox row stays, and the next batch ends them (`endIfOpen`). A run
 * whose row is locked is marked by who holds it, or woken by the reconciler after 30 s.
 */
export async function markLoaded(tx: PoolClient, rows: readonly IdleRow[], clock: Clock): Promise<ReadonlySet<string>> {
  const started = rows.filter((row) => !row.is_redundant);
  if (started.length === 0) return new Set();
  const { rows: marked } = await tx.query<{ outbox_id: string; is_done: boolean }>(
    `WITH started AS MATERIALIZED (
       SELECT store_id, workflow_id, outbox_id
       FROM run JOIN unnest($1::text[], $2::text[], $3::text[]) AS named (store_id, workflow_id, outbox_id) USING (store_id, workflow_id)
       FOR UPDATE OF run SKIP LOCKED)
     UPDATE run r SET loaded_at = coalesce(loaded_at, $4) FROM started s WHERE r.store_id = s.store_id AND r.workflow_id = s.workflow_id
     RETURNING s.outbox_id, r.done_at IS NOT NULL AS is_done`,
    [started.map((row) => row.store_id), started.map((row) => row.workflow_id), started.map((row) => row.outbox_id), new Date(clock.now())],
  );
  return new Set(marked.filter((row) => row.is_done).map((row) => row.outbox_id));
}

/** Wakes a run whose row is done, if it was started all the same: it loads its row, and ends. */
export async function endIfOpen(client: Client, row: IdleRow): Promise<void> {
  if (!isIdle(row) || !row.is_done) return;
  const found = await client.workflow.getHandle(row.workflow_id).describe().catch(orNothing);
  if (found?.status.name === 'RUNNING') await client.workflow.signalWithStart(row.workflow_type, wakeOptions(runOfRow(row)));
}
function orNothing(error: unknown): null {
  if (error instanceof WorkflowNotFoundError) return null;
  throw error;
}
