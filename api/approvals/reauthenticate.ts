/** The caller of an approved request, as they are now: their token, membership, role and scopes (G26). */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { findApiTokenById } from '../../db/identity/apiTokens.ts';
import { readRole } from '../../db/identity/members.ts';
import { type ChangeOrigin, inTenant, realTime, REQUEST, tenancyOf } from '../../db/kernel/tx.ts';
import { readStore } from '../../db/stores/queries.ts';
import type { TokenRef } from '../../domain/approvals/rules.ts';
import { intersect } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import type { Try } from '../declare/ports.ts';
import { rightsOf, scopesOf } from '../callers/rights.ts';

/** Its changes are the agent's; the record names who approved them (G47). */
function originOfExecution(approval: ApprovalRequest, requestId: string): ChangeOrigin {
  const { approvalId, actorType, actorId, actorName = null, via, onBehalfOf, approverUserId } = approval;
  const metadata = { ...(via && { via }), ...(onBehalfOf && { onBehalfOf }), ...(approverUserId && { approvedBy: approverUserId }) };
  return { actor: { type: actorType, id: actorId, name: actorName }, requestId, approvalId, metadata };
}

/** UNAUTHORIZED: what the request's token stands for is dead. */
export async function reauthenticate(approval: ApprovalRequest, deps: ApiDeps, { requestId, at, realNow }: Try): Promise<Caller> {
  const { storeId, principal, approverScopes, approverUserId } = approval;
  const [{ scopes, role, person }, [store, approverRole]] = await Promise.all([
    rightsNow(approval.tokenRef, storeId, deps, realNow),
    inTenant(
      deps.orm,
      realTime(storeId, realNow),
      REQUEST,
      async (tx) => [await readStore(tx), await readRole(tx, approverUserId ?? '')] as const,
    ),
  ]);
  // Of an approver who has left meanwhile, nothing.
  const approvers = approverRole ? scopesOf({ scopes: approverScopes ?? [] }, approverRole) : [];
  const tenancy = tenancyOf(storeId, store.clockOffsetMs, realNow);
  return {
    ...tenancy,
    // Its run may know of a later time.
    at: Math.max(tenancy.at, at),
    sandbox: store.sandbox,
    principal,
    requestId,
    clientAddress: '',
    sessionId: null,
    customer: null,
    renewedToken: null,
    staleSessionId: null,
    clientStoreId: null,
    scopes: intersect(scopes, approvers),
    role,
    person,
    tokenOrigin: null,
    tokenRef: approval.tokenRef,
    origin: originOfExecution(approval, requestId),
    actor: {
      type: approval.actorType,
      id: approval.actorId,
      name: approval.actorName ?? null,
      via: approval.via ?? null,
      onBehalfOf: approval.onBehalfOf ?? null,
    },
    // Its approval is there: what an agent may not do by itself holds no more.
    isAgent: false,
  };
}

/** As for every request of the token (rights.ts), but that its plain text is not known any more. */
async function rightsNow(
  ref: TokenRef,
  storeId: string,
  deps: ApiDeps,
  realNow: number,
): Promise<Pick<Caller, 'scopes' | 'role' | 'person'>> {
  if (ref.kind === 'apiToken') {
    const found = await inTenant(deps.orm, realTime(storeId, realNow), REQUEST, (tx) => findApiTokenById(tx, ref.tokenId));
    if (!found?.role) throw new Fault('UNAUTHORIZED');
    return { scopes: scopesOf(found, found.role), role: null, person: null };
  }
  const rights = await rightsOf(ref, storeId, deps);
  if (typeof rights === 'string') throw new Fault('UNAUTHORIZED');
  const { scopes, role } = rights;
  // The time of a login counts for people only: no operation that needs a recent one takes requests of agents.
  return { scopes, role, person: ref.kind === 'login' ? { userId: ref.userId, loginId: ref.loginId, authTime: 0 } : null };
}
