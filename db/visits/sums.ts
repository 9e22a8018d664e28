/** Adds to what reports of visits read. */
import type { MemberChange, SumChange } from '../../domain/visits/counts.ts';
import { MAX_DAYS } from '../../domain/visits/rules.ts';
import type { Tx } from '../kernel/tx.ts';

export async function addSums({ sql, storeId }: Tx, changes: readonly SumChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`INSERT INTO visit_sum AS s (store_id, list, key, medium, day, is_test, page_views, product_views, cart_adds, payment_starts,
      purchases, quantity, amount_won)
    SELECT ${storeId}, list, key, medium, day, "isTest", "pageViews", "productViews", "cartAdds", "paymentStarts", purchases, quantity,
      "amountWon"
    FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) AS c (list text, key text, medium text, day date, "isTest" boolean,
      "pageViews" bigint, "productViews" bigint, "cartAdds" bigint, "paymentStarts" bigint, purchases bigint, quantity bigint,
      "amountWon" bigint)
    ON CONFLICT (store_id, list, key, medium, day, is_test) DO UPDATE SET page_views = s.page_views + excluded.page_views,
      product_views = s.product_views + excluded.product_views, cart_adds = s.cart_adds + excluded.cart_adds,
      payment_starts = s.payment_starts + excluded.payment_starts, purchases = s.purchases + excluded.purchases,
      quantity = s.quantity + excluded.quantity, amount_won = s.amount_won + excluded.amount_won`;
}

/**
 * Adds visitors and sessions to the days on which they were there, and keeps, for each day of a list, on which day before those who were
 * there had been there last. What changes is the difference between the days of those concerned as they were and as they are, so that days
 * may be added, and taken away, in any order. A gap that no period spans is as if there were no day before.
 */
export async function addMembers({ sql, storeId, at }: Tx, changes: readonly MemberChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`WITH change AS MATERIALIZED (
      SELECT list, key, medium, visit_key(who) AS who, day, n FROM jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        AS c (list text, key text, medium text, who text, day date, n integer)),
    concerned AS MATERIALIZED (SELECT DISTINCT list, key, medium, who FROM change),
    days AS MATERIALIZED (
      SELECT list, key, medium, who, day, sum(was)::integer AS was, sum(was + added)::integer AS now FROM (
        SELECT list, key, medium, who, m.day, m.n AS was, 0 AS added FROM concerned
          JOIN LATERAL (SELECT day, n FROM visit_member m WHERE m.store_id = ${storeId} AND m.list = concerned.list
            AND m.key = concerned.key AND m.medium = concerned.medium AND m.who = concerned.who) m ON true
        UNION ALL SELECT list, key, medium, who, day, 0, n FROM change) each_day
      GROUP BY list, key, medium, who, day),
    steps AS (
      SELECT list, key, medium, day, lag(day) OVER his AS before, -1 AS n FROM days WHERE was > 0
        WINDOW his AS (PARTITION BY list, key, medium, who ORDER BY day)
      UNION ALL
      SELECT list, key, medium, day, lag(day) OVER his, 1 FROM days WHERE now > 0
        WINDOW his AS (PARTITION BY list, key, medium, who ORDER BY day)),
    written AS (INSERT INTO visit_member (store_id, list, key, medium, who, day, n, created_at)
      SELECT ${storeId}, list, key, medium, who, day, now, ${new Date(at)} FROM days WHERE now <> was ORDER BY list, key, medium, who, day
      ON CONFLICT (store_id, list, key, medium, who, day) DO UPDATE SET n = excluded.n)
    INSERT INTO visit_distinct AS d (store_id, list, key, medium, day, day_before, n)
    SELECT ${storeId}, list, key, medium, day, CASE WHEN before > day - ${MAX_DAYS}::int THEN before ELSE '-infinity' END AS day_before,
      sum(n)
    FROM steps GROUP BY list, key, medium, day, day_before HAVING sum(n) <> 0
    ON CONFLICT (store_id, list, key, medium, day, day_before) DO UPDATE SET n = d.n + excluded.n`;
}
