/** The grants of POST /oauth2/token, one function each (docs/contract.md#oauth). */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { OAuthClient } from '../../db/identity/clients.ts';
import { delegatedCustomer } from '../../db/customers/commands.ts';
import { issueRefresh, type Login, redeemCode, redeemRefresh } from '../../db/identity/logins.ts';
import { findPerson } from '../../db/identity/people.ts';
import { sqlOn } from '../../db/kernel/sql.ts';
import { NO_STORE } from '../../db/kernel/tenancy.ts';
import { inTenant, realTime, REQUEST, tenancyOf } from '../../db/kernel/tx.ts';
import { findTenant } from '../../db/stores/queries.ts';
import { covers, type GrantType, intersect, narrow, ROLE_SCOPES, TOKEN_EXCHANGE } from '../../domain/identity/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Principal } from '../callers/meter.ts';
import type { Claims, UserClaims } from '../declare/tokens.ts';
import { MEMBER_SECONDS, TOKEN_SECONDS } from '../callers/tokens.ts';
import { need, OAuthError, type Params, resourceOf } from './oauth.ts';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const MEMBER_REF = 'urn:svc:params:oauth:token-type:member-ref';
/**
 * `countRequest` counts the request for a token as one of the principal whom the token is for (X10). It is called once the principal is
 * proved. Where it refuses (TOO_MANY_REQUESTS), a code or a refresh token stays unused: its transaction is rolled back.
 */
type GrantDeps = ApiDeps & { readonly countRequest: (principal: Principal) => void };
type Grant = (client: OAuthClient, params: Params, deps: GrantDeps) => Promise<object>;

export const grants: Readonly<Record<GrantType, Grant>> = {
  authorization_code: byCode,
  client_credentials: byClient,
  refresh_token: byRefresh,
  [TOKEN_EXCHANGE]: byExchange,
};

async function answer(deps: ApiDeps, claims: Claims, scopes: readonly string[], more: object = {}, seconds = TOKEN_SECONDS) {
  const accessToken = await deps.keys.sign(claims, deps.clock.now(), seconds);
  return { access_token: accessToken, token_type: 'Bearer', expires_in: seconds, scope: scopes.join(' '), ...more };
}

function narrowed(granted: readonly string[], requested: string | undefined): readonly string[] {
  const scopes = narrow(granted, requested ?? null);
  if (!scopes) throw new OAuthError('invalid_scope', 'A scope is unknown or more than what is held');
  return scopes;
}

async function byClient(client: OAuthClient, params: Params, deps: GrantDeps) {
  if (client.authMethod === 'none' || client.storeId === null)
    throw new OAuthError('unauthorized_client', 'Only a confidential client of a store may');
  const scopes = narrowed(client.scopes, params.get('scope'));
  const { clientId, storeId } = client;
  deps.countRequest({ userId: null, clientId });
  return answer(deps, { use: 'store', storeId, clientId, origin: 'm2m', scopes, person: null }, scopes);
}

const VERIFIER = /^[\w.~-]{43,128}$/;
const isVerifier = (verifier: string, challenge: string): boolean => {
  const made = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  return VERIFIER.test(verifier) && made.length === challenge.length && timingSafeEqual(made, Buffer.from(challenge));
};

async function byCode(client: OAuthClient, params: Params, deps: GrantDeps) {
  const [code, redirectUri, verifier] = need(params, 'code', 'redirect_uri', 'code_verifier') as [string, string, string];
  const now = deps.clock.now();
  const given = await inTenant(deps.orm, realTime(NO_STORE, now), REQUEST, async (tx) => {
    const fits = (issued: { redirectUri: string; codeChallenge: string }) =>
      issued.redirectUri === redirectUri && isVerifier(verifier, issued.codeChallenge);
    const login = await redeemCode(tx, client.clientId, code, fits);
    if (!login) return null;
    deps.countRequest({ userId: login.userId, clientId: client.clientId });
    checkResource(login, client, params, deps);
    const issuesRefresh = login.scopes.includes('offline_access') && client.grantTypes.includes('refresh_token');
    return { login, refresh: issuesRefresh ? await issueRefresh(tx, login.loginId) : null };
  });
  if (!given) throw new OAuthError('invalid_grant', 'The code is invalid, expired, used or not for this request');
  return person(client, given.login, given.login.scopes, given.refresh, deps);
}

async function byRefresh(client: OAuthClient, params: Params, deps: GrantDeps) {
  const [token] = need(params, 'refresh_token') as [string];
  const now = deps.clock.now();
  const given = await inTenant(deps.orm, realTime(NO_STORE, now), REQUEST, async (tx) => {
    const login = await redeemRefresh(tx, client.clientId, token);
    // An invalid scope or resource does not use up the refresh token: the error rolls back the transaction.
    if (!login) return null;
    deps.countRequest({ userId: login.userId, clientId: client.clientId });
    checkResource(login, client, params, deps);
    return { login, scopes: narrowed(login.scopes, params.get('scope')), refresh: await issueRefresh(tx, login.loginId) };
  });
  if (!given) throw new OAuthError('invalid_grant', 'The refresh token is invalid, expired, revoked or used');
  return person(client, given.login, given.scopes, given.refresh, deps);
}

/** A login has tokens for one resource, which a request may repeat: `invalid_target` for any other (RFC 8707 § 2.2). */
function checkResource({ resource }: Login, client: OAuthClient, params: Params, deps: ApiDeps): void {
  if (params.has('resource') && resourceOf(params, client, deps) !== resource)
    throw new OAuthError('invalid_target', 'The login was for another resource');
}

function person(client: OAuthClient, login: Login, scopes: readonly string[], refresh: string | null, deps: ApiDeps) {
  const claims: UserClaims = {
    use: 'user',
    userId: login.userId,
    clientId: client.clientId,
    loginId: login.loginId,
    origin: client.storeId === null ? 'console' : 'app',
    scopes,
    authTime: Math.floor(login.authenticatedAt / 1000),
    resource: login.resource,
  };
  return answer(deps, claims, scopes, refresh === null ? {} : { refresh_token: refresh });
}

async function byExchange(client: OAuthClient, params: Params, deps: GrantDeps) {
  const [subject, type] = need(params, 'subject_token', 'subject_token_type') as [string, string];
  if (type === MEMBER_REF) return delegate(client, subject, deps);
  if (type !== ACCESS_TOKEN) throw new OAuthError('invalid_request', 'The subject_token_type is not supported');
  const [storeId] = need(params, 'audience') as [string];
  const user = await deps.keys.verify(subject, deps.clock.now());
  if (user?.use !== 'user' || user.clientId !== client.clientId)
    throw new OAuthError('invalid_request', 'The subject_token is no living user token of this client');
  const found = await findPerson(deps.orm, user, storeId);
  if (!found?.isLive || (client.storeId !== null && found.clientStatus !== 'ACTIVE'))
    throw new OAuthError('invalid_request', 'The subject_token is no living user token of this client');
  deps.countRequest({ userId: user.userId, clientId: user.clientId });
  // A token of a store's client is valid for that store only; a store without membership and an unknown one are alike.
  if (found.role === null || (client.storeId !== null && client.storeId !== storeId))
    throw new OAuthError('invalid_target', 'The user has no such store');
  const scopes = narrowed(storeScopes(found.role, user, client.scopes), params.get('scope'));
  const claims = {
    use: 'store',
    storeId,
    clientId: user.clientId,
    origin: user.origin,
    scopes,
    person: { ...user, joinedAt: found.joinedAt },
  } as const;
  return answer(deps, claims, scopes, { issued_token_type: ACCESS_TOKEN });
}

/** A person's scopes in a store through a client: those of the role that both client and login have. */
const storeScopes = (role: keyof typeof ROLE_SCOPES, user: UserClaims, clientScopes: readonly string[]): string[] =>
  intersect(intersect(ROLE_SCOPES[role], clientScopes), user.scopes);

async function delegate(client: OAuthClient, email: string, deps: GrantDeps) {
  const { storeId, clientId } = client;
  if (client.authMethod === 'none' || storeId === null || !covers(client.scopes, 'member:delegate'))
    throw new OAuthError('unauthorized_client', 'Only a confidential client that holds member:delegate may');
  if (!/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(email)) throw new OAuthError('invalid_request', 'The subject_token must be an e-mail address');
  deps.countRequest({ userId: null, clientId });
  const tenant = await findTenant(sqlOn(deps.orm), 'clientId', clientId);
  const tenancy = tenancyOf(storeId, tenant?.clockOffsetMs ?? 0, deps.clock.now());
  const holder = await inTenant(deps.orm, tenancy, REQUEST, (tx) => delegatedCustomer(tx, email));
  const claims = { use: 'member', storeId, ...holder, clientId } as const;
  return answer(deps, claims, ['member'], { issued_token_type: ACCESS_TOKEN }, MEMBER_SECONDS);
}
