/** POST /oauth2/token, client_credentials: HTTP Basic, bound to the client's store, flat RFC 6749 answers. */
import type { Context } from 'koa';
import { findClient } from '../../db/identity/store.ts';
import { inStore, REQUEST } from '../../db/orm.ts';
import { findTenant } from '../../db/stores/store.ts';
import { readBytes } from '../kernel/body.ts';
import type { ApiDeps } from '../kernel/deps.ts';
import { covers } from '../kernel/scopes.ts';
import { TOKEN_SECONDS } from '../kernel/tokens.ts';

type OAuthError = 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unsupported_grant_type';
const STATUS: Readonly<Record<OAuthError, number>> = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_scope: 400,
  unsupported_grant_type: 400,
};

class Refused extends Error {
  readonly code: OAuthError;
  constructor(code: OAuthError, description: string) {
    super(description);
    this.code = code;
  }
}

export async function token(ctx: Context, deps: ApiDeps): Promise<void> {
  ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  try {
    ctx.body = await grant(ctx, deps);
    ctx.status = 200;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    ctx.status = STATUS[error.code];
    if (error.code === 'invalid_client') ctx.set('WWW-Authenticate', 'Basic realm="oauth2"');
    ctx.body = { error: error.code, error_description: error.message };
  }
}

async function grant(ctx: Context, deps: ApiDeps) {
  const form = await readForm(ctx);
  const grantType = form.get('grant_type');
  if (grantType === null) throw new Refused('invalid_request', 'grant_type is missing');
  if (grantType !== 'client_credentials') throw new Refused('unsupported_grant_type', 'Only client_credentials is offered');
  const { clientId, secret } = basic(ctx.get('authorization'));
  const tenant = await findTenant(deps.orm.em.fork(), 'lookup_client', clientId);
  const client = tenant && (await inStore(deps.orm, tenant.storeId, REQUEST, (em) => findClient(em, tenant.storeId, clientId, secret)));
  if (!tenant || !client) throw new Refused('invalid_client', 'Unknown client or wrong secret');
  const scopes = narrow(client.scopes, form.get('scope'));
  const accessToken = await deps.keys.sign({ clientId, storeId: tenant.storeId, scopes }, deps.clock.now());
  return { access_token: accessToken, token_type: 'Bearer', expires_in: TOKEN_SECONDS, scope: scopes.join(' ') };
}

/** Form parameters; each may be there once (RFC 6749 § 3.2). */
async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw new Refused('invalid_request', 'The body must be application/x-www-form-urlencoded');
  const form = new URLSearchParams((await readBytes(ctx)).toString('utf8'));
  const names = [...form.keys()];
  if (new Set(names).size < names.length) throw new Refused('invalid_request', 'A parameter is repeated');
  // oxlint-disable-next-line no-control-regex -- NUL must not reach Postgres
  if ([...form].some(([name, value]) => /[\u0000-\u001f\u007f]/.test(name + value)))
    throw new Refused('invalid_request', 'Control characters');
  return form;
}

const BASIC = /^Basic ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;

function basic(header: string): { clientId: string; secret: string } {
  const [, encoded] = BASIC.exec(header) ?? [];
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  try {
    const clientId = decodeURIComponent(id);
    if (/^\w{1,64}$/.test(clientId) && secret !== '') return { clientId, secret: decodeURIComponent(secret) };
  } catch {
    // badly escaped: as unknown as any other
  }
  throw new Refused('invalid_client', 'HTTP Basic with client id and secret is needed');
}

/** All that the client holds, or the part it asks for: `order:r` may be asked for where `order:rw` is held. */
function narrow(held: readonly string[], asked: string | null): readonly string[] {
  if (asked === null) return held;
  const wanted = [...new Set(asked.split(' ').filter(Boolean))];
  const beyond = wanted.filter((scope) => !covers(held, scope));
  if (wanted.length === 0 || beyond.length > 0) throw new Refused('invalid_scope', 'A scope is unknown or not held by this client');
  return wanted;
}
