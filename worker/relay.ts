/**
 * The outbox relay (transactional outbox): publishes the outbox rows of committed transactions to Temporal. A row is locked, published and
 * deleted in one transaction, so a killed relay publishes it again: a start or wake is idempotent. Webhook deliveries have lanes of their
 * own with a limit on deliveries in Temporal, so that thousands of events do not delay payments, and failing receivers do not delay others.
 * In each lane stores take turns (portions.ts), so that thousands of rows of one store do not delay another's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Pool, PoolClient } from 'pg';
import type { Attempts } from '../activities/kernel/attempts.ts';
import type { Clock } from '../db/kernel/clock.ts';
import { failpoint } from '../db/kernel/failpoint.ts';
import type { Log } from '../db/kernel/log.ts';
import { RecentStores } from '../db/kernel/recentStores.ts';
import { within } from '../db/kernel/tracing.ts';
import { runOfRow } from '../db/runs/rows.ts';
import { idleOptions, startOptions, wakeOptions } from '../workflows/kernel/start.ts';
import { msOf } from '../domain/kernel/time.ts';
import { endIfOpen, isIdle, markLoaded } from './idle.ts';
import { OutboxNotification } from './outboxNotification.ts';
import { isLane, type Lane, type OutboxRow, Portions, type Room } from './portions.ts';
import type { Pressure } from './pressure.ts';
import { StartedDeliveries } from './startedDeliveries.ts';

const BATCH = 32;
const IDLE_MS = 1000;
/**
 * The limits on deliveries that this relay has started and that have not loaded their row yet: of all stores, of one by itself, and of one
 * while others have work too, because two hundred deliveries of an order take more of a machine than the orders of others.
 */
const MAX_WAITING = {
  runs: { all: Infinity, alone: Infinity, shared: Infinity },
  deliveries: { all: 18, alone: 12, shared: 3 },
  yielding: { all: 6, alone: 4, shared: 1 },
} as const satisfies Readonly<Record<Lane, unknown>>;
/**
 * The limits on first attempts that this process has in flight, of all stores and of one (`InFlight.isFull`): a receiver that hangs takes
 * no more than its store's share, and one that is known to fail leaves some of that to those that answer. With the retries
 * (activities/kernel/attempts.ts) they are fewer than the slots of a worker.
 */
const MAX_IN_FLIGHT = {
  runs: { all: Infinity, perStore: Infinity },
  deliveries: { all: 550, perStore: 100 },
  yielding: { all: 350, perStore: 60 },
} as const satisfies Readonly<Record<Lane, unknown>>;
/** The pause of a lane that is at its limit. */
const FULL_MS = { runs: 0, deliveries: 20, yielding: 50 } as const;
/** The pause of a lane in which a store has as many attempts in flight as it may; rows of others end it. */
const HELD_MS = 100;
/** Under pressure one delivery to a receiver that fails is started in this time. */
const PACE_MS = 250;
/** Others have work when they had a message within so many milliseconds. */
const RECENT_MS = 2000;
/** The transaction is idle during the call to Temporal: less than idle_in_transaction_session_timeout (X18). */
const CALL_MS = 3500;
/** A LISTEN connection detects a dead network only by sending a query. Less than idle_session_timeout. */
const HEARTBEAT_MS = 10_000;

export interface RelayDeps {
  readonly pool: Pool;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The deliveries lane reports its load here; work of lower priority reads it. */
  readonly pressure: Pressure;
  readonly attempts: Attempts;
}

/** Runs until aborted. Each lane polls the outbox on NOTIFY, and every second in case a notification was lost. */
export async function runRelay(deps: RelayDeps): Promise<void> {
  const notifications = { runs: new OutboxNotification(), deliveries: new OutboxNotification(), yielding: new OutboxNotification() };
  const listening = listen(deps, notifications);
  const stores = new RecentStores(RECENT_MS);
  const lanes = ['runs', 'runs', 'deliveries', 'yielding'] as const;
  await Promise.all(lanes.map((what) => lane(deps, notifications[what], new Turns(what, stores))));
  await listening;
}

/** A lane: whose turn it is, and the deliveries that it has started and that still count. */
class Turns {
  readonly lane: Lane;
  readonly portions: Portions;
  readonly #stores: RecentStores;
  readonly #started: StartedDeliveries;

  constructor(lane: Lane, stores: RecentStores) {
    this.lane = lane;
    this.portions = new Portions(lane);
    this.#stores = stores;
    this.#started = new StartedDeliveries(stores);
  }
  add(rows: readonly OutboxRow[], at: number): void {
    for (const { store_id: storeId } of rows) this.#stores.note(storeId);
    if (this.lane === 'runs') return;
    for (const { message, is_redundant: isRedundant, workflow_id: id, store_id: storeId } of rows)
      if (message === 'start' && !isRedundant) this.#started.add(id, storeId, at);
  }
  /**
   * `isFull`: a store has as many as it may have now, or all stores together. `isHeld`: the same of attempts in flight, which cost nothing
   * while they last, so that others need not wait for them.
   */
  async room(deps: RelayDeps, batch: number): Promise<Room & { readonly isFull: boolean; readonly isHeld: boolean }> {
    const max = MAX_WAITING[this.lane];
    const used = new Map(await this.#started.counts(deps.pool, deps.clock.now()));
    const all = Math.min(batch, max.all - this.#started.unloaded);
    const perStore = Math.min(BATCH, this.#stores.areMany ? max.shared : max.alone);
    const isFull = all <= 0 || Math.max(...used.values()) >= perStore;
    const { first } = deps.attempts;
    const inFlight = MAX_IN_FLIGHT[this.lane];
    const held = first.full(inFlight).map((storeId) => [storeId, perStore] as const);
    return {
      all: first.all >= inFlight.all ? 0 : all,
      perStore,
      used: new Map([...used, ...held]),
      isFull,
      isHeld: held.length > 0,
    };
  }
}

async function listen({ pool, log, signal }: RelayDeps, notifications: Readonly<Record<Lane, OutboxNotification>>): Promise<void> {
  const notifyAll = () => Object.values(notifications).forEach((notification) => notification.notify());
  while (!signal.aborted) {
    let client: PoolClient | undefined;
    try {
      client = await pool.connect();
      await client.query('LISTEN outbox');
      const lost = new Promise<void>((resolve) => {
        client!.on('error', () => resolve());
        client!.on('end', () => resolve());
        client!.on('notification', ({ payload }) => (isLane(payload) ? notifications[payload].notify() : notifyAll()));
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      notifyAll();
      await heartbeat(client, lost);
    } catch (error) {
      log.warn({ err: error }, 'relay cannot listen');
      await sleep(500);
    } finally {
      client?.release(true);
    }
  }
  for (const notification of Object.values(notifications)) notification.wakeAll();
}

/** Resolves when the connection is lost; rejects when the server stops answering, which an idle connection does not notice by itself. */
async function heartbeat(client: PoolClient, lost: Promise<void>): Promise<void> {
  const pause = () => sleep(HEARTBEAT_MS, true, { ref: false });
  while (await Promise.race([lost.then(() => false), pause()])) await client.query('SELECT 1');
}

async function lane(deps: RelayDeps, notification: OutboxNotification, turns: Turns): Promise<void> {
  while (!deps.signal.aborted) {
    try {
      const isPaced = turns.lane === 'yielding' && deps.pressure.isHigh;
      const room = await turns.room(deps, isPaced ? 1 : BATCH);
      const hasMore = room.all > 0 && (await publishBatch(deps, turns, room));
      if (turns.lane === 'deliveries') deps.pressure.isHigh = hasMore || room.isFull;
      if (isPaced) await sleep(PACE_MS);
      // More than one batch: the other lane helps.
      else if (hasMore) notification.notify();
      else if (room.all <= 0) await sleep(FULL_MS[turns.lane]);
      else if (room.isFull) await notification.wait(FULL_MS[turns.lane]);
      else await notification.wait(room.isHeld ? HELD_MS : IDLE_MS);
    } catch (error) {
      deps.log.warn({ err: error }, 'relay failed; trying again');
      await sleep(500);
    }
  }
}

/** Returns whether more rows may wait. */
async function publishBatch({ pool, client, clock, log }: RelayDeps, turns: Turns, room: Room): Promise<boolean> {
  const tx = await pool.connect();
  let broken = false;
  try {
    await tx.query('BEGIN');
    const { rows, hasMore } = await turns.portions.take(tx, room, new Date(clock.now()));
    const results = await Promise.allSettled(rows.map((row) => publish(client, row)));
    const published = rows.filter((_, i) => results[i]!.status === 'fulfilled');
    turns.add(published, clock.now());
    const opened = await markLoaded(tx, published.filter(isIdle), clock);
    const done = published.map((row) => row.outbox_id).filter((id) => !opened.has(id));
    const failed = rows.filter((_, i) => results[i]!.status === 'rejected').map((row) => row.outbox_id);
    if (done.length > 0) failpoint('relay.after-start');
    if (done.length > 0) await tx.query('DELETE FROM outbox WHERE outbox_id = ANY($1::bigint[])', [done]);
    if (failed.length > 0) {
      log.warn({ failed: failed.length, err: results.find((r) => r.status === 'rejected')?.reason }, 'relay could not publish');
      await tx.query(
        `UPDATE outbox SET attempts = attempts + 1, not_before = $2::timestamptz + power(2, least(attempts, 6)) * interval '1 second'
         WHERE outbox_id = ANY($1::bigint[])`,
        [failed, new Date(clock.now())],
      );
    }
    await tx.query('COMMIT');
    return hasMore;
  } catch (error) {
    broken = true;
    throw error;
  } finally {
    tx.release(broken);
  }
}

/** Starts or wakes the run of an outbox row. */
async function publish(client: Client, row: OutboxRow): Promise<void> {
  if (row.is_redundant) return client.withDeadline(Date.now() + CALL_MS, () => endIfOpen(client, row));
  const run = { ...runOfRow(row), status: row.status, wakeAt: msOf(row.wake_at), yields: row.yields };
  const { workflow } = client;
  const send = async () => {
    if (row.message === 'wake') await workflow.signalWithStart(row.workflow_type, wakeOptions(run));
    else if (isIdle(row)) await workflow.start(row.workflow_type, idleOptions(run));
    else await workflow.start(row.workflow_type, { ...startOptions({ ...run, firstAt: run.wakeAt }), requestEagerStart: true });
  };
  await within(row.traceparent, () => client.withDeadline(Date.now() + CALL_MS, send));
}
