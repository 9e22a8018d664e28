/** Roles and scopes. Their refusals come before the validation of the body (D68). */
import { covers, type Role } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { deniedBy, RESERVED } from '../declare/agents.ts';
import type { Caller } from '../declare/caller.ts';
import { type Endpoint, isManaged } from '../declare/endpoint.ts';

/** INSUFFICIENT_ROLE unless a person with one of these roles logged in at the console; before scopes and body. */
export function requireConsole({ tokenOrigin, role }: Pick<Caller, 'tokenOrigin' | 'role'>, roles: readonly Role[]): void {
  if (tokenOrigin !== 'console' || role === null || !roles.includes(role)) throw new Fault('INSUFFICIENT_ROLE');
}

/** Roles and scopes of an operation of the management API. */
export function authorize(endpoint: Endpoint, caller: Pick<Caller, 'tokenOrigin' | 'role' | 'scopes' | 'isAgent'>): void {
  const agents = caller.isAgent ? endpoint.agentAccess : undefined;
  if (agents === 'none' && !isManaged(endpoint)) throw deniedBy(endpoint, RESERVED);
  if (endpoint.console && !agents) requireConsole(caller, endpoint.console);
  const { scopes = [], scopeOf } = endpoint;
  const missing = scopes.filter((scope) => !covers(caller.scopes, scope));
  const isRefused = scopeOf ? missing.length === scopes.length : missing.length > 0;
  if (isRefused) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: missing } });
}
