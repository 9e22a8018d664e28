/** The worker's HTTP server for operators: `/metrics` (ours and the Temporal SDK's), `/health/live`, `/health/ready`. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import type { Clock } from '../db/kernel/clock.ts';
import type { Log } from '../db/kernel/log.ts';
import { backlog, registry } from '../db/kernel/metrics.ts';
import { serveOperators } from '../db/kernel/operators.ts';
import { readiness } from '../db/kernel/readiness.ts';
import { overdueRows } from './sweeper.ts';

export interface MetricsDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  /** The Temporal namespace. */
  readonly namespace: string;
  readonly log: Log;
  readonly host: string;
  readonly port: number;
  /** `host:port` at which the Temporal SDK's core serves its metrics, for example workflow task failures. */
  readonly temporalMetrics: string;
  readonly client: Client;
  /** Aborted when the worker shuts down. */
  readonly signal: AbortSignal;
}

export function serveMetrics(deps: MetricsDeps): Server {
  const { pool, client, signal } = deps;
  return serveOperators(deps, {
    '/health/live': () => Promise.resolve([200, 'ok\n']),
    async '/health/ready'() {
      const { isReady, body } = await readiness({
        postgres: () => pool.query('SELECT 1 AS ok'),
        temporal: () => client.withDeadline(deps.clock.now() + 2000, () => client.workflowService.getSystemInfo({})),
        isStopping: signal.aborted,
      });
      return [isReady ? 200 : 503, JSON.stringify(body)];
    },
    async '/metrics'() {
      await measure(deps);
      return [200, (await registry.metrics()) + (await temporalText(deps.temporalMetrics))];
    },
  });
}

/** Counts stop here, so that a scrape stays cheap however many runs are open. */
const MAX_COUNTED = 100_000;

/**
 * Sets the gauges. Runs of sandbox stores are overdue by the clock of their store. Deliveries to receivers that fail wait in the outbox by
 * intention, so that one store's receiver that hangs raises no alarm: they count as rows, not as lag, nor as runs that are lost.
 */
async function measure({ pool, clock, namespace }: MetricsDeps): Promise<void> {
  const now = new Date(clock.now());
  const { rows } = await pool.query<{ rows: string; lag: string | null }>(
    `SELECT count(*) AS rows,
       extract(epoch FROM $1::timestamptz - min(greatest(created_at, coalesce(not_before, created_at))) FILTER (WHERE NOT yields)) AS lag
     FROM outbox`,
    [now],
  );
  const runs = await pool.query<{ workflow_type: string; open: string }>(
    `SELECT workflow_type, count(*) AS open FROM (SELECT workflow_type FROM run WHERE done_at IS NULL LIMIT $1) open
     GROUP BY workflow_type`,
    [MAX_COUNTED],
  );
  const unloaded = await pool.query<{ n: string }>(
    `SELECT count(*) AS n FROM run r WHERE done_at IS NULL AND loaded_at IS NULL AND created_at < $1::timestamptz - interval '30 seconds'
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = r.store_id AND o.workflow_id = r.workflow_id)`,
    [now],
  );
  const lost = await pool.query<{ n: string }>(
    `SELECT count(*) AS n FROM (
       SELECT 1 FROM temporal_namespace t JOIN run r ON (r.store_id, r.workflow_id) > (t.recovery_store, t.recovery_run)
       WHERE t.namespace = $1 AND r.done_at IS NULL LIMIT $2) lost`,
    [namespace, MAX_COUNTED],
  );
  const overdue = await pool.query<{ n: string }>(`SELECT count(*) AS n FROM lookup_overdue_runs($1, 1000, '')`, [now]);
  backlog.outboxRows.set(Number(rows[0]!.rows));
  backlog.outboxLag.set(Math.max(0, Number(rows[0]!.lag ?? 0)));
  backlog.openRuns.reset();
  for (const { workflow_type: workflowType, open } of runs.rows) backlog.openRuns.set({ workflow_type: workflowType }, Number(open));
  backlog.unloadedRuns.set(Number(unloaded.rows[0]!.n));
  for (const [kind, left] of await overdueRows(pool, clock.now())) backlog.retentionOverdueRows.set({ kind }, left);
  backlog.runsToRecover.set(Number(lost.rows[0]!.n));
  backlog.overdueRuns.set(Number(overdue.rows[0]!.n));
}

/** A free port of this machine, for the metrics of the Temporal SDK's core. */
export async function unusedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function temporalText(address: string): Promise<string> {
  try {
    return await (await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2000) })).text();
  } catch {
    return '';
  }
}
