/** What every OAuth route shares: flat RFC 6749 answers, parameters that are there once, client authentication. */
import type { Context } from 'koa';
import { clientOf, type OAuthClient } from '../../db/identity/clients.ts';
import { isSecret } from '../../db/kernel/keyring.ts';
import { AUDIENCE } from '../../workflows/identity/rules.ts';
import { catalogue, Fault } from '../../workflows/kernel/errors.ts';
import { readBytes } from '../kernel/body.ts';
import type { ApiDeps } from '../kernel/deps.ts';

const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_token: 401,
  invalid_client_metadata: 400,
  invalid_redirect_uri: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  unsupported_response_mode: 400,
  request_not_supported: 400,
  access_denied: 403,
  temporarily_unavailable: 503,
} as const;
type OAuthCode = keyof typeof STATUS;

export class OAuthError extends Error {
  readonly code: OAuthCode;
  constructor(code: OAuthCode, description: string) {
    super(description);
    this.code = code;
  }
}

/** A route whose failures are `{ error, error_description }`. */
export const flat =
  (deps: ApiDeps, handle: (ctx: Context, deps: ApiDeps) => Promise<void>) =>
  async (ctx: Context): Promise<void> => {
    ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    try {
      await handle(ctx, deps);
    } catch (error) {
      const refused = asOAuthError(error);
      if (!refused) throw error;
      ctx.status = error instanceof Fault && isOfHttp(error.code) ? catalogue[error.code].status : STATUS[refused.code];
      if (refused.code === 'invalid_client') ctx.set('WWW-Authenticate', 'Basic realm="oauth2", error="invalid_client"');
      if (refused.code === 'invalid_token') ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"');
      ctx.body = { error: refused.code, error_description: refused.message };
    }
  };

/** Refusals with a status of their own in HTTP. */
const isOfHttp = (code: string) => code === 'PAYLOAD_TOO_LARGE' || code === 'TOO_MANY_REQUESTS';

/** Refusals of the kernel in OAuth's words. */
export function asOAuthError(error: unknown): OAuthError | null {
  if (error instanceof OAuthError) return error;
  if (!(error instanceof Fault)) return null;
  if (error.code === 'TEMPORARILY_UNAVAILABLE' || error.code === 'TOO_MANY_REQUESTS')
    return new OAuthError('temporarily_unavailable', error.message);
  if (error.code === 'UNAUTHORIZED') return new OAuthError('invalid_token', error.message);
  if (error.code === 'INSUFFICIENT_ROLE' || error.code === 'TENANT_MISMATCH') return new OAuthError('access_denied', error.message);
  if (error.code === 'PAYLOAD_TOO_LARGE' || error.code === 'VALIDATION_FAILED') return new OAuthError('invalid_request', error.message);
  return null;
}

export type Params = ReadonlyMap<string, string>;

/** Each parameter may be there once; one without a value counts as absent (RFC 6749 § 3.1, § 3.2). */
export function paramsOf(search: URLSearchParams): Params {
  const names = [...search.keys()];
  if (new Set(names).size < names.length) throw new OAuthError('invalid_request', 'A parameter is repeated');
  // oxlint-disable-next-line no-control-regex -- NUL must not reach Postgres
  if ([...search].some(([name, value]) => /[\u0000-\u001f\u007f\ufffd]/.test(name + value)))
    throw new OAuthError('invalid_request', 'A parameter has control characters or is no UTF-8');
  return new Map([...search].filter(([, value]) => value !== ''));
}

/** RFC 8707: a token for another resource than this API is not to be had. */
export function checkResource(params: Params): void {
  if ((params.get('resource') ?? AUDIENCE) !== AUDIENCE) throw new OAuthError('invalid_target', 'There is no such resource');
}

export function need(params: Params, ...names: readonly string[]): string[] {
  const missing = names.filter((name) => !params.has(name));
  if (missing.length > 0) throw new OAuthError('invalid_request', `Missing: ${missing.join(', ')}`);
  return names.map((name) => params.get(name)!);
}

export async function readForm(ctx: Context): Promise<Params> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded');
  return paramsOf(new URLSearchParams((await readBytes(ctx)).toString('utf8')));
}

const BASIC = /^Basic ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;
/** RFC 6749 § 2.3.1: id and secret are form-encoded before base64. */
const decode = (text: string) => decodeURIComponent(text.replaceAll('+', '%20'));

/** Who calls the token endpoint: HTTP Basic for confidential clients, `client_id` alone for public ones. */
export async function authenticateClient(ctx: Context, params: Params, deps: ApiDeps): Promise<OAuthClient> {
  const header = ctx.get('authorization');
  if (params.has('client_secret')) throw new OAuthError('invalid_client', 'The secret goes into HTTP Basic');
  const named = params.get('client_id');
  const { clientId, secret } = header === '' ? { clientId: named, secret: null } : basic(header);
  if (clientId === undefined || (named !== undefined && named !== clientId)) throw new OAuthError('invalid_client', 'Which client is it?');
  const client = await clientOf(deps, clientId);
  if (client && client.status === 'ACTIVE') {
    const isPublic = client.authMethod === 'none';
    if (isPublic ? secret === null : secret !== null && client.secretHash && isSecret(secret, client.secretHash)) return client;
  }
  throw new OAuthError('invalid_client', 'Unknown client or wrong secret');
}

function basic(header: string): { clientId: string; secret: string } {
  const [, encoded] = BASIC.exec(header) ?? [];
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  try {
    const clientId = decode(id);
    if (/^\w{1,64}$/.test(clientId) && secret !== '') return { clientId, secret: decode(secret) };
  } catch {
    // badly escaped: as unknown as any other
  }
  throw new OAuthError('invalid_client', 'HTTP Basic with client id and secret is needed');
}
