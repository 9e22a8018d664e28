import { readUsage } from '../../db/aiActions/queries.ts';
import { remainingActions } from '../../domain/aiActions/rules.ts';
import { korean } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, Timestamp, Type } from '../declare/schema.ts';

export const getSubscription = endpoint({
  id: 'stores.getSubscription',
  route: 'GET /v1/store/subscription',
  summary: 'Read the plan, and what is left of its AI actions',
  access: 'store',
  scopes: ['store:r'],
  change: 'none',
  data: closed(
    {
      plan: Type.String(),
      aiActions: Type.Integer({ minimum: 0, description: 'What remains this month' }),
      aiActionsLimit: Count,
      aiActionsUsed: Type.Integer({ minimum: 0, description: 'May be more than the limit: some actions are never blocked' }),
      aiActionsResetAt: Timestamp,
    },
    { title: 'StoreSubscription' },
  ),
}).handle(async ({ tx }) => {
  const usage = await readUsage(tx);
  return {
    plan: usage.plan,
    aiActions: remainingActions(usage),
    aiActionsLimit: usage.limit,
    aiActionsUsed: usage.used,
    aiActionsResetAt: korean(usage.resetsAt),
  };
});
