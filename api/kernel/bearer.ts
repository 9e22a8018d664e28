import type { Context } from 'koa';
import { findApiToken, type FoundApiToken, isApiToken } from '../../db/identity/apiTokens.ts';
import type { ApiDeps } from './deps.ts';
import type { Claims } from './tokens.ts';

const BEARER = /^Bearer ([\w.~+/=-]+)$/i;

/** The bearer of a request as it was written; undefined when there is none. */
export const bearerOf = (ctx: Context): string | undefined => BEARER.exec(ctx.get('authorization'))?.[1];

/** What the bearer is worth: the claims of a token that we signed, or an API token of somebody who has a role. Both null: nothing. */
export interface Proof {
  readonly claims: Claims | null;
  readonly apiToken: (FoundApiToken & { readonly role: NonNullable<FoundApiToken['role']> }) | null;
}
const NOTHING: Proof = { claims: null, apiToken: null };

/** Verified once for a request, however many ask: the limit of requests does, and then whoever authenticates. */
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
