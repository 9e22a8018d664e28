/**
 * Brings back runs that Temporal has lost: SQL only, one worker at a time under an advisory lock. A run that is not
 * loaded after 30 s or overdue by 60 s is poked, with a doubling gap; when Temporal's namespace is a new one, every
 * open run is. What waits in the outbox is not lost, and while more deliveries wait than can be made, theirs are late and
 * not lost either. It also keeps the partitions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../db/kernel/clock.ts';
import { keepPartitions } from '../db/kernel/partitions.ts';
import type { Log } from '../db/kernel/log.ts';
import type { RunKind } from '../workflows/kernel/obligations.ts';
import { HOUR } from '../workflows/kernel/time.ts';
import { startOptions } from '../workflows/kernel/start.ts';
import type { Pressure } from './pressure.ts';

const RECONCILER_LOCK = 7_265_002;
const ROUND_MS = 2000;
const BATCH = 200;

export interface ReconcilerDeps {
  readonly pool: Pool;
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly pressure: Pressure;
}

/** Runs until aborted. */
export async function runReconciler(deps: ReconcilerDeps): Promise<void> {
  const kept = { at: 0 };
  while (!deps.signal.aborted) {
    await round(deps, kept).catch((error: unknown) => deps.log.warn({ err: error }, 'reconciler failed; trying again'));
    await sleep(ROUND_MS, undefined, { signal: deps.signal }).catch(() => {});
  }
}

async function round(deps: ReconcilerDeps, kept: { at: number }): Promise<void> {
  const { pool, log } = deps;
  const tx = await pool.connect();
  let broken = true;
  try {
    const { rows } = await tx.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [RECONCILER_LOCK]);
    if (rows[0]?.mine) {
      await noticeNewNamespace(deps, tx);
      const poked = await pokeOverdue(deps, tx);
      if (poked > 0) log.info({ poked }, 'reconciler poked runs');
      await tidy(deps, tx, kept);
      await tx.query('SELECT pg_advisory_unlock($1)', [RECONCILER_LOCK]);
    }
    broken = false;
  } finally {
    tx.release(broken);
  }
}

/** Once an hour: the partitions of the coming days are made, and what is older than 30 days goes. */
async function tidy({ clock, log }: ReconcilerDeps, tx: PoolClient, kept: { at: number }): Promise<void> {
  if (clock.now() - kept.at < HOUR) return;
  const { made, dropped } = await keepPartitions(tx, clock.now());
  if (made.length + dropped.length > 0) log.info({ made, dropped }, 'partitions kept');
  kept.at = clock.now();
}

/** A namespace id that we have not seen means that Temporal's database is new: no run is loaded any more. */
async function noticeNewNamespace({ client, namespace, log }: ReconcilerDeps, tx: PoolClient): Promise<void> {
  const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace });
  const id = namespaceInfo?.id;
  if (!id) return;
  const known = await tx.query<{ namespace_id: string }>('SELECT namespace_id FROM temporal_namespace WHERE namespace = $1', [namespace]);
  if (known.rows[0]?.namespace_id === id) return;
  await tx.query('BEGIN');
  await tx.query('INSERT INTO temporal_namespace VALUES ($1, $2) ON CONFLICT (namespace) DO UPDATE SET namespace_id = $2', [namespace, id]);
  const { rowCount } = await tx.query(`UPDATE run SET loaded_at = NULL, pokes = 0, poked_at = NULL WHERE done_at IS NULL`);
  await tx.query('COMMIT');
  if (known.rows.length > 0) log.warn({ namespace, runs: rowCount }, 'Temporal has a new database: bringing every open run back');
}

async function pokeOverdue({ client, clock, pressure }: ReconcilerDeps, tx: PoolClient): Promise<number> {
  const now = new Date(clock.now());
  const { rows } = await tx.query<{ store_id: string; workflow_id: string; kind: RunKind; run_id: string; order_no: string | null }>(
    'SELECT * FROM lookup_overdue_runs($1, $2, $3)',
    [now, BATCH, pressure.isHigh ? 'webhookDelivery' : ''],
  );
  for (let i = 0; i < rows.length; i += 16) {
    await Promise.allSettled(
      rows.slice(i, i + 16).map(async (row) => {
        const run = { storeId: row.store_id, kind: row.kind, workflowId: row.workflow_id, runId: row.run_id, orderNo: row.order_no };
        await tx.query('UPDATE run SET poked_at = $3, pokes = pokes + 1 WHERE store_id = $1 AND workflow_id = $2', [
          row.store_id,
          row.workflow_id,
          now,
        ]);
        await client.withDeadline(Date.now() + 5000, () =>
          client.workflow.signalWithStart(row.kind, { ...startOptions(run), signal: 'poke' }),
        );
      }),
    );
  }
  return rows.length;
}
