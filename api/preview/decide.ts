/** The decision about an agent's request, by what it would change. */
import { isLive } from '../../db/stores/queries.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import type { Change } from '../../domain/audit/changes.ts';
import { type AgentDecision, policyOf, type Reason, RESERVED } from '../declare/agents.ts';
import type { Caller } from '../declare/caller.ts';
import type { Endpoint } from '../declare/endpoint.ts';

const allow = (reason: Reason): AgentDecision => ({ decision: 'ALLOW', reason });
const requireApproval = (reason: Reason): AgentDecision => ({ decision: 'APPROVAL_REQUIRED', reason });

/** The decision about a request that would make these changes. Judged as the store is now. */
export async function decide(
  endpoint: Endpoint,
  tx: Tx,
  { isAgent }: Pick<Caller, 'isAgent'>,
  { changes, body }: { readonly changes: readonly Change[]; readonly body: unknown },
): Promise<AgentDecision> {
  if (!isAgent) return allow('NOT_AGENT');
  const policy = policyOf(endpoint);
  if (policy === 'direct') return allow('DIRECT');
  if (policy === 'denied') return RESERVED;
  const byChange = typeof endpoint.agent === 'object' ? endpoint.agent : null;
  const decided = byChange ? byChange.decide(changes, (body ?? {}) as Readonly<Record<string, unknown>>) : 'approval';
  if (decided === 'denied') return RESERVED;
  if (decided === 'direct') return allow('NO_SENSITIVE_CHANGE');
  if (endpoint.directUntilLive && !(await isLive(tx))) return allow('STORE_NOT_LIVE');
  return requireApproval(byChange ? 'SENSITIVE_CHANGE' : 'HIGH_RISK_OPERATION');
}
