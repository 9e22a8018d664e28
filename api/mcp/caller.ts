import type { Acting } from '../../domain/identity/actors.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { findActiveLogin, type StoreCaller, storeCallerOf } from '../callers/authenticate.ts';
import type { Proof } from '../callers/bearer.ts';
import type { ApiDeps } from '../declare/deps.ts';

export interface McpCaller extends StoreCaller {
  readonly principal: string;
  readonly userId: string;
}

/**
 * Who uses `/mcp`: an agent for the person who logged in, in the store of the login's client, with the rights of now.
 * UNAUTHORIZED for any other token, for a login or client that was revoked, and for who is no member any more.
 */
export async function mcpCallerOf(proof: Proof, deps: ApiDeps): Promise<McpCaller> {
  const { claims } = proof;
  const login = claims?.use === 'user' && claims.resource !== null ? await findActiveLogin(claims, deps) : null;
  if (claims?.use !== 'user' || !login || login.clientStoreId === null) throw new Fault('UNAUTHORIZED');
  const { clientId, userId } = claims;
  const caller = await storeCallerOf(proof, login.clientStoreId, deps).catch((error: unknown) => {
    throw error instanceof Fault && error.code === 'TENANT_MISMATCH' ? new Fault('UNAUTHORIZED') : error;
  });
  const actor: Acting = { type: 'AGENT', id: clientId, name: null, via: 'MCP', onBehalfOf: userId };
  return { ...caller, isAgent: true, principal: `mcp/${userId}/${clientId}`, actor, userId };
}
