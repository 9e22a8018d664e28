/** Uses counted over a sliding window, in Postgres, so that any number of processes count together (X11, X13). Real time. */
import { type Em, sql } from '../kernel/tx.ts';

/** At most `most` uses of what `key` stands for in any `windowMs`. The key is a digest: nothing in it tells of a person. */
export interface Limit {
  readonly key: Buffer;
  readonly most: number;
  readonly windowMs: number;
}

/** Takes one use of each limit, or none. Answers null, or when the one that is spent may be asked again. Limits come in one order everywhere: the narrow one first. */
export async function takeUse(em: Em, limits: readonly Limit[], realNow: number): Promise<number | null> {
  for (const [i, limit] of limits.entries()) {
    if (await takeOne(em, limit, realNow)) continue;
    await giveBackUse(em, limits.slice(0, i), realNow);
    return freeAt(em, limit, realNow);
  }
  return null;
}

/** What is spent is not counted on: so the window ends `windowMs` after the oldest use in it, however often it was asked. */
async function takeOne(em: Em, { key, most, windowMs }: Limit, realNow: number): Promise<boolean> {
  const [now, since, expires] = [new Date(realNow), new Date(realNow - windowMs), new Date(realNow + windowMs)];
  const taken = await sql(
    em,
    `INSERT INTO rate_limit AS l (key, used_at, expires_at) VALUES (?, ARRAY[?::timestamptz], ?)
     ON CONFLICT (key) DO UPDATE SET expires_at = greatest(l.expires_at, excluded.expires_at),
       used_at = array(SELECT t FROM unnest(l.used_at) t WHERE t > ?) || excluded.used_at
     WHERE (SELECT count(*) FROM unnest(l.used_at) t WHERE t > ?) < ? RETURNING 1 AS ok`,
    [key, now, expires, since, since, most],
  );
  return taken.length > 0;
}

async function freeAt(em: Em, { key, windowMs }: Limit, realNow: number): Promise<number> {
  const [row] = await sql<{ oldest: string | null }>(
    em,
    `SELECT min(t) AS oldest FROM rate_limit, unnest(used_at) t WHERE key = ? AND t > ?`,
    [key, new Date(realNow - windowMs)],
  );
  return row?.oldest ? Date.parse(row.oldest) + windowMs : realNow;
}

/** Takes back a use that was taken at this time: it turned out not to count. */
export async function giveBackUse(em: Em, limits: readonly Limit[], takenAt: number): Promise<void> {
  for (const { key } of limits)
    await sql(
      em,
      `UPDATE rate_limit SET used_at = used_at[:array_position(used_at, ?::timestamptz) - 1] || used_at[array_position(used_at, ?::timestamptz) + 1:]
       WHERE key = ? AND ?::timestamptz = ANY (used_at)`,
      [new Date(takenAt), new Date(takenAt), key, new Date(takenAt)],
    );
}

/** As if nothing had been counted. */
export const forgetUses = (em: Em, { key }: Limit): Promise<object[]> => sql(em, 'DELETE FROM rate_limit WHERE key = ?', [key]);
