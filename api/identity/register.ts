/** POST /oauth2/register (RFC 7591), by an OWNER or ADMIN at the console. Unknown fields are ignored, as the RFC asks. */
import type { Context } from 'koa';
import { recordRequest, type RequestRecord } from '../../db/audit/commands.ts';
import { createClient, type NewClient } from '../../db/identity/clients.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { type AuthMethod, covers, GRANT_TYPES, type GrantType, narrow, redirectProblem, SCOPES } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { isVisible, nameForm } from '../../domain/kernel/text.ts';
import { traceIdOf } from '../pipeline/audit.ts';
import { byStoreToken, type StoreCaller } from '../callers/authenticate.ts';
import { requireConsole } from '../callers/authorize.ts';
import { readJson } from '../web/body.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { textErrors } from '../validation/validate.ts';
import { OAuthError } from './oauth.ts';

const MAX_REDIRECTS = 20;
/** Names without visible characters, or with bidirectional control characters: they could mislead on the consent page. */
const MISLEADING = /[\u202a-\u202e\u2066-\u2069]/u;
const isReadable = (name: string): boolean => isVisible(name) && !MISLEADING.test(name) && name.length <= 100;
const bad = (why: string) => new OAuthError('invalid_client_metadata', why);

export async function register(ctx: Context, deps: ApiDeps): Promise<void> {
  const caller = await byStoreToken(ctx, deps);
  requireConsole(caller, ['OWNER', 'ADMIN']);
  // Also with a person's token, when an agent sends it.
  if (caller.isAgent) throw new Fault('AGENT_OPERATION_DENIED');
  const body: unknown = await readJson(ctx);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw bad('The body must be a JSON object');
  const wanted = metadataOf(body as Record<string, unknown>, caller.scopes);
  if ([wanted.name, ...wanted.redirectUris].some((text) => textErrors(text, '').length > 0)) throw bad('There are control characters');
  const createdBy = caller.person!.userId;
  const { clientId, clientSecret } = await inTenant(deps.orm, caller, REQUEST, async (tx) => {
    const made = createClient(tx, { ...wanted, createdBy });
    await tx.em.flush();
    await recordRequest(tx, recordOf(ctx, caller, made.clientId));
    return made;
  });
  ctx.status = 201;
  ctx.body = {
    client_id: clientId,
    client_id_issued_at: Math.floor(caller.realNow / 1000),
    client_name: wanted.name,
    grant_types: wanted.grantTypes,
    redirect_uris: wanted.redirectUris,
    token_endpoint_auth_method: wanted.authMethod,
    scope: wanted.scopes.join(' '),
    ...(clientSecret !== null && { client_secret: clientSecret, client_secret_expires_at: 0 }),
  };
}

/** It is no operation of the management API, and changes the store like one: its audit record is alike. */
const recordOf = (ctx: Context, { actor }: StoreCaller, clientId: string): RequestRecord => {
  const requestId = String(ctx.state['requestId']);
  const { type, id, name, via, onBehalfOf } = actor;
  return {
    requestId,
    actor: { type, id, name },
    action: 'clients.register',
    target: { type: 'API_CLIENT', id: clientId },
    outcome: 'SUCCEEDED',
    statusCode: 201,
    errorCode: null,
    traceId: traceIdOf(ctx.get('traceparent'), requestId),
    idempotencyKey: null,
    approvalId: null,
    metadata: { ...(via && { via }), ...(onBehalfOf !== null && { onBehalfOf }) },
  };
};

function metadataOf(body: Record<string, unknown>, registrant: readonly string[]): Omit<NewClient, 'createdBy'> {
  const { client_name: name, scope, token_endpoint_auth_method: method = 'client_secret_basic' } = body;
  if (typeof name !== 'string' || !isReadable(name)) throw bad('client_name must be 1 to 100 readable characters');
  if (method !== 'none' && method !== 'client_secret_basic') throw bad('token_endpoint_auth_method must be none or client_secret_basic');
  const grantTypes = grantsOf(body['grant_types'], method);
  const redirectUris = redirectsOf(body['redirect_uris'] ?? [], grantTypes);
  if (typeof scope !== 'string') throw bad('scope must be a list of scopes, separated by spaces');
  // At most the registrant's own scopes, plus member:delegate (D65).
  const scopes = narrow([...registrant, 'member:delegate'], scope)?.filter((one) => SCOPES.some((known) => covers([known], one)));
  if (!scopes || scopes.length === 0) throw bad('scope is unknown or more than yours');
  return { name: nameForm(name), authMethod: method, grantTypes, redirectUris, scopes };
}

const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

function grantsOf(requested: unknown, method: AuthMethod): GrantType[] {
  if (!isList(requested) || requested.length === 0) throw bad('grant_types must be a list');
  const known = GRANT_TYPES.filter((grant) => requested.includes(grant));
  if (known.length < new Set(requested).size) throw bad(`grant_types may be ${GRANT_TYPES.join(', ')}`);
  if (method === 'none' && known.includes('client_credentials')) throw bad('A public client has no credentials of its own');
  if (known.includes('refresh_token') && !known.includes('authorization_code')) throw bad('refresh_token goes with authorization_code');
  return known;
}

function redirectsOf(requested: unknown, grants: readonly GrantType[]): string[] {
  if (!isList(requested) || requested.length > MAX_REDIRECTS)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be a list of at most ${MAX_REDIRECTS}`);
  if (grants.includes('authorization_code') !== requested.length > 0)
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris go with authorization_code');
  for (const uri of requested) {
    const problem = uri.length > 500 ? 'is longer than 500 characters' : redirectProblem(uri);
    if (problem) throw new OAuthError('invalid_redirect_uri', `${uri.slice(0, 100)} ${problem}`);
  }
  return [...new Set(requested)];
}
