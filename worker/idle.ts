/**
 * Runs that are idle from the start: an order item that waits for its seller or buyer. Until somebody wants something they cost Temporal
 * one event, and no transition loads their row (`idleOptions`).
 */
import type { Client } from '@temporalio/client';
import type { PoolClient } from 'pg';
import type { Clock } from '../db/kernel/clock.ts';
import { type RunRow, runOfRow } from '../db/runs/rows.ts';
import { wakeOptions } from '../workflows/kernel/start.ts';

/** The columns of an outbox row that tell it. */
export interface IdleRow extends RunRow {
  readonly message: 'start' | 'wake';
  readonly wake_at: Date | null;
  /** A start whose run was started by a command meanwhile, or is done. */
  readonly is_redundant: boolean;
}

/** A run without a timer waits for a person. */
export const isIdle = ({ message, wake_at: wakeAt }: IdleRow): boolean => message === 'start' && wakeAt === null;

/**
 * Marks started runs as loaded: the reconciler does not miss them. Returns those that a command had ended before they were started, which
 * are open again. A run whose row is locked has a transition, which marks it itself.
 */
export async function markLoaded(tx: PoolClient, rows: readonly IdleRow[], clock: Clock): Promise<IdleRow[]> {
  const started = rows.filter((row) => !row.is_redundant);
  if (started.length === 0) return [];
  const { rows: marked } = await tx.query<{ workflow_id: string; is_done: boolean }>(
    `WITH started AS MATERIALIZED (
       SELECT store_id, workflow_id FROM run JOIN unnest($1::text[], $2::text[]) AS named (store_id, workflow_id) USING (store_id, workflow_id)
       FOR UPDATE OF run SKIP LOCKED)
     UPDATE run r SET loaded_at = coalesce(loaded_at, $3) FROM started s WHERE r.store_id = s.store_id AND r.workflow_id = s.workflow_id
     RETURNING r.workflow_id, r.done_at IS NOT NULL AS is_done`,
    [started.map((row) => row.store_id), started.map((row) => row.workflow_id), new Date(clock.now())],
  );
  const done = new Set(marked.filter((row) => row.is_done).map((row) => row.workflow_id));
  return started.filter((row) => done.has(row.workflow_id));
}

/** Wakes runs whose row is done: they load it, and end. One that cannot be woken does so when its delay is over. */
export async function endAgain(client: Client, rows: readonly IdleRow[]): Promise<void> {
  await Promise.allSettled(rows.map((row) => client.workflow.signalWithStart(row.workflow_type, wakeOptions(runOfRow(row)))));
}
