/**
 * Brings back runs that Temporal has lost: SQL only, one worker at a time under an advisory lock. A run that is not
 * loaded after 30 s or overdue by 60 s is woken, with a doubling gap; when Temporal's namespace is a new one, every
 * open run is (recovery.ts). What waits in the outbox is not lost, and while more deliveries wait than can be made, theirs are
 * late and not lost either. It also keeps the partitions and sweeps what has ended (sweeper.ts). Every statement is bounded, however many runs are open.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Pool, PoolClient } from 'pg';
import type { Storage } from '../activities/providers/storage.ts';
import type { Clock } from '../db/kernel/clock.ts';
import { keepPartitions } from '../db/kernel/partitions.ts';
import type { Log } from '../db/kernel/log.ts';
import { WAKE_SIGNAL, type WorkflowType } from '../workflows/kernel/messages.ts';
import { HOUR } from '../domain/kernel/time.ts';
import { startOptions } from '../workflows/kernel/start.ts';
import type { Pressure } from './pressure.ts';
import { Recovery } from './recovery.ts';
import { Sweeper } from './sweeper.ts';

const RECONCILER_LOCK = 7_265_002;
const ROUND_MS = 2000;
const BUSY_MS = 50;
/** Runs that are woken in one round, and how many at once. */
const BATCH = 200;
const PARALLEL = 16;
/** All wakes of a round together: less than an idle session is left alive (X18), so that a slow Temporal holds up no sweep. */
const POKES_MS = 15_000;

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

/** What outlasts a round. */
interface Work {
  readonly recovery: Recovery;
  readonly sweeper: Sweeper;
  /** When the partitions were last kept. */
  keptAt: number;
}

/** Runs until aborted. While there is more to do, the next round comes at once. */
export async function runReconciler(deps: ReconcilerDeps): Promise<void> {
  const work: Work = { recovery: new Recovery(deps), sweeper: new Sweeper(deps), keptAt: 0 };
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
      const bringsBack = await attempt(deps, 'bring back runs', () => bringBack(deps, tx, work));
      await attempt(deps, 'keep partitions', () => keep(deps, tx, work));
      const sweeps = await attempt(deps, 'sweep', () => work.sweeper.step(tx));
      hasMore = bringsBack || sweeps;
      await tx.query('SELECT pg_advisory_unlock($1)', [RECONCILER_LOCK]);
    }
    broken = false;
  } finally {
    tx.release(broken);
  }
  return hasMore;
}

/** One thing that fails (Temporal is away, a file cannot be deleted) holds up nothing else. */
async function attempt({ log }: ReconcilerDeps, what: string, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    log.warn({ err: error, what }, 'reconciler failed; trying again');
    return false;
  }
}

async function bringBack(deps: ReconcilerDeps, tx: PoolClient, { recovery }: Work): Promise<boolean> {
  const hasMore = await recovery.step(tx);
  const woken = await wakeOverdue(deps, tx);
  if (woken > 0) deps.log.info({ woken }, 'reconciler woken runs');
  return hasMore;
}

/** Once an hour: the partitions of the coming days are made, and what is older than 30 days goes. */
async function keep({ clock, log }: ReconcilerDeps, tx: PoolClient, work: Work): Promise<boolean> {
  if (clock.now() - work.keptAt < HOUR) return false;
  const { made, dropped, failed } = await keepPartitions(tx, clock.now());
  for (const { part, error } of failed) log.warn({ err: error, part }, 'a partition is left to the next time');
  if (made.length + dropped.length > 0) log.info({ made, dropped }, 'partitions kept');
  work.keptAt = clock.now();
  return false;
}

/** Wakes the runs that are lost, so many at a time; what is woken is noted first, so that a wake that fails waits for its gap. */
async function wakeOverdue({ client, clock, pressure }: ReconcilerDeps, tx: PoolClient): Promise<number> {
  const now = new Date(clock.now());
  const { rows } = await tx.query<{
    store_id: string;
    workflow_id: string;
    workflow_type: WorkflowType;
    entity_id: string;
    order_no: string | null;
  }>('SELECT * FROM lookup_overdue_runs($1, $2, $3)', [now, BATCH, pressure.waits]);
  if (rows.length === 0) return 0;
  await tx.query(
    `UPDATE run r SET woken_at = $3, wakes = wakes + 1,
       grace_from = $3::timestamptz + (power(2, least(wakes + 1, 7)) - 1) * interval '30 seconds'
     FROM unnest($1::text[], $2::text[]) AS woken (store_id, workflow_id)
     WHERE r.store_id = woken.store_id AND r.workflow_id = woken.workflow_id`,
    [rows.map((row) => row.store_id), rows.map((row) => row.workflow_id), now],
  );
  const left = [...rows];
  const until = Date.now() + POKES_MS;
  const wake = async () => {
    for (let row = left.pop(); row; row = left.pop()) {
      const run = {
        storeId: row.store_id,
        workflowType: row.workflow_type,
        workflowId: row.workflow_id,
        entityId: row.entity_id,
        orderNo: row.order_no,
      };
      const options = { ...startOptions(run), signal: WAKE_SIGNAL };
      await client
        .withDeadline(Math.min(until, Date.now() + 5000), () => client.workflow.signalWithStart(run.workflowType, options))
        .catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, wake));
  return rows.length;
}
