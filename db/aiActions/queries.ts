/** What a store has used of its AI actions. */
import { monthEnd, monthOf, type Usage } from '../../domain/aiActions/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { korean } from '../../domain/kernel/time.ts';
import type { Tx } from '../kernel/tx.ts';

/** The plan, and its usage in the month of this transaction; STORE_NOT_FOUND. */
export async function readUsage({ sql, storeId, at }: Tx): Promise<Usage & { readonly plan: string }> {
  const [row] = await sql<{ plan: string; allowed: number; used: number }>`
    SELECT s.plan, s.ai_actions_limit AS allowed, coalesce(u.used, 0) AS used
    FROM store s LEFT JOIN ai_usage u ON u.store_id = s.store_id AND u.month = ${monthOf(at)} WHERE s.store_id = ${storeId}`;
  if (!row) throw new Fault('STORE_NOT_FOUND');
  return { plan: row.plan, limit: row.allowed, used: row.used, resetsAt: monthEnd(at) };
}

/** PLAN_AI_ACTIONS_EXCEEDED when this month's actions are used up; counts nothing. */
export async function checkQuota(tx: Tx): Promise<void> {
  const usage = await readUsage(tx);
  if (usage.used >= usage.limit) throw quotaExceeded(usage);
}

export const quotaExceeded = ({ limit, resetsAt }: Usage): Fault =>
  new Fault('PLAN_AI_ACTIONS_EXCEEDED', { details: { limit, resetsAt: korean(resetsAt) } });
