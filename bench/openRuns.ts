/** The statements of the reconciler and the worker's metrics with very many open runs: none may take a second. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { Pool } from 'pg';
import { makeStore } from '../bin/ops/store/make.ts';
import type { System } from '../bin/dev/system.ts';
import { realClock } from '../db/kernel/clock.ts';
import { createLog } from '../db/kernel/log.ts';
import { migrate } from '../db/migrate.ts';
import { serveMetrics } from '../worker/metrics.ts';
import { Pressure } from '../worker/pressure.ts';
import { Recovery } from '../worker/recovery.ts';
import { percentile } from './measure.ts';

interface Measured {
  readonly what: string;
  readonly ms: number;
}
const STORES = 20;
const PORTIONS = 5;
const log = createLog('bench', 'silent');

/** In a separate database, so that no worker starts these runs. */
export async function openRuns(system: System, open: number): Promise<Measured[]> {
  const name = `bench_${randomUUID().slice(0, 8)}`;
  const server = new Pool({ connectionString: system.databaseUrl, max: 1 });
  await server.query(`CREATE DATABASE ${name}`);
  const url = (of: string) => Object.assign(new URL(of), { pathname: `/${name}` }).href;
  await migrate(url(system.databaseUrl));
  const owner = new Pool({ connectionString: url(system.databaseUrl), max: 1 });
  const relay = new Pool({ connectionString: url(system.env['RELAY_DATABASE_URL']!), max: 1 });
  for (const pool of [server, owner, relay]) pool.on('error', () => {});
  const connection = await Connection.connect({ address: system.temporalAddress });
  try {
    await fill(owner, url(system.databaseUrl), open);
    return [...(await lookups(owner, relay, open)), ...(await portions(owner, relay, new Client({ connection })))];
  } finally {
    await connection.close();
    await Promise.all([owner.end(), relay.end()]);
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.end();
  }
}

/** Inserts `open` open runs, and as many that are done. */
async function fill(owner: Pool, databaseUrl: string, open: number): Promise<void> {
  for (let s = 0; s < STORES; s++) {
    const { storeId } = await makeStore(databaseUrl, { code: `open-${s}`, name: 'n', sandbox: s === 0, withProduct: false });
    if (s === 0) await owner.query('UPDATE store SET clock_offset_ms = 86400000 WHERE store_id = $1', [storeId]);
    await owner.query(
      `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, wake_at, loaded_at, done_at, created_at)
       SELECT $1, 'order-item/' || $1 || '/' || n, 'orderItem', n, now() + interval '3 days' + n * interval '1 second',
         now() - interval '2 days', CASE WHEN n > $2 THEN now() END, now() - interval '2 days' FROM generate_series(1, 2 * $2::int) n`,
      [storeId, Math.ceil(open / STORES)],
    );
  }
  await owner.query('VACUUM ANALYZE run');
}

async function lookups(owner: Pool, relay: Pool, open: number): Promise<Measured[]> {
  const overdue = () => relay.query(`SELECT * FROM lookup_overdue_runs(now(), 200, '')`);
  const measured = [{ what: 'overdue look-up: none is late', ms: await median(overdue) }];
  await owner.query(`UPDATE run SET wake_at = now() - interval '1 hour' WHERE done_at IS NULL AND entity_id::int % 1000 = 1`);
  measured.push({ what: `overdue look-up: ${open / 1000} are late`, ms: await median(overdue) });
  await owner.query(`UPDATE run SET wake_at = now() - interval '1 hour' WHERE done_at IS NULL`);
  await owner.query('VACUUM ANALYZE run');
  measured.push({ what: 'overdue look-up: all are late', ms: await median(overdue) });
  await owner.query(`UPDATE run SET woken_at = now(), wakes = 3, grace_from = now() + interval '1 hour' WHERE done_at IS NULL`);
  await owner.query('VACUUM ANALYZE run');
  measured.push({ what: 'overdue look-up: all have been woken', ms: await median(overdue) });
  return measured;
}

/** The first recovery portions, and the queries of the worker's metrics meanwhile. */
async function portions(owner: Pool, relay: Pool, client: Client): Promise<Measured[]> {
  await owner.query(`INSERT INTO temporal_namespace VALUES ('default', 'of a database that is gone')`);
  const recovery = new Recovery({ client, namespace: 'default', clock: realClock, log, pressure: new Pressure() });
  const tx = await relay.connect();
  const steps = statementsOf(tx);
  for (let i = 0; i < PORTIONS; i++) {
    await recovery.step(tx);
    await owner.query('UPDATE run SET loaded_at = now() WHERE done_at IS NULL AND loaded_at IS NULL');
  }
  await recovery.step(tx);
  // Its statements are recorded, so it is not returned to the pool.
  tx.release(true);
  const signal = new AbortController().signal;
  const statements = statementsOf(relay);
  const server = serveMetrics({
    pool: relay,
    client,
    clock: realClock,
    namespace: 'default',
    log,
    host: '127.0.0.1',
    port: 0,
    temporalMetrics: '127.0.0.1:1',
    signal,
  });
  await new Promise<void>((resolve) => (server.listening ? resolve() : server.once('listening', () => resolve())));
  const address = server.address();
  if (address !== null && typeof address === 'object') await (await fetch(`http://127.0.0.1:${address.port}/metrics`)).text();
  await new Promise((resolve) => server.close(resolve));
  const worst = statements.toSorted((a, b) => b.ms - a.ms).slice(0, 3);
  return [
    { what: `one portion of 400, the slowest statement of ${PORTIONS + 1} steps`, ms: Math.max(...steps.map(({ ms }) => ms)) },
    ...worst.map(({ what, ms }) => ({ what: `metrics: ${what}`, ms })),
  ];
}

/** Records the time of each further statement. */
function statementsOf(of: { query: unknown }): Measured[] {
  const measured: Measured[] = [];
  const send = (of.query as (text: string, values?: unknown[]) => Promise<unknown>).bind(of);
  const query = async (text: string, values?: unknown[]) => {
    const at = performance.now();
    const answer = await send(text, values);
    measured.push({ what: text.replaceAll(/\s+/g, ' ').slice(0, 60), ms: since(at) });
    return answer;
  };
  Object.assign(of, { query });
  return measured;
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    const at = performance.now();
    await work();
    times.push(since(at));
  }
  return percentile(times, 0.5);
}
const since = (at: number): number => Math.round((performance.now() - at) * 10) / 10;
