/**
 * What a token may do now, by the current state of client, login, membership and role: judged by every request, and again when a request
 * that waited for an approval is carried out.
 */
import { findPerson, type FoundPerson } from '../../db/identity/people.ts';
import { sqlOn } from '../../db/kernel/sql.ts';
import { findTenant, type Tenant } from '../../db/stores/queries.ts';
import type { TokenRef } from '../../domain/approvals/rules.ts';
import { intersect, type Role, ROLE_SCOPES } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Proof } from './bearer.ts';
import type { ApiDeps } from '../declare/deps.ts';

/** A token that we signed; an API token is found by its own row. */
export type SignedRef = Exclude<TokenRef, { readonly kind: 'apiToken' }>;
type LoginRef = Extract<TokenRef, { readonly kind: 'login' }>;

/** What must live for requests of this token; UNAUTHORIZED for a buyer's token, and without one. */
export function tokenRefOf({ claims, apiToken }: Pick<Proof, 'claims' | 'apiToken'>): TokenRef {
  if (apiToken) return { kind: 'apiToken', tokenId: apiToken.tokenId };
  if (!claims || claims.use === 'member') throw new Fault('UNAUTHORIZED');
  const { clientId, scopes } = claims;
  if (claims.use === 'user') return { kind: 'login', userId: claims.userId, loginId: claims.loginId, clientId, scopes, joinedAt: null };
  if (!claims.person) return { kind: 'client', clientId, scopes };
  const { userId, loginId, joinedAt } = claims.person;
  return { kind: 'login', userId, loginId, clientId, scopes, joinedAt };
}

export interface Rights {
  readonly tenant: Tenant;
  readonly scopes: readonly string[];
  /** Of the person; null for a server's client. */
  readonly role: Role | null;
}
/** `DEAD`: client or login are revoked. `FOREIGN`: they live, but the person is not, or no longer, a member whom the token is for. */
export type NoRights = 'DEAD' | 'FOREIGN';

/** One read per request, no cache: what is revoked is invalid immediately on every process. */
export async function rightsOf(ref: SignedRef, storeId: string, deps: ApiDeps): Promise<Rights | NoRights> {
  if (ref.kind === 'login') return rightsOfPerson(ref, storeId, deps);
  const tenant = await findTenant(sqlOn(deps.orm), 'clientId', ref.clientId);
  if (tenant?.status !== 'ACTIVE' || tenant.storeId !== storeId) return 'DEAD';
  return { tenant, scopes: ref.scopes, role: null };
}

async function rightsOfPerson(ref: LoginRef, wanted: string, deps: ApiDeps): Promise<Rights | NoRights> {
  const found = await findLivePerson(ref, wanted, deps);
  if (!found) return 'DEAD';
  const { storeId, role, sandbox, clockOffsetMs } = found;
  // A token of a store's client is valid for that store only, whoever logged in and whenever (X1).
  const isClientsStore = found.clientStoreId === null || found.clientStoreId === storeId;
  // Tokens belong to one membership: after leaving and joining again, earlier tokens stay invalid.
  const isSame = (ref.joinedAt ?? found.joinedAt) === found.joinedAt;
  if (storeId === null || role === null || !isClientsStore || !isSame) return 'FOREIGN';
  const tenant = { storeId, status: 'ACTIVE', sandbox, clockOffsetMs };
  return { tenant, scopes: scopesOf(ref, role), role };
}

/** The person of a login; null when login or client are revoked. */
export async function findLivePerson(
  ref: Pick<LoginRef, 'userId' | 'loginId' | 'clientId'>,
  storeId: string,
  { orm, config }: ApiDeps,
): Promise<FoundPerson | null> {
  const found = await findPerson(orm, ref, storeId);
  const isClientLive = ref.clientId === config.console.clientId || found?.clientStatus === 'ACTIVE';
  return found?.isLive && isClientLive ? found : null;
}

/** What a person's token may do is limited by their role now, an API token by that of its issuer. */
export const scopesOf = ({ scopes }: { readonly scopes: readonly string[] }, role: Role): string[] => intersect(scopes, ROLE_SCOPES[role]);
