import type { Context } from 'koa';
import { findApiToken, type FoundApiToken, isApiToken } from '../../db/identity/apiTokens.ts';
import type { ApiDeps } from './deps.ts';
import type { Claims } from './tokens.ts';

const BEARER = /^Bearer ([\w.~+/=-]+)$/i;

/** The bearer token of a request; undefined when there is none. */
export const bearerOf = (ctx: Context): string | undefined => BEARER.exec(ctx.get('authorization'))?.[1];

/** The verified bearer token: claims of a token that we signed, or an API token whose issuer has a role. Both null: invalid. */
export interface Proof {
  readonly claims: Claims | null;
  readonly apiToken: (FoundApiToken & { readonly role: NonNullable<FoundApiToken['role']> }) | null;
}
const NOTHING: Proof = { claims: null, apiToken: null };

/** Verifies the bearer token once per request, for the rate limit and the authentication. */
export const proofOf = (ctx: Context, deps: ApiDeps): Promise<Proof> =>
  (ctx.state['proof'] ??= prove(bearerOf(ctx), deps)) as Promise<Proof>;

async function prove(token: string | undefined, { orm, keys, clock }: ApiDeps): Promise<Proof> {
  if (token === undefined) return NOTHING;
  if (!token.includes('.')) {
    const found = isApiToken(token) ? await findApiToken(orm, token, clock.now()) : null;
    return found?.role ? { claims: null, apiToken: { ...found, role: found.role } } : NOTHING;
  }
  return { claims: await keys.verify(token, clock.now()), apiToken: null };
}
