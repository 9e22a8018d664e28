/**
 * The order of a store's changes. A transaction that changes what a feed shows takes its time here, as its last lock, and holds the row
 * until it commits. So times grow in the order of commits, and a reader that continues after the last time it has seen misses nothing
 * (D70).
 */
import type { Tx } from '../kernel/tx.ts';

/** The feed time of a change: the business time `at`, or a millisecond after the store's previous change. */
export async function changeTime({ sql, storeId, at }: Tx): Promise<Date> {
  const [row] = await sql<{ changed_at: string }>`INSERT INTO feed (store_id, changed_at) VALUES (${storeId}, ${new Date(at)})
     ON CONFLICT (store_id) DO UPDATE SET changed_at = greatest(feed.changed_at + interval '1 millisecond', excluded.changed_at)
     RETURNING changed_at`;
  return new Date(row!.changed_at);
}
