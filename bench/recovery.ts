/** The time to recover all open runs after the loss of Temporal's database, compared with bare workflow starts. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { temporalDatabase } from '../bin/dev/temporal.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import type { System } from '../bin/dev/system.ts';
import { Seller } from '../bin/dev/client.ts';
import { bareStarts } from './bare.ts';
import { copy, shipped } from './copies.ts';

interface Recovered {
  readonly runs: number;
  /** From the loss until every run is loaded again. */
  readonly seconds: number;
  /** Of these, until the reconciler detected the new namespace. */
  readonly noticedAfter: number;
  readonly perSecond: number;
  readonly barePerSecond: number;
}

/** As many concurrent starts as the reconciler makes. */
const CALLERS = 16;
/** Enough bare starts to measure their rate. */
const BARE_STARTS = 5000;
const POLL_MS = 250;
const REPORT_MS = 15_000;

/** Creates `runs` dispatched orders that wait for their deadlines, deletes Temporal's database and waits until all are recovered. */
export async function recover(system: System, runs: number): Promise<Recovered> {
  const store = await makeStore(
    system.databaseUrl,
    { code: 'lost', name: 'lost', sandbox: true, withProduct: true },
    system.env['SEALING_KEYS'],
  );
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const orderId = await shipped(system, seller, { productId, code: 'lost' });
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  pool.on('error', () => {});
  await isQuiet(pool);
  await copy(pool, [{ orderId, from: 1, to: runs - 1 }]);
  const barePerSecond = await bareStarts(system.temporalAddress, CALLERS, Math.min(runs, BARE_STARTS));
  const [before] = await namespaces(pool);
  const began = performance.now();
  loseTemporal(system);
  const noticedAt = await until(async () => (await namespaces(pool))[0]!.namespace_id !== before!.namespace_id, 'a new database');
  const backAt = await until(async () => isBack(pool), 'every run');
  const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM run WHERE done_at IS NULL');
  await pool.end();
  const brought = rows[0]!.n;
  return {
    runs: brought,
    seconds: Math.round((backAt - began) / 100) / 10,
    noticedAfter: Math.round((noticedAt - began) / 100) / 10,
    perSecond: Math.round((brought / (backAt - noticedAt)) * 10_000) / 10,
    barePerSecond,
  };
}

/** Kills Temporal and deletes its files: it restarts empty. */
function loseTemporal(system: System): void {
  const temporal = system.processes().find(({ name }) => name === 'temporal');
  if (!temporal) throw new Error('Temporal is not ours to lose: unset TEMPORAL_ADDRESS.');
  process.kill(temporal.pid, 'SIGKILL');
  for (const ending of ['', '-wal', '-shm']) rmSync(temporalDatabase(system.dataDir) + ending, { force: true });
}

interface Namespace {
  readonly namespace_id: string;
  readonly recovery_run: string | null;
}
const namespaces = async (pool: Pool) => (await pool.query<Namespace>('SELECT namespace_id, recovery_run FROM temporal_namespace')).rows;
const unloaded = async (pool: Pool) =>
  (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM run WHERE done_at IS NULL AND loaded_at IS NULL')).rows[0]!.n;
const isQuiet = (pool: Pool) => until(async () => (await unloaded(pool)) === 0 && (await namespaces(pool)).length === 1, 'quiet');

/** All runs are marked for recovery, and all marked runs are loaded. */
async function isBack(pool: Pool): Promise<boolean> {
  const [note] = await namespaces(pool);
  return note!.recovery_run === null && (await unloaded(pool)) === 0;
}

/** Returns the time at which the condition held; prints progress. */
async function until(holds: () => Promise<boolean>, what: string): Promise<number> {
  for (let reportedAt = performance.now(); !(await holds()); await sleep(POLL_MS))
    if (performance.now() - reportedAt > REPORT_MS) {
      process.stdout.write(`  waiting for ${what}\n`);
      reportedAt = performance.now();
    }
  return performance.now();
}
