/** Partitions by day of what is kept for 30 days: made a week ahead, dropped a day after their last row was that old. Real time. */
import type { ClientBase } from 'pg';
import { lowestId } from '../../domain/kernel/ids.ts';
import { DAY } from '../../domain/kernel/time.ts';

const PARTITIONED = [
  ['event', 'evt'],
  ['webhook_delivery', 'dlv'],
] as const;
const AHEAD_DAYS = 7;
/** A redelivery on the last of the 30 days still finds its event for as long as it may be retried. */
const KEPT_MS = 31 * DAY;

interface Part {
  readonly name: string;
  /** Null for the default partition. */
  readonly upper: string | null;
}

/**
 * Makes the partitions of the coming days and drops those that are over. May run on several processes. A partition that cannot be made
 * or dropped now (somebody holds its table) is left to the next time and holds up no other, and no migration.
 */
export async function keepPartitions(
  client: ClientBase,
  realNow: number,
): Promise<{ made: string[]; dropped: string[]; failed: { part: string; error: unknown }[] }> {
  const done = { made: [] as string[], dropped: [] as string[], failed: [] as { part: string; error: unknown }[] };
  const attempt = async (part: string, told: string[], query: string, values: readonly string[]) => {
    try {
      await client.query(query, [...values]);
      told.push(part);
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
      if (upper === null || upper > lowestId(prefix, realNow - KEPT_MS)) continue;
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
