/** Partitions by day or month: created ahead, dropped when their last row has been retained for long enough. Real time. */
import type { ClientBase } from 'pg';
import { LISTED_MS } from '../../domain/apiRequestLogs/rules.ts';
import { RETAINED_MS } from '../../domain/audit/rules.ts';
import { lowestId } from '../../domain/kernel/ids.ts';
import { DAY } from '../../domain/kernel/time.ts';
import { EVENT_RETENTION_MS as VISITS_MS } from '../../domain/visits/rules.ts';
import { DAYS, MONTHS } from './periods.ts';

/** 30 days, and one for the retries of a redelivery on the last of them: they still need the event. */
const EVENTS_MS = 31 * DAY;
/** How many periods after the current one have their partitions. */
const [DAYS_AHEAD, MONTHS_AHEAD] = [7, 2];
/** Tables by the prefix of the ids that they are partitioned by. */
const PARTITIONED = [
  { table: 'event', prefix: 'evt', retentionMs: EVENTS_MS, periods: DAYS, ahead: DAYS_AHEAD },
  { table: 'webhook_delivery', prefix: 'dlv', retentionMs: EVENTS_MS, periods: DAYS, ahead: DAYS_AHEAD },
  { table: 'api_request_log', prefix: 'req', retentionMs: LISTED_MS, periods: DAYS, ahead: DAYS_AHEAD },
  { table: 'visit_event', prefix: 'vis', retentionMs: VISITS_MS, periods: DAYS, ahead: DAYS_AHEAD },
  { table: 'audit_request', prefix: 'aud', retentionMs: RETAINED_MS, periods: MONTHS, ahead: MONTHS_AHEAD },
] as const;

interface Part {
  readonly name: string;
  /** Null for the default partition. */
  readonly upper: string | null;
}

/**
 * Creates the partitions of the coming periods and drops expired ones. May run in several processes. A partition whose table is locked is
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
  for (const { table, prefix, retentionMs, periods, ahead } of PARTITIONED) {
    const parts = await read(client, table);
    const last = parts.reduce((max, { upper }) => (upper !== null && upper > max ? upper : max), '');
    const current = periods.indexOf(realNow);
    for (let index = current; index <= current + ahead; index++) {
      const [lower, upper] = [lowestId(prefix, periods.start(index)), lowestId(prefix, periods.start(index + 1))];
      const name = `${table}_${periods.name(index)}`;
      if (lower < last || parts.some((part) => part.name === name)) continue;
      await attempt(name, done.made, 'SELECT add_partition($1, $2, $3, $4)', [table, name, lower, upper]);
    }
    for (const { name, upper } of parts) {
      if (upper === null || upper > lowestId(prefix, realNow - retentionMs)) continue;
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
