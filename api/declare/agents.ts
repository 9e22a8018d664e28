/** What agents may do by the policy of an operation alone (docs/contract.md#agents, G3, G5). */
import { Fault } from '../../domain/kernel/errors.ts';
import type { Caller } from './caller.ts';
import { type Endpoint, isWrite } from './endpoint.ts';
import type { AgentPolicy } from './policy.ts';

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
export const RESERVED: AgentDecision = { decision: 'DENIED', reason: 'RESERVED_TO_PEOPLE' };

/** The policy of an operation; a change without a declared policy is denied. Reads are always direct. */
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

/** Changes that agents may ask for take an Idempotency-Key, whoever sends it, and what says so of itself. */
export const takesKey = (endpoint: Endpoint): boolean =>
  endpoint.idempotent === true || (isWrite(endpoint) && policyOf(endpoint) !== 'denied');
