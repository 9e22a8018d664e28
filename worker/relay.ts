/**
 * The outbox relay: delivers what commits owe to Temporal. A row is deleted only once Temporal has it, in the
 * transaction that locked it, so a killed relay repeats at most a start that is harmless. Deliveries have a lane of their own
 * and only so many of them wait in Temporal at a time: thousands of events hold up no payment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../db/kernel/clock.ts';
import { failpoint } from '../db/kernel/failpoint.ts';
import type { Log } from '../db/kernel/log.ts';
import { within } from '../db/kernel/tracing.ts';
import type { RunKind } from '../workflows/kernel/obligations.ts';
import { startOptions } from '../workflows/kernel/start.ts';

const BATCH = 32;
const IDLE_MS = 1000;
/** Deliveries that were started and have not been attempted yet. */
const MOST_DELIVERIES = 32;
const FULL_MS = 50;

interface Row {
  readonly outbox_id: string;
  readonly store_id: string;
  readonly message: 'start' | 'poke';
  readonly kind: RunKind;
  readonly workflow_id: string;
  readonly run_id: string;
  readonly order_no: string | null;
  readonly status: string | null;
  readonly wake_at: Date | null;
  readonly traceparent: string | null;
  readonly is_loaded: boolean;
}
export interface RelayDeps {
  readonly pool: Pool;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Runs until aborted. Woken by NOTIFY, and every second in case a notification was lost. */
export async function runRelay(deps: RelayDeps): Promise<void> {
  const bell = new Bell();
  const listening = listen(deps, bell);
  await Promise.all((['runs', 'runs', 'deliveries'] as const).map((what) => lane(deps, bell, what)));
  await listening;
}

/** Wakes everyone who waits; a ring while nobody waits is remembered. */
class Bell {
  #waiting: (() => void)[] = [];
  #rung = false;
  ring(): void {
    this.#rung = true;
    for (const wake of this.#waiting.splice(0)) wake();
  }
  async wait(ms: number): Promise<void> {
    if (!this.#rung) await Promise.race([new Promise<void>((resolve) => this.#waiting.push(resolve)), sleep(ms)]);
    this.#rung = false;
  }
}

async function listen({ pool, log, signal }: RelayDeps, bell: Bell): Promise<void> {
  while (!signal.aborted) {
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      await client.query('LISTEN outbox');
      const lost = new Promise<void>((resolve) => {
        client!.on('error', () => resolve());
        client!.on('end', () => resolve());
        client!.on('notification', () => bell.ring());
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      bell.ring();
      await lost;
    } catch (error) {
      log.warn({ err: error }, 'relay cannot listen');
      await sleep(500);
    } finally {
      client?.release(true);
    }
  }
  bell.ring();
}

type Lane = 'runs' | 'deliveries';

async function lane(deps: RelayDeps, bell: Bell, what: Lane): Promise<void> {
  while (!deps.signal.aborted) {
    try {
      const delivered = await deliverBatch(deps, what);
      if (delivered === 'full') await sleep(FULL_MS);
      else if (delivered === 0) await bell.wait(IDLE_MS);
    } catch (error) {
      deps.log.warn({ err: error }, 'relay failed; trying again');
      await sleep(500);
    }
  }
}

async function deliverBatch({ pool, client, clock, log }: RelayDeps, what: Lane): Promise<number | 'full'> {
  const tx = await pool.connect();
  let broken = false;
  try {
    await tx.query('BEGIN');
    const most = what === 'runs' ? BATCH : await roomForDeliveries(tx);
    if (most === 0) {
      await tx.query('ROLLBACK');
      return 'full';
    }
    const { rows } = await tx.query<Row>(
      `SELECT o.*, o.message = 'start' AND EXISTS (SELECT 1 FROM run r WHERE r.store_id = o.store_id AND r.workflow_id = o.workflow_id AND r.loaded_at IS NOT NULL) AS is_loaded
       FROM outbox o WHERE (not_before IS NULL OR not_before <= $1) AND (kind = 'webhookDelivery') = $2
       ORDER BY outbox_id FOR UPDATE OF o SKIP LOCKED LIMIT $3`,
      [new Date(clock.now()), what === 'deliveries', most],
    );
    const results = await Promise.allSettled(rows.map((row) => deliver(client, row)));
    const done = rows.filter((_, i) => results[i]!.status === 'fulfilled').map((row) => row.outbox_id);
    const failed = rows.filter((_, i) => results[i]!.status === 'rejected').map((row) => row.outbox_id);
    failpoint('relay.after-start');
    if (done.length > 0) await tx.query('DELETE FROM outbox WHERE outbox_id = ANY($1::bigint[])', [done]);
    if (failed.length > 0) {
      log.warn({ failed: failed.length, err: results.find((r) => r.status === 'rejected')?.reason }, 'relay could not deliver');
      await tx.query(
        `UPDATE outbox SET attempts = attempts + 1, not_before = $2::timestamptz + power(2, least(attempts, 6)) * interval '1 second'
         WHERE outbox_id = ANY($1::bigint[])`,
        [failed, new Date(clock.now())],
      );
    }
    await tx.query('COMMIT');
    return done.length;
  } catch (error) {
    broken = true;
    throw error;
  } finally {
    tx.release(broken);
  }
}

/** How many more deliveries may be started: those that wait for their first attempt are what runs without a claim and without an outbox row. */
async function roomForDeliveries(tx: PoolClient): Promise<number> {
  const { rows } = await tx.query<{ waiting: string }>(
    `SELECT (SELECT count(*) FROM run WHERE kind = 'webhookDelivery' AND done_at IS NULL AND loaded_at IS NULL)
          - (SELECT count(*) FROM outbox WHERE kind = 'webhookDelivery' AND message = 'start') AS waiting`,
  );
  return Math.min(BATCH, Math.max(0, MOST_DELIVERIES - Number(rows[0]!.waiting)));
}

/** Starts or pokes the run that a row names. A run that was started meanwhile by a command needs no start. */
async function deliver(client: Client, row: Row): Promise<void> {
  if (row.is_loaded) return;
  const run = {
    storeId: row.store_id,
    kind: row.kind,
    workflowId: row.workflow_id,
    runId: row.run_id,
    orderNo: row.order_no,
    status: row.status,
    wakeAt: row.wake_at?.getTime() ?? null,
  };
  const tell = async () => {
    if (row.message === 'start')
      await client.workflow.start(row.kind, { ...startOptions({ ...run, firstAt: run.wakeAt }), requestEagerStart: true });
    else await client.workflow.signalWithStart(row.kind, { ...startOptions(run), signal: 'poke' });
  };
  await within(row.traceparent, () => client.withDeadline(Date.now() + 5000, tell));
}
