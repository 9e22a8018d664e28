import type { Context } from 'koa';
import { findApiToken, type FoundApiToken, isApiToken } from '../../db/identity/apiTokens.ts';
import { mcpResource } from '../../domain/identity/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Claims } from '../declare/tokens.ts';

const BEARER = /^Bearer ([\w.~+/=-]+)$/i;

/** The bearer token of a request; undefined when there is none. */
export const bearerOf = (ctx: Context): string | undefined => BEARER.exec(ctx.get('authorization'))?.[1];

/** The verified bearer token: claims of a token that we signed, or an API token whose issuer has a role. Both null: invalid. */
export interface Proof {
  readonly claims: Claims | null;
  readonly apiToken: (FoundApiToken & { readonly role: NonNullable<FoundApiToken['role']> }) | null;
  /** Of a token that is dead: its claims, expired, or the store of an API token. It proves nothing but whose log names its use. */
  readonly dead: Claims | { readonly storeId: string } | null;
}
const NOTHING: Proof = { claims: null, apiToken: null, dead: null };

/** Verifies the bearer token once per request, for the rate limit and the authentication. */
export const proofOf = (ctx: Context, deps: ApiDeps): Promise<Proof> =>
  (ctx.state['proof'] ??= prove(bearerOf(ctx), isMcp(ctx) ? mcpResource(deps.config.publicUrl) : null, deps)) as Promise<Proof>;

/** The address takes its own tokens and no others, which are taken nowhere else (G33). */
const isMcp = ({ path }: Context) => /^\/mcp\/?$/.test(path);

async function prove(token: string | undefined, resource: string | null, { orm, keys, clock }: ApiDeps): Promise<Proof> {
  if (token === undefined) return NOTHING;
  if (!token.includes('.')) {
    if (resource !== null) return NOTHING;
    const found = isApiToken(token) ? await findApiToken(orm, token, clock.now()) : null;
    if (!found) return NOTHING;
    const { role, isLive, tenant } = found;
    return isLive && role ? { ...NOTHING, apiToken: { ...found, role } } : { ...NOTHING, dead: { storeId: tenant.storeId } };
  }
  const found = await keys.read(token, clock.now(), resource ?? undefined);
  if (!found) return NOTHING;
  return found.isExpired ? { ...NOTHING, dead: found.claims } : { ...NOTHING, claims: found.claims };
}
