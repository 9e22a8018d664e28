/**
 * The order of a store's changes. Whoever changes what a feed shows takes its time here last of all locks and holds it until the
 * commit, so that times grow in the order of commits: a reader who goes on from the last time that it saw misses nothing (D70).
 */
import { type Em, sql } from '../kernel/tx.ts';

/** When the change at the business time `at` stands in feeds: then, or a millisecond after the change before it. */
export async function changeTime(em: Em, storeId: string, at: number): Promise<Date> {
  const [row] = await sql<{ changed_at: string }>(
    em,
    `INSERT INTO feed (store_id, changed_at) VALUES (?, ?)
     ON CONFLICT (store_id) DO UPDATE SET changed_at = greatest(feed.changed_at + interval '1 millisecond', excluded.changed_at)
     RETURNING changed_at`,
    [storeId, new Date(at)],
  );
  return new Date(row!.changed_at);
}
