/** The errors that an operation declares, with those that follow from what it is. */
import type { ErrorCode } from '../../domain/kernel/errors.ts';
import { policyOf, takesKey } from './agents.ts';
import { type Access, type Endpoint, isManaged, isWrite } from './endpoint.ts';

/** Errors of every operation; those of bodies too, because an unexpected body is validated. */
const COMMON: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'TOO_MANY_REQUESTS',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INTERNAL',
  'TEMPORARILY_UNAVAILABLE',
];
const BY_ACCESS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  store: ['UNAUTHORIZED', 'STORE_REQUIRED', 'INSUFFICIENT_SCOPE', 'TENANT_MISMATCH'],
  user: ['UNAUTHORIZED'],
  buyer: ['STORE_REQUIRED', 'STORE_NOT_FOUND', 'UNAUTHORIZED'],
  customer: ['STORE_REQUIRED', 'STORE_NOT_FOUND', 'UNAUTHORIZED'],
  storefront: ['STORE_REQUIRED', 'STORE_NOT_FOUND'],
  payment: ['PAYMENT_NOT_FOUND'],
};

/** All error codes of an operation. */
export function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const console: ErrorCode[] = endpoint.console ? ['INSUFFICIENT_ROLE'] : [];
  const isPeoples = endpoint.access === 'user' || isManaged(endpoint);
  const agents: ErrorCode[] = isPeoples && policyOf(endpoint) !== 'direct' ? ['AGENT_OPERATION_DENIED'] : [];
  const quota: ErrorCode[] = usesQuota(endpoint) ? ['PLAN_AI_ACTIONS_EXCEEDED'] : [];
  const keys: ErrorCode[] = takesKey(endpoint) ? ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'] : [];
  return [...new Set([...COMMON, ...BY_ACCESS[endpoint.access], ...console, ...agents, ...quota, ...keys, ...(endpoint.errors ?? [])])];
}

/** Whether agents' changes by this operation use up the plan's AI actions. */
export const usesQuota = (endpoint: Endpoint): boolean =>
  isWrite(endpoint) && policyOf(endpoint) !== 'denied' && endpoint.aiActions !== 'always';
