/**
 * Recovery after the loss of Temporal's database: every open run has lost its workflow. First the id of the new namespace is stored with a
 * cursor. Then the runs after the cursor are marked as not loaded, a portion at a time, and the reconciler starts what is not loaded. The
 * next portion waits until most of the previous one are loaded, so that Temporal and the workers never have more than a few hundred starts
 * besides their regular work. After a crash it resumes at the cursor; another new database restarts it.
 */
import type { Client } from '@temporalio/client';
import type { PoolClient } from 'pg';
import type { Clock } from '../db/kernel/clock.ts';
import type { Log } from '../db/kernel/log.ts';
import type { Pressure } from './pressure.ts';

/** Runs that are marked in one statement. */
const PORTION = 400;
/** The next portion begins when at most so many of the previous ones are not loaded yet. */
const MAX_WAITING = 200;
/** A run that is not loaded by then no longer delays the next portion; the reconciler goes on waking it, with a doubling gap. */
const SLOW_MS = 30_000;

export interface RecoveryDeps {
  readonly client: Pick<Client, 'withDeadline' | 'workflowService'>;
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly pressure: Pressure;
}

interface RecoveryState {
  readonly namespace_id: string;
  /** The cursor: store and workflow id of the last run that was marked; null when all are. */
  readonly recovery_store: string | null;
  readonly recovery_run: string | null;
}

export class Recovery {
  readonly #deps: RecoveryDeps;
  /** Runs that were marked and are not loaded yet, with the real time of the marking. */
  readonly #waiting = new Map<string, { readonly storeId: string; readonly at: number }>();

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /** Marks at most one portion. Returns whether recovery goes on. */
  async step(tx: PoolClient): Promise<boolean> {
    const state = await this.#readState(tx);
    if (state === null || state.recovery_store === null) return false;
    await this.#forgetLoaded(tx);
    if (this.#waiting.size <= MAX_WAITING) return this.#mark(tx, state);
    return true;
  }

  /** The state of the recovery; a namespace id that is not the stored one restarts it. */
  async #readState(tx: PoolClient): Promise<RecoveryState | null> {
    const { client, namespace, clock, log } = this.#deps;
    const { namespaceInfo } = await client.withDeadline(clock.now() + 5000, () => client.workflowService.describeNamespace({ namespace }));
    const id = namespaceInfo?.id;
    if (!id) return null;
    const { rows } = await tx.query<RecoveryState>(
      'SELECT namespace_id, recovery_store, recovery_run FROM temporal_namespace WHERE namespace = $1',
      [namespace],
    );
    if (rows[0]?.namespace_id === id) return rows[0];
    await tx.query(
      `INSERT INTO temporal_namespace (namespace, namespace_id, recovery_store, recovery_run) VALUES ($1, $2, '', '')
       ON CONFLICT (namespace) DO UPDATE SET namespace_id = $2, recovery_store = '', recovery_run = ''`,
      [namespace, id],
    );
    if (rows.length > 0) log.warn({ namespace }, 'Temporal has a new database: bringing every open run back');
    return { namespace_id: id, recovery_store: '', recovery_run: '' };
  }

  /**
   * Marks the next portion and advances the cursor, in one statement. Runs whose start is still in the outbox are not waited for, because
   * the relay starts them when it may; neither are deliveries under pressure.
   */
  async #mark(tx: PoolClient, { namespace_id: id, recovery_store: store, recovery_run: run }: RecoveryState): Promise<boolean> {
    const { namespace, clock, log, pressure } = this.#deps;
    const { rows } = await tx.query<{ store_id: string; workflow_id: string; waits: boolean }>(
      `WITH portion AS MATERIALIZED (
         SELECT store_id, workflow_id, workflow_type FROM run WHERE done_at IS NULL AND (store_id, workflow_id) > ($3, $4)
         ORDER BY store_id, workflow_id LIMIT $5),
       moved AS (
         UPDATE temporal_namespace SET
           recovery_store = (SELECT store_id FROM portion ORDER BY store_id DESC, workflow_id DESC LIMIT 1),
           recovery_run = (SELECT workflow_id FROM portion ORDER BY store_id DESC, workflow_id DESC LIMIT 1)
         WHERE namespace = $1 AND namespace_id = $2),
       marked AS (
         UPDATE run r SET loaded_at = NULL, wakes = 0, woken_at = NULL, grace_from = NULL FROM portion p
         WHERE r.store_id = p.store_id AND r.workflow_id = p.workflow_id AND r.done_at IS NULL)
       SELECT store_id, workflow_id, workflow_type = $6
           OR EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = portion.store_id AND o.workflow_id = portion.workflow_id) AS waits
             FROM portion`,
      [namespace, id, store, run, PORTION, pressure.waits],
    );
    const at = clock.now();
    for (const row of rows) if (!row.waits) this.#waiting.set(row.workflow_id, { storeId: row.store_id, at });
    if (rows.length === 0) log.info({ namespace }, 'every open run has been marked to be brought back');
    return rows.length > 0;
  }

  async #forgetLoaded(tx: PoolClient): Promise<void> {
    const waiting = [...this.#waiting];
    if (waiting.length === 0) return;
    const { rows } = await tx.query<{ workflow_id: string }>(
      `SELECT workflow_id FROM run JOIN unnest($1::text[], $2::text[]) AS marked (store_id, workflow_id) USING (store_id, workflow_id)
       WHERE loaded_at IS NULL AND done_at IS NULL`,
      [waiting.map(([, { storeId }]) => storeId), waiting.map(([id]) => id)],
    );
    const open = new Set(rows.map((row) => row.workflow_id));
    const slow = this.#deps.clock.now() - SLOW_MS;
    for (const [id, { at }] of waiting) if (!open.has(id) || at < slow) this.#waiting.delete(id);
  }
}
