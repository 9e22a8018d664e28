/** POST /oauth2/token: who is it, may it use this grant, then the grant. */
import type { Context } from 'koa';
import { GRANT_TYPES, type GrantType, TOKEN_EXCHANGE } from '../../domain/identity/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { AGENT_HEADER } from '../callers/authenticate.ts';
import { meterOf } from '../callers/meter.ts';
import { grants, MEMBER_REF } from './grants.ts';
import { authenticateClient, need, OAuthError, type Params, readForm, resourceOf } from './oauth.ts';

const isGrant = (name: string): name is GrantType => GRANT_TYPES.some((grant) => grant === name);

export async function token(ctx: Context, deps: ApiDeps): Promise<void> {
  const params = await readForm(ctx);
  const [grant] = need(params, 'grant_type') as [string];
  if (!isGrant(grant)) throw new OAuthError('unsupported_grant_type', 'There is no such grant');
  const client = await authenticateClient(ctx, ctx.get('authorization') === '' ? await named(grant, params, deps) : params, deps);
  if (!client.grantTypes.includes(grant)) throw new OAuthError('unauthorized_client', 'The client is not registered for this grant');
  const isLogin = grant === 'authorization_code' || grant === 'refresh_token';
  if (resourceOf(params, client, deps) !== null && !isLogin)
    throw new OAuthError('invalid_target', 'Only a login has tokens for this resource');
  // A buyer is never handed to an agent (G9).
  if (params.get('subject_token_type') === MEMBER_REF && ctx.req.headers[AGENT_HEADER] !== undefined)
    throw new OAuthError('unauthorized_client', 'No agent acts for a buyer');
  const meter = meterOf(ctx);
  ctx.body = await grants[grant](client, params, { ...deps, countRequest: (principal) => meter.addPrincipal(principal) });
  ctx.status = 200;
}

/** At the exchange the subject token tells which client it was given to, where the request does not say so. */
async function named(grant: GrantType, params: Params, deps: ApiDeps): Promise<Params> {
  const subject = params.get('subject_token');
  if (grant !== TOKEN_EXCHANGE || params.has('client_id') || subject === undefined) return params;
  const claims = await deps.keys.verify(subject, deps.clock.now());
  return claims?.use === 'user' ? new Map([...params, ['client_id', claims.clientId]]) : params;
}
