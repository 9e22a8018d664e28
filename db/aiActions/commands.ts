/** Counting AI actions. */
import { monthOf } from '../../domain/aiActions/rules.ts';
import type { Tx } from '../kernel/tx.ts';
import { quotaExceeded, readUsage } from './queries.ts';

/** `limited`: refused when the month's actions are used up. `always`: counted beyond them too. */
export type Counting = 'limited' | 'always';

/**
 * Counts one AI action in the transaction of its change, with which it is undone; PLAN_AI_ACTIONS_EXCEEDED. One statement, which locks the
 * month's row until the commit: parallel changes never pass the limit, and other changes of the store's agents wait. So it comes
 * after the change, and before the feed's row is taken.
 */
export async function countAction(tx: Tx, kind: Counting): Promise<void> {
  const { sql, storeId, at } = tx;
  const isUnlimited = kind === 'always';
  const counted = await sql`INSERT INTO ai_usage AS u (store_id, month, used)
    SELECT store_id, ${monthOf(at)}, 1 FROM store WHERE store_id = ${storeId} AND (ai_actions_limit > 0 OR ${isUnlimited})
    ON CONFLICT (store_id, month) DO UPDATE SET used = u.used + 1
    WHERE u.used < (SELECT ai_actions_limit FROM store s WHERE s.store_id = u.store_id) OR ${isUnlimited}
    RETURNING 1 AS ok`;
  if (counted.length === 0) throw quotaExceeded(await readUsage(tx));
}
