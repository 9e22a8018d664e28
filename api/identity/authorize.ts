/**
 * GET /oauth2/authorize and the callback of the identity provider. Errors of client or redirect URI are shown here; all others are
 * redirected to the client with its `state` (RFC 6749 § 4.1.2.1, RFC 9207).
 */
import type { Context } from 'koa';
import { clientOf, type OAuthClient } from '../../db/identity/clients.ts';
import { issueCode, openRequest, REQUEST_MS, consumeRequest, userOf } from '../../db/identity/logins.ts';
import { NO_STORE } from '../../db/kernel/tenancy.ts';
import { inTenant, realTime, REQUEST } from '../../db/kernel/tx.ts';
import { covers, intersect, isRegistered, narrow, SCOPES } from '../../domain/identity/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { redirectToClient, setBrowserCookie, LONGEST_STATE } from './answer.ts';
import { startConsent } from './consent.ts';
import { asOAuthError, need, OAuthError, type Params, paramsOf, resourceOf } from './oauth.ts';

/** Scopes that login libraries request; they grant nothing in a store. */
const ALWAYS = ['openid', 'offline_access', 'email', 'profile'];
const CHALLENGE = /^[\w-]{43}$/;
const COOKIE = 'svc_login';
const CALLBACK = '/oauth2/callback';

export async function authorize(ctx: Context, deps: ApiDeps): Promise<void> {
  const params = paramsOf(new URLSearchParams(ctx.querystring));
  const [clientId, redirectUri] = need(params, 'client_id', 'redirect_uri') as [string, string];
  const client = await clientOf(deps, clientId);
  if (!client || client.status !== 'ACTIVE') throw new OAuthError('invalid_request', 'Unknown client');
  if (!isRegistered(client.redirectUris, redirectUri)) throw new OAuthError('invalid_redirect_uri', 'The redirect_uri is not registered');
  try {
    const authorization = authorizationRequest(client, params, deps);
    const upstream = await deps.login.discover();
    const request = { clientId, redirectUri, ...authorization };
    const { requestId, verifier, nonce, browser } = await openRequest(deps.orm, deps.keyring, request, deps.clock.now());
    setBrowserCookie(ctx, deps, { name: COOKIE, value: browser, path: CALLBACK, maxAge: REQUEST_MS });
    ctx.redirect(await upstream.begin({ requestId, verifier, nonce }));
  } catch (error) {
    const { code, message } = asOAuthError(error, ctx, deps);
    redirectToClient(ctx, deps, redirectUri, { error: code, error_description: message, state: params.get('state') ?? null });
  }
}

function authorizationRequest(client: OAuthClient, params: Params, deps: ApiDeps) {
  if (!client.grantTypes.includes('authorization_code')) throw new OAuthError('unauthorized_client', 'The client may not log people in');
  if (params.get('response_type') !== 'code') throw new OAuthError('unsupported_response_type', 'The response_type must be code');
  if ((params.get('response_mode') ?? 'query') !== 'query') throw new OAuthError('unsupported_response_mode', 'The answer comes as query');
  if (params.has('request') || params.has('request_uri')) throw new OAuthError('request_not_supported', 'There are no request objects');
  const resource = resourceOf(params, client, deps);
  const [state, codeChallenge] = need(params, 'state', 'code_challenge') as [string, string];
  if (params.get('code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge))
    throw new OAuthError('invalid_request', 'The code_challenge_method must be S256');
  if (state.length > LONGEST_STATE) throw new OAuthError('invalid_request', `The state is longer than ${LONGEST_STATE} characters`);
  const requested = params.get('scope') ?? '';
  return { state, codeChallenge, resource, scopes: scopesOf(client, resource === null ? requested : possible(requested, client)) };
}

/**
 * Clients of `/mcp` ask for all scopes that its metadata names: what is a scope and not the client's is left out (G33). `order:rw` of a
 * client with `order:r` is `order:r`.
 */
function possible(requested: string, { scopes }: OAuthClient): string {
  const names = requested.split(' ');
  const both = intersect(names, scopes);
  const isKnown = names.every((scope) => ALWAYS.includes(scope) || covers(SCOPES, scope));
  return isKnown && both.length > 0 ? [...names.filter((scope) => ALWAYS.includes(scope)), ...both].join(' ') : requested;
}

/** The requested scopes; all scopes of the client when none of a store is requested. */
function scopesOf(client: OAuthClient, requested: string): readonly string[] {
  const named = narrow([...client.scopes, ...ALWAYS], requested === '' ? null : requested);
  if (!named) throw new OAuthError('invalid_scope', 'A scope is unknown or more than the client may have');
  if (requested === '') return client.scopes;
  return named.some((scope) => covers(client.scopes, scope)) ? named : [...client.scopes, ...named];
}

/**
 * The redirect URI at the provider, valid only in the browser that began the login. The console gets its code immediately, every other
 * client after the person's consent.
 */
export async function callback(ctx: Context, deps: ApiDeps): Promise<void> {
  const params = paramsOf(new URLSearchParams(ctx.querystring));
  const browser = ctx.cookies.get(COOKIE) ?? '';
  const now = deps.clock.now();
  const request = await consumeRequest(deps.orm, deps.keyring, params.get('state') ?? '', browser, now);
  if (!request) throw new OAuthError('invalid_request', 'This login was not begun in this browser, or it has expired');
  // After the check: a callback that this browser did not begin must not delete the cookie of its pending login.
  setBrowserCookie(ctx, deps, { name: COOKIE, value: '', path: CALLBACK, maxAge: 0 });
  const { redirectUri, state, clientId } = request;
  try {
    const upstream = await deps.login.discover();
    const { authenticatedAt, ...person } = await upstream.finish(ctx.querystring, request);
    const isConsole = clientId === deps.config.console.clientId;
    const { userId, code } = await inTenant(deps.orm, realTime(NO_STORE, now), REQUEST, async (tx) => {
      const known = await userOf(tx, person);
      return { userId: known, code: isConsole ? await issueCode(tx, known, request, authenticatedAt) : null };
    });
    if (code === null) await startConsent(ctx, deps, { ...request, userId, authenticatedAt }, browser);
    else redirectToClient(ctx, deps, redirectUri, { code, state });
  } catch (error) {
    if (error instanceof OAuthError) throw error;
    deps.log.warn({ err: error }, 'a login at the provider failed');
    redirectToClient(ctx, deps, redirectUri, {
      error: 'access_denied',
      error_description: 'The login at the identity provider failed',
      state,
    });
  }
}
