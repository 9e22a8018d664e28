/** Rate limits over a sliding window, in Postgres, so that all processes share them. Real time. */
import type { Tx } from '../kernel/tx.ts';
import { msOf } from '../../domain/kernel/time.ts';

/** At most `max` uses of `key` in any window of `windowMs`. The key is a keyed digest, without personal data. */
export interface Limit {
  readonly key: Buffer;
  readonly max: number;
  readonly windowMs: number;
  /** How many uses are consumed together, at most `max`; one if nothing is said. */
  readonly uses?: number;
}

/**
 * Consumes its uses of each limit, or none. Returns null, or the real time at which the exhausted limit allows them. All callers
 * pass limits in the same order, the narrower first, so that they cannot deadlock.
 */
export async function consumeUse(tx: Tx, limits: readonly Limit[]): Promise<number | null> {
  const { realNow } = tx;
  for (const [i, limit] of limits.entries()) {
    if (await consumeOne(tx, limit)) continue;
    await releaseUse(tx, limits.slice(0, i), realNow);
    return freeAt(tx, limit);
  }
  return null;
}

/** The real time at which the first exhausted limit frees up, or null when none is exhausted; nothing is consumed. */
export async function exhaustedUntil(tx: Tx, limits: readonly Limit[]): Promise<number | null> {
  for (const limit of limits) {
    const free = await freeAt(tx, limit);
    if (free > tx.realNow) return free;
  }
  return null;
}

/** A refused use is not counted, so that the limit frees up `windowMs` after its oldest use, however many were refused. */
async function consumeOne({ sql, realNow }: Tx, { key, max, windowMs, uses = 1 }: Limit): Promise<boolean> {
  const [now, since, expires] = [new Date(realNow), new Date(realNow - windowMs), new Date(realNow + windowMs)];
  const consumed = await sql`INSERT INTO rate_limit AS l (key, used_at, expires_at)
      VALUES (${key}, array_fill(${now}::timestamptz, ARRAY[${uses}::int]), ${expires})
     ON CONFLICT (key) DO UPDATE SET expires_at = greatest(l.expires_at, excluded.expires_at),
       used_at = array(SELECT t FROM unnest(l.used_at) t WHERE t > ${since}) || excluded.used_at
     WHERE (SELECT count(*) FROM unnest(l.used_at) t WHERE t > ${since}) <= ${max - uses} RETURNING 1 AS ok`;
  return consumed.length > 0;
}

/** When as many of the oldest uses have left the window as are in the way. */
async function freeAt({ sql, realNow }: Tx, { key, max, windowMs, uses = 1 }: Limit): Promise<number> {
  const [row] = await sql<{ last: string | null }>`
    SELECT (array_agg(t ORDER BY t))[count(*) - ${max - uses}::int] AS last
    FROM rate_limit, unnest(used_at) t WHERE key = ${key} AND t > ${new Date(realNow - windowMs)}`;
  return row?.last ? msOf(row.last) + windowMs : realNow;
}

/** Removes the uses that were consumed at `consumedAt`. */
export async function releaseUse({ sql }: Tx, limits: readonly Limit[], consumedAt: number): Promise<void> {
  for (const { key, uses = 1 } of limits)
    await sql`UPDATE rate_limit SET used_at = array(SELECT t FROM (SELECT t, row_number() OVER (PARTITION BY t) AS n, i
        FROM unnest(used_at) WITH ORDINALITY u (t, i)) kept WHERE t <> ${new Date(consumedAt)}::timestamptz OR n > ${uses} ORDER BY i)
       WHERE key = ${key} AND ${new Date(consumedAt)}::timestamptz = ANY (used_at)`;
}

/** Resets a limit. */
export const resetUses = ({ sql }: Tx, { key }: Limit): Promise<object[]> => sql`DELETE FROM rate_limit WHERE key = ${key}`;
