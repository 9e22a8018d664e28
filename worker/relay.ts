/**
 * The outbox relay: delivers the messages of commits to Temporal. A row is deleted only once Temporal has it, in the
 * transaction that locked it, so a killed relay repeats at most a start that is harmless. Deliveries have lanes of their own
 * and only so many of them wait in Temporal at a time: thousands of events hold up no payment, and receivers that fail hold up
 * none that answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../db/kernel/clock.ts';
import { failpoint } from '../db/kernel/failpoint.ts';
import type { Log } from '../db/kernel/log.ts';
import { within } from '../db/kernel/tracing.ts';
import { WAKE_SIGNAL, type WorkflowType } from '../workflows/kernel/messages.ts';
import { startOptions } from '../workflows/kernel/start.ts';
import type { Pressure } from './pressure.ts';

const BATCH = 32;
const IDLE_MS = 1000;
/** Deliveries are started while fewer than this were started here and not attempted yet. */
const MAX_WAITING = { runs: Infinity, deliveries: 12, yielding: 4 } as const;
const FULL_MS = { runs: 0, deliveries: 20, yielding: 250 } as const;
/** A start of which nothing is heard for so long is the reconciler's to repeat. */
const LOST_MS = 30_000;
/** A transaction waits for Temporal meanwhile: less than an idle transaction is left alive (X18). */
const CALL_MS = 3500;
/** A connection that hears nothing cannot tell silence from quiet: it asks. More often than an idle session is ended. */
const HEARTBEAT_MS = 10_000;

interface Row {
  readonly outbox_id: string;
  readonly store_id: string;
  readonly message: 'start' | 'wake';
  readonly workflow_type: WorkflowType;
  readonly workflow_id: string;
  readonly entity_id: string;
  readonly order_no: string | null;
  readonly status: string | null;
  readonly wake_at: Date | null;
  readonly yields: boolean;
  readonly traceparent: string | null;
  /** Its run was started by a command meanwhile, or has nothing left to do. */
  readonly is_needless: boolean;
}
export interface RelayDeps {
  readonly pool: Pool;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** What the lane of deliveries tells those who go last. */
  readonly pressure: Pressure;
}

/** Runs until aborted. Woken by NOTIFY, and every second in case a notification was lost. */
export async function runRelay(deps: RelayDeps): Promise<void> {
  const bells = { runs: new Bell(), deliveries: new Bell(), yielding: new Bell() };
  const listening = listen(deps, bells);
  await Promise.all((['runs', 'runs', 'deliveries', 'yielding'] as const).map((what) => lane(deps, bells[what], what, new Waiting())));
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

/** The deliveries that this relay has started and that have not been attempted yet. */
class Waiting {
  readonly #started = new Map<string, { readonly storeId: string; readonly at: number }>();

  add(rows: readonly Row[], at: number): void {
    for (const { message, is_needless: isNeedless, workflow_id: id, store_id: storeId } of rows)
      if (message === 'start' && !isNeedless) this.#started.set(id, { storeId, at });
  }
  async count({ pool, clock }: RelayDeps): Promise<number> {
    const started = [...this.#started];
    if (started.length === 0) return 0;
    const { rows } = await pool.query<{ workflow_id: string }>(
      `SELECT workflow_id FROM run JOIN unnest($1::text[], $2::text[]) AS started (store_id, workflow_id) USING (store_id, workflow_id)
       WHERE loaded_at IS NULL AND done_at IS NULL`,
      [started.map(([, { storeId }]) => storeId), started.map(([id]) => id)],
    );
    const open = new Set(rows.map((row) => row.workflow_id));
    const lost = clock.now() - LOST_MS;
    for (const [id, { at }] of started) if (!open.has(id) || at < lost) this.#started.delete(id);
    return this.#started.size;
  }
}

async function listen({ pool, log, signal }: RelayDeps, bells: Readonly<Record<Lane, Bell>>): Promise<void> {
  const ringAll = () => Object.values(bells).forEach((bell) => bell.ring());
  while (!signal.aborted) {
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      await client.query('LISTEN outbox');
      const lost = new Promise<void>((resolve) => {
        client!.on('error', () => resolve());
        client!.on('end', () => resolve());
        client!.on('notification', ({ payload }) => (isLane(payload) ? bells[payload].ring() : ringAll()));
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      ringAll();
      await heartbeat(client, lost);
    } catch (error) {
      log.warn({ err: error }, 'relay cannot listen');
      await sleep(500);
    } finally {
      client?.release(true);
    }
  }
  ringAll();
}

/** Until the connection is lost. Rejects once the server does not answer any more, which a connection whose network has fallen silent does not notice by itself. */
async function heartbeat(client: PoolClient, lost: Promise<void>): Promise<void> {
  const pause = () => sleep(HEARTBEAT_MS, true, { ref: false });
  while (await Promise.race([lost.then(() => false), pause()])) await client.query('SELECT 1');
}

type Lane = keyof typeof MAX_WAITING;

const DELIVERY: WorkflowType = 'webhookDelivery';
const FILTERS: Readonly<Record<Lane, string>> = {
  runs: `workflow_type <> '${DELIVERY}'`,
  deliveries: `workflow_type = '${DELIVERY}' AND NOT yields`,
  yielding: `workflow_type = '${DELIVERY}' AND yields`,
};

const isLane = (text: string | undefined): text is Lane => text !== undefined && text in FILTERS;

async function lane(deps: RelayDeps, bell: Bell, what: Lane, waiting: Waiting): Promise<void> {
  while (!deps.signal.aborted) {
    try {
      const room = Math.min(BATCH, MAX_WAITING[what] - (await waiting.count(deps)));
      const delivered = room > 0 ? await deliverBatch(deps, what, room, waiting) : 0;
      if (what === 'deliveries') deps.pressure.isHigh = delivered >= room;
      if (room <= 0) await sleep(FULL_MS[what]);
      else if (delivered === 0) await bell.wait(IDLE_MS);
    } catch (error) {
      deps.log.warn({ err: error }, 'relay failed; trying again');
      await sleep(500);
    }
  }
}

async function deliverBatch({ pool, client, clock, log }: RelayDeps, what: Lane, room: number, waiting: Waiting): Promise<number> {
  const tx = await pool.connect();
  let broken = false;
  try {
    await tx.query('BEGIN');
    const { rows } = await tx.query<Row>(
      `SELECT o.*, o.message = 'start' AND EXISTS (SELECT 1 FROM run r WHERE r.store_id = o.store_id AND r.workflow_id = o.workflow_id AND (r.loaded_at IS NOT NULL OR r.done_at IS NOT NULL)) AS is_needless
       FROM outbox o WHERE (not_before IS NULL OR not_before <= $1) AND ${FILTERS[what]}
       ORDER BY outbox_id FOR UPDATE OF o SKIP LOCKED LIMIT $2`,
      [new Date(clock.now()), room],
    );
    const results = await Promise.allSettled(rows.map((row) => deliver(client, row)));
    const told = rows.filter((_, i) => results[i]!.status === 'fulfilled');
    if (what !== 'runs') waiting.add(told, clock.now());
    const done = told.map((row) => row.outbox_id);
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

/** Starts or wakes the run that a row names. */
async function deliver(client: Client, row: Row): Promise<void> {
  if (row.is_needless) return;
  const run = {
    storeId: row.store_id,
    workflowType: row.workflow_type,
    workflowId: row.workflow_id,
    entityId: row.entity_id,
    orderNo: row.order_no,
    status: row.status,
    wakeAt: row.wake_at?.getTime() ?? null,
    yields: row.yields,
  };
  const tell = async () => {
    if (row.message === 'start')
      await client.workflow.start(row.workflow_type, { ...startOptions({ ...run, firstAt: run.wakeAt }), requestEagerStart: true });
    else await client.workflow.signalWithStart(row.workflow_type, { ...startOptions(run), signal: WAKE_SIGNAL });
  };
  await within(row.traceparent, () => client.withDeadline(Date.now() + CALL_MS, tell));
}
