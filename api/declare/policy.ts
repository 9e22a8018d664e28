/** What agents may do: the policy of each operation, and the decision about a request (docs/contract.md#agents, G3, G5 … G8, G12). */
import { isLive } from '../../db/stores/queries.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import type { Change } from '../../domain/audit/changes.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { type Caller, type Endpoint, isWrite } from './endpoint.ts';

/** `direct`: allowed. `approval`: only with a person's approval. `denied`: never. */
export type AgentPolicy = 'direct' | 'approval' | 'denied';

/** A policy that depends on what would change (G6). */
export interface ByChange {
  /** In words, for the OpenAPI document. */
  readonly condition: string;
  readonly decide: (changes: readonly Change[], body: Readonly<Record<string, unknown>>) => AgentPolicy;
}

export type Reason =
  | 'NOT_AGENT'
  | 'DIRECT'
  | 'NO_SENSITIVE_CHANGE'
  | 'STORE_NOT_LIVE'
  | 'HIGH_RISK_OPERATION'
  | 'SENSITIVE_CHANGE'
  | 'RESERVED_TO_PEOPLE';
/** What a request meets, quota aside. */
export interface AgentDecision {
  readonly decision: 'ALLOW' | 'APPROVAL_REQUIRED' | 'DENIED';
  readonly reason: Reason;
}
const allow = (reason: Reason): AgentDecision => ({ decision: 'ALLOW', reason });
const requireApproval = (reason: Reason): AgentDecision => ({ decision: 'APPROVAL_REQUIRED', reason });
export const RESERVED: AgentDecision = { decision: 'DENIED', reason: 'RESERVED_TO_PEOPLE' };

/** The policy of an operation; a change without a declared policy is denied. Reads are always direct (G4). */
export function policyOf({ route, agent = 'denied' }: Pick<Endpoint, 'route' | 'agent'>): AgentPolicy | 'conditional' {
  if (route.startsWith('GET ')) return 'direct';
  return typeof agent === 'string' ? agent : 'conditional';
}

/** AGENT_OPERATION_DENIED. */
export const deniedBy = ({ id }: Endpoint, { reason }: AgentDecision): Fault =>
  new Fault('AGENT_OPERATION_DENIED', { details: { operationId: id, reason } });

/** Whether an operation is denied to this caller whatever it would change. */
export const isAlwaysDenied = (endpoint: Endpoint, { isAgent }: Pick<Caller, 'isAgent'>): boolean =>
  isAgent && policyOf(endpoint) === 'denied';

/** Whether the decision about this caller's request depends on what it would change, or needs a person: then it is not just carried out. */
export const needsDecision = (endpoint: Endpoint, { isAgent }: Pick<Caller, 'isAgent'>): boolean =>
  isAgent && policyOf(endpoint) !== 'direct';

/** The decision about a request that would make these changes. Judged as the store is now (G8). */
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

/** Changes that agents may ask for take an Idempotency-Key, whoever sends it (G19, D94), and what says so of itself. */
export const takesKey = (endpoint: Endpoint): boolean =>
  endpoint.idempotent === true || (isWrite(endpoint) && policyOf(endpoint) !== 'denied');
