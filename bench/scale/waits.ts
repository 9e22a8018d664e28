/** How long Postgres' backends wait while something is measured, sampled every 50 ms by a superuser. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** Milliseconds of waiting, of all backends together. */
export interface Waits {
  /** For the row of a store's feed (db/feeds/commands.ts). */
  readonly feed: number;
  /** For the stock of a product (db/products/stock.ts). */
  readonly stock: number;
  /** For any lock, these two among them. */
  readonly locks: number;
  /** For the write-ahead log, at a commit. */
  readonly log: number;
}
export const WAITS = ['feed', 'stock', 'locks', 'log'] as const satisfies readonly (keyof Waits)[];
const SAMPLE_MS = 50;

/** A transaction's feed is its last lock: who has opened that table and waits, waits for it. */
const WAITING = `SELECT count(*) FILTER (WHERE locked AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'feed'::regclass))::int AS feed,
    count(*) FILTER (WHERE locked AND query LIKE '%UPDATE variant SET stock%')::int AS stock, count(*) FILTER (WHERE locked)::int AS locks,
    count(*) FILTER (WHERE wait_event IN ('WalSync', 'WalWrite', 'WALWrite'))::int AS log
  FROM (SELECT pid, query, wait_event, wait_event_type = 'Lock' AS locked FROM pg_stat_activity
    WHERE datname = current_database()) AS backend`;

/** Samples until its result is called. Each sample counts for the time since the one before it. */
export async function sampleWaits(databaseUrl: string): Promise<() => Promise<Waits>> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  const sums = { feed: 0, stock: 0, locks: 0, log: 0 };
  const stopping = new AbortController();
  const sample = async () => {
    for (let last = performance.now(); !stopping.signal.aborted; await sleep(SAMPLE_MS)) {
      const [waiting] = (await client.query<Waits>({ name: 'waiting', text: WAITING })).rows;
      const now = performance.now();
      for (const name of WAITS) sums[name] += waiting![name] * (now - last);
      last = now;
    }
  };
  const sampled = sample().finally(() => client.end());
  // Reported by whoever stops it.
  sampled.catch(() => {});
  return async () => {
    stopping.abort();
    await sampled;
    for (const name of WAITS) sums[name] = Math.round(sums[name]);
    return sums;
  };
}
