/** Shared by all OAuth routes: RFC 6749 error responses, parameters, client authentication. */
import type { Context } from 'koa';
import { clientOf, type OAuthClient } from '../../db/identity/clients.ts';
import { isSecret } from '../../db/kernel/keyring.ts';
import { AUDIENCE, mcpResource } from '../../domain/identity/rules.ts';
import { catalogue, type ErrorCode, type Fault } from '../../domain/kernel/errors.ts';
import { readBytes } from '../web/body.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { asFault } from '../web/envelope.ts';

const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  invalid_client_metadata: 400,
  invalid_redirect_uri: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  unsupported_response_mode: 400,
  request_not_supported: 400,
  access_denied: 403,
  temporarily_unavailable: 503,
  server_error: 500,
} as const;
type OAuthCode = keyof typeof STATUS;

export class OAuthError extends Error {
  readonly code: OAuthCode;
  readonly status: number;
  constructor(code: OAuthCode, description: string, status: number = STATUS[code]) {
    super(description);
    this.code = code;
    this.status = status;
  }
}

type Handle = (ctx: Context, deps: ApiDeps) => Promise<void>;
type ErrorResponder = (ctx: Context, refused: OAuthError) => void;

/** A route whose failures are all answered as `{ error, error_description }`. */
export const oauthRoute =
  (deps: ApiDeps, handle: Handle, respond: ErrorResponder = sendErrorResponse) =>
  async (ctx: Context): Promise<void> => {
    ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    try {
      await handle(ctx, deps);
    } catch (error) {
      respond(ctx, asOAuthError(error, ctx, deps));
    }
  };

/** Sends an error response of RFC 6749, of at most a few hundred bytes. */
export function sendErrorResponse(ctx: Context, { code, status, message }: OAuthError): void {
  ctx.status = status;
  if (code === 'invalid_client') ctx.set('WWW-Authenticate', 'Basic realm="oauth2", error="invalid_client"');
  // A request without credentials gets the scheme without an error code (RFC 6750 § 3.1).
  const isBare = ctx.get('authorization') === '';
  if (code === 'invalid_token') ctx.set('WWW-Authenticate', isBare ? 'Bearer' : 'Bearer error="invalid_token"');
  if ((status === 503 || status === 429) && !ctx.response.get('retry-after')) ctx.set('Retry-After', '1');
  if (status === 413) ctx.set('Connection', 'close');
  ctx.body = { error: code, error_description: message };
}

/** OAuth's code for each of ours; every other one is `invalid_request`. The HTTP status is that of our code. */
const OAUTH_CODES: Partial<Readonly<Record<ErrorCode, OAuthCode>>> = {
  UNAUTHORIZED: 'invalid_token',
  INSUFFICIENT_SCOPE: 'insufficient_scope',
  INSUFFICIENT_ROLE: 'access_denied',
  AGENT_OPERATION_DENIED: 'access_denied',
  TENANT_MISMATCH: 'access_denied',
  TOO_MANY_REQUESTS: 'temporarily_unavailable',
  TEMPORARILY_UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL: 'server_error',
};
function toOAuthError({ code }: Fault): OAuthError {
  const { status, message } = catalogue[code];
  return new OAuthError(OAUTH_CODES[code] ?? 'invalid_request', message, status);
}

/** Any error as an OAuthError; a bug is `server_error`, which is logged and not shown. */
export const asOAuthError = (error: unknown, ctx: Context, { log }: ApiDeps): OAuthError =>
  error instanceof OAuthError ? error : toOAuthError(asFault(error, log, String(ctx.state['requestId'])));

export type Params = ReadonlyMap<string, string>;

/** Parameters must not be repeated, and empty ones are ignored (RFC 6749 § 3.1, § 3.2). */
export function paramsOf(search: URLSearchParams): Params {
  const names = [...search.keys()];
  if (new Set(names).size < names.length) throw new OAuthError('invalid_request', 'A parameter is repeated');
  // oxlint-disable-next-line no-control-regex -- NUL must not reach Postgres
  if ([...search].some(([name, value]) => /[\u0000-\u001f\u007f\ufffd]/.test(name + value)))
    throw new OAuthError('invalid_request', 'A parameter has control characters or is no UTF-8');
  return new Map([...search].filter(([, value]) => value !== ''));
}

/**
 * The resource that is asked for (RFC 8707): null for the API, whose name may be left out; `/mcp` for a login through a store's client
 * (G33). `invalid_target` for any other.
 */
export function resourceOf(params: Params, { storeId }: Pick<OAuthClient, 'storeId'>, { config }: ApiDeps): string | null {
  const named = params.get('resource') ?? AUDIENCE;
  if (named === AUDIENCE) return null;
  const mcp = mcpResource(config.publicUrl);
  if (named !== mcp || storeId === null) throw new OAuthError('invalid_target', 'There is no such resource for this client');
  return mcp;
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

/** Client authentication at the token endpoint: HTTP Basic for confidential clients, `client_id` alone for public ones. */
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
    // Malformed escapes: like an unknown client.
  }
  throw new OAuthError('invalid_client', 'HTTP Basic with client id and secret is needed');
}
