/**
 * Recovers runs that Temporal has lost. One worker at a time, under an advisory lock; it finds them in Postgres. A run that is not loaded
 * after 30 s or overdue by 60 s is woken, with exponential backoff; every open run is when Temporal's namespace is new (recovery.ts). Runs
 * with an outbox row are not lost; nor are late deliveries while the relay is at its limit. It also maintains the partitions and sweeps
 * expired rows (sweeper.ts). Every statement processes a bounded number of rows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Pool, PoolClient } from 'pg';
import type { Storage } from '../activities/providers/storage.ts';
import type { Clock } from '../db/kernel/clock.ts';
import { maintainPartitions } from '../db/kernel/partitions.ts';
import type { Log } from '../db/kernel/log.ts';
import { type RunRow, runOfRow } from '../db/runs/rows.ts';
import { HOUR } from '../domain/kernel/time.ts';
import { wakeOptions } from '../workflows/kernel/start.ts';
import type { Pressure } from './pressure.ts';
import { Recovery } from './recovery.ts';
import { Sweeper } from './sweeper.ts';

const RECONCILER_LOCK = 7_265_002;
const ROUND_MS = 2000;
const BUSY_MS = 50;
/** Runs woken in one round, and how many concurrently. */
const BATCH = 200;
const PARALLEL = 16;
/** For all wakes of a round: less than idle_session_timeout (X18), so that a slow Temporal does not delay sweeps. */
const WAKES_MS = 15_000;

export interface ReconcilerDeps {
  readonly pool: Pool;
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly pressure: Pressure;
  readonly storage: Storage;
}

/** State between rounds. */
interface Work {
  readonly recovery: Recovery;
  readonly sweeper: Sweeper;
  /** When the partitions were last maintained. */
  maintainedAt: number;
}

/** Runs until aborted. While there is more to do, the next round follows at once. */
export async function runReconciler(deps: ReconcilerDeps): Promise<void> {
  const work: Work = { recovery: new Recovery(deps), sweeper: new Sweeper(deps), maintainedAt: 0 };
  while (!deps.signal.aborted) {
    const hasMore = await round(deps, work).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'reconciler failed; trying again');
      return false;
    });
    await sleep(hasMore ? BUSY_MS : ROUND_MS, undefined, { signal: deps.signal }).catch(() => {});
  }
}

async function round(deps: ReconcilerDeps, work: Work): Promise<boolean> {
  const tx = await deps.pool.connect();
  let broken = true;
  let hasMore = false;
  try {
    const { rows } = await tx.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [RECONCILER_LOCK]);
    if (rows[0]?.mine) {
      const recovers = await attempt(deps, 'recover runs', () => recover(deps, tx, work));
      await attempt(deps, 'maintain partitions', () => maintain(deps, tx, work));
      const sweeps = await attempt(deps, 'sweep', () => work.sweeper.step(tx));
      hasMore = recovers || sweeps;
      await tx.query('SELECT pg_advisory_unlock($1)', [RECONCILER_LOCK]);
    }
    broken = false;
  } finally {
    tx.release(broken);
  }
  return hasMore;
}

/** A task that fails (Temporal is down, a file cannot be deleted) does not prevent the others. */
async function attempt({ log }: ReconcilerDeps, what: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    log.warn({ err: error, what }, 'reconciler failed; trying again');
    return false;
  }
}

async function recover(deps: ReconcilerDeps, tx: PoolClient, { recovery }: Work): Promise<boolean> {
  const hasMore = await recovery.step(tx);
  const woken = await wakeOverdue(deps, tx);
  if (woken > 0) deps.log.info({ woken }, 'reconciler woken runs');
  return hasMore;
}

/** Once an hour: creates the partitions of the coming days and drops those that are old enough. */
async function maintain({ clock, log }: ReconcilerDeps, tx: PoolClient, work: Work): Promise<boolean> {
  if (clock.now() - work.maintainedAt < HOUR) return false;
  const { made, dropped, failed } = await maintainPartitions(tx, clock.now());
  for (const { part, error } of failed) log.warn({ err: error, part }, 'a partition could not be maintained; trying again in an hour');
  if (made.length + dropped.length > 0) log.info({ made, dropped }, 'partitions maintained');
  work.maintainedAt = clock.now();
  return false;
}

/** Wakes a batch of lost runs. The wake is recorded first, so that one that fails is repeated after the backoff. */
async function wakeOverdue({ client, clock, pressure }: ReconcilerDeps, tx: PoolClient): Promise<number> {
  const now = new Date(clock.now());
  const { rows } = await tx.query<RunRow>('SELECT * FROM lookup_overdue_runs($1, $2, $3)', [now, BATCH, pressure.waits]);
  if (rows.length === 0) return 0;
  await tx.query(
    `UPDATE run r SET woken_at = $3, wakes = wakes + 1,
       grace_from = $3::timestamptz + (power(2, least(wakes + 1, 7)) - 1) * interval '30 seconds'
     FROM unnest($1::text[], $2::text[]) AS woken (store_id, workflow_id)
     WHERE r.store_id = woken.store_id AND r.workflow_id = woken.workflow_id`,
    [rows.map((row) => row.store_id), rows.map((row) => row.workflow_id), now],
  );
  const left = [...rows];
  const until = Date.now() + WAKES_MS;
  const wake = async () => {
    for (let row = left.pop(); row; row = left.pop()) {
      const { workflow_type: type } = row;
      const options = wakeOptions(runOfRow(row));
      await client.withDeadline(Math.min(until, Date.now() + 5000), () => client.workflow.signalWithStart(type, options)).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, wake));
  return rows.length;
}
