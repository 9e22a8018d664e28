/** Rate limits over a sliding window, in Postgres, so that all processes share them (X11, X13). Real time. */
import { type Em, sql } from '../kernel/tx.ts';

/** At most `max` uses of `key` in any window of `windowMs`. The key is a keyed digest, without personal data. */
export interface Limit {
  readonly key: Buffer;
  readonly max: number;
  readonly windowMs: number;
}

/**
 * Consumes one use of each limit, or none. Returns null, or the real time at which the exhausted limit allows the next use. All callers
 * pass limits in the same order, the narrower first, so that they cannot deadlock.
 */
export async function consumeUse(em: Em, limits: readonly Limit[], realNow: number): Promise<number | null> {
  for (const [i, limit] of limits.entries()) {
    if (await consumeOne(em, limit, realNow)) continue;
    await releaseUse(em, limits.slice(0, i), realNow);
    return freeAt(em, limit, realNow);
  }
  return null;
}

/** A refused use is not counted, so that the limit frees up `windowMs` after its oldest use, however many were refused. */
async function consumeOne(em: Em, { key, max, windowMs }: Limit, realNow: number): Promise<boolean> {
  const [now, since, expires] = [new Date(realNow), new Date(realNow - windowMs), new Date(realNow + windowMs)];
  const consumed = await sql(
    em,
    `INSERT INTO rate_limit AS l (key, used_at, expires_at) VALUES (?, ARRAY[?::timestamptz], ?)
     ON CONFLICT (key) DO UPDATE SET expires_at = greatest(l.expires_at, excluded.expires_at),
       used_at = array(SELECT t FROM unnest(l.used_at) t WHERE t > ?) || excluded.used_at
     WHERE (SELECT count(*) FROM unnest(l.used_at) t WHERE t > ?) < ? RETURNING 1 AS ok`,
    [key, now, expires, since, since, max],
  );
  return consumed.length > 0;
}

async function freeAt(em: Em, { key, windowMs }: Limit, realNow: number): Promise<number> {
  const [row] = await sql<{ oldest: string | null }>(
    em,
    `SELECT min(t) AS oldest FROM rate_limit, unnest(used_at) t WHERE key = ? AND t > ?`,
    [key, new Date(realNow - windowMs)],
  );
  return row?.oldest ? Date.parse(row.oldest) + windowMs : realNow;
}

/** Removes the use that was consumed at `consumedAt`. */
export async function releaseUse(em: Em, limits: readonly Limit[], consumedAt: number): Promise<void> {
  for (const { key } of limits)
    await sql(
      em,
      `UPDATE rate_limit SET used_at = used_at[:array_position(used_at, ?::timestamptz) - 1]
         || used_at[array_position(used_at, ?::timestamptz) + 1:]
       WHERE key = ? AND ?::timestamptz = ANY (used_at)`,
      [new Date(consumedAt), new Date(consumedAt), key, new Date(consumedAt)],
    );
}

/** Resets a limit. */
export const resetUses = (em: Em, { key }: Limit): Promise<object[]> => sql(em, 'DELETE FROM rate_limit WHERE key = ?', [key]);
