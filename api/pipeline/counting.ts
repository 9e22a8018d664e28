import type { Counting } from '../../db/aiActions/commands.ts';
import { isWrite } from '../declare/endpoint.ts';
import type { Request } from '../declare/request.ts';

/** How an agent's change is counted; null: not at all. What was approved is counted always. */
export function countingOf({ endpoint, caller, execution }: Pick<Request, 'endpoint' | 'caller' | 'execution'>): Counting | null {
  if (execution) return 'always';
  return caller.isAgent && isWrite(endpoint) ? (endpoint.aiActions ?? 'limited') : null;
}
