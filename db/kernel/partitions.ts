/** Daily partitions of tables with 30 days of retention: created a week ahead, dropped when their last row is 31 days old. Real time. */
import type { ClientBase } from 'pg';
import { lowestId } from '../../domain/kernel/ids.ts';
import { DAY } from '../../domain/kernel/time.ts';

const PARTITIONED = [
  ['event', 'evt'],
  ['webhook_delivery', 'dlv'],
] as const;
const AHEAD_DAYS = 7;
/** 30 days, and one for the retries of a redelivery on the last of them: they still need the event. */
const RETENTION_MS = 31 * DAY;

interface Part {
  readonly name: string;
  /** Null for the default partition. */
  readonly upper: string | null;
}

/**
 * Creates the partitions of the coming days and drops expired ones. May run in several processes. A partition whose table is locked is
 * returned in `failed` and retried the next time; it blocks no other partition and no migration.
 */
export async function maintainPartitions(
  client: ClientBase,
  realNow: number,
): Promise<{ made: string[]; dropped: string[]; failed: { part: string; error: unknown }[] }> {
  const done = { made: [] as string[], dropped: [] as string[], failed: [] as { part: string; error: unknown }[] };
  const attempt = async (part: string, succeeded: string[], query: string, values: readonly string[]) => {
    try {
      await client.query(query, [...values]);
      succeeded.push(part);
    } catch (error) {
      await client.query('SELECT 1');
      done.failed.push({ part, error });
    }
  };
  for (const [table, prefix] of PARTITIONED) {
    const parts = await read(client, table);
    const last = parts.reduce((most, { upper }) => (upper !== null && upper > most ? upper : most), '');
    for (let day = Math.floor(realNow / DAY); day <= realNow / DAY + AHEAD_DAYS; day++) {
      const [lower, upper] = [lowestId(prefix, day * DAY), lowestId(prefix, (day + 1) * DAY)];
      const name = `${table}_${new Date(day * DAY).toISOString().slice(0, 10).replaceAll('-', '')}`;
      if (lower < last || parts.some((part) => part.name === name)) continue;
      await attempt(name, done.made, 'SELECT add_partition($1, $2, $3, $4)', [table, name, lower, upper]);
    }
    for (const { name, upper } of parts) {
      if (upper === null || upper > lowestId(prefix, realNow - RETENTION_MS)) continue;
      await attempt(name, done.dropped, 'SELECT drop_partition($1, $2)', [table, name]);
    }
  }
  return done;
}

async function read(client: ClientBase, table: string): Promise<Part[]> {
  const { rows } = await client.query<{ name: string; bound: string }>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass`,
    [table],
  );
  return rows.map(({ name, bound }) => ({ name, upper: /TO \('([^']*)'\)/.exec(bound)?.[1] ?? null }));
}
