/** The caller of an approved request, as they are now: their token, membership, role and scopes (G26). */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { findApiTokenById } from '../../db/identity/apiTokens.ts';
import { readRole } from '../../db/identity/members.ts';
import { findPerson } from '../../db/identity/people.ts';
import { sqlOn } from '../../db/kernel/sql.ts';
import { type ChangeOrigin, inTenant, realTime, REQUEST, tenancyOf } from '../../db/kernel/tx.ts';
import { findTenant, readStore } from '../../db/stores/queries.ts';
import type { TokenRef } from '../../domain/approvals/rules.ts';
import { intersect, type Role, ROLE_SCOPES } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Proof } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller } from './endpoint.ts';

/** What must live when a request of this token is carried out later. */
export function tokenRefOf({ claims, apiToken }: Pick<Proof, 'claims' | 'apiToken'>): TokenRef {
  if (apiToken) return { kind: 'apiToken', tokenId: apiToken.tokenId };
  if (!claims || claims.use === 'member') throw new Fault('UNAUTHORIZED');
  const { clientId, scopes } = claims;
  if (claims.use === 'user') return { kind: 'login', userId: claims.userId, loginId: claims.loginId, clientId, scopes, joinedAt: null };
  if (!claims.person) return { kind: 'client', clientId, scopes };
  const { userId, loginId, joinedAt } = claims.person;
  return { kind: 'login', userId, loginId, clientId, scopes, joinedAt };
}

/** Its changes are the agent's; the record names who approved them (G47). */
function originOfExecution(approval: ApprovalRequest, requestId: string): ChangeOrigin {
  const { approvalId, actorType, actorId, actorName = null, via, onBehalfOf, approverUserId } = approval;
  const metadata = { ...(via && { via }), ...(onBehalfOf && { onBehalfOf }), ...(approverUserId && { approvedBy: approverUserId }) };
  return { actor: { type: actorType, id: actorId, name: actorName }, requestId, approvalId, metadata };
}

interface Rights {
  readonly scopes: readonly string[];
  readonly role: Role | null;
  readonly person: Caller['person'];
}
/** A try of an execution. */
interface Try {
  /** Of the execution, the same for every try. */
  readonly requestId: string;
  /** Business milliseconds. */
  readonly at: number;
  readonly realNow: number;
}
/** UNAUTHORIZED: what the request's token stands for is dead. */
export async function reauthenticate(approval: ApprovalRequest, deps: ApiDeps, { requestId, at, realNow }: Try): Promise<Caller> {
  const { storeId, principal, approverScopes, approverUserId } = approval;
  const [{ scopes, role, person }, [store, approverRole]] = await Promise.all([
    rightsOf(approval.tokenRef, storeId, deps, realNow),
    inTenant(
      deps.orm,
      realTime(storeId, realNow),
      REQUEST,
      async (tx) => [await readStore(tx), await readRole(tx, approverUserId ?? '')] as const,
    ),
  ]);
  // Of an approver who has left meanwhile, nothing.
  const approvers = approverRole ? intersect(approverScopes ?? [], ROLE_SCOPES[approverRole]) : [];
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

async function rightsOf(ref: TokenRef, storeId: string, deps: ApiDeps, realNow: number): Promise<Rights> {
  switch (ref.kind) {
    case 'apiToken': {
      const found = await inTenant(deps.orm, realTime(storeId, realNow), REQUEST, (tx) => findApiTokenById(tx, ref.tokenId));
      if (!found?.role) throw new Fault('UNAUTHORIZED');
      return { scopes: intersect(found.scopes, ROLE_SCOPES[found.role]), role: null, person: null };
    }
    case 'client': {
      const tenant = await findTenant(sqlOn(deps.orm), 'clientId', ref.clientId);
      if (tenant?.status !== 'ACTIVE' || tenant.storeId !== storeId) throw new Fault('UNAUTHORIZED');
      return { scopes: ref.scopes, role: null, person: null };
    }
    case 'login':
      return rightsOfPerson(ref, storeId, deps);
    default:
      return ref satisfies never;
  }
}

/** The login lives, its client too, and so does the membership that it began with (X25). */
async function rightsOfPerson(ref: Extract<TokenRef, { kind: 'login' }>, storeId: string, { orm, config }: ApiDeps): Promise<Rights> {
  const { userId, loginId, clientId, joinedAt } = ref;
  const found = await findPerson(orm, { userId, loginId, clientId }, storeId);
  const isClientLive = clientId === config.console.clientId || found?.clientStatus === 'ACTIVE';
  const isOfStore = found?.clientStoreId === null || found?.clientStoreId === storeId;
  const isSame = joinedAt === null || joinedAt === found?.joinedAt;
  if (!found?.isLive || !found.role || !isClientLive || !isOfStore || !isSame) throw new Fault('UNAUTHORIZED');
  // The time of a login counts for people only: no operation that needs a recent one takes requests of agents.
  return { scopes: intersect(ref.scopes, ROLE_SCOPES[found.role]), role: found.role, person: { userId, loginId, authTime: 0 } };
}
