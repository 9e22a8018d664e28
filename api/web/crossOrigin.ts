/**
 * Pages on other origins (D98). The storefront API is open to all of them, without credentials: a cart token and a member's token are sent
 * by the page itself. Reports of visits have a rule of their own, and `/v1` answers no foreign page.
 */
import type { Context, Middleware } from 'koa';
import { inTenant, READ, type Tenancy } from '../../db/kernel/tx.ts';
import { readStore } from '../../db/stores/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { isAmong, isOrigin } from '../../domain/visits/rules.ts';
import { aliases, isStorefront } from './aliases.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Endpoint } from '../declare/endpoint.ts';

const EXPOSED = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'X-Cart-Token',
].join(', ');
/** Of pages that report visits: the headers that they may send. */
const REPORTS = 'Content-Type, X-Store-Code, X-Svc-Visitor, X-Svc-Session';
const SENT = `${REPORTS}, Authorization, X-Cart-Token, Idempotency-Key`;
/** Seconds for which a browser need not ask again. */
const MAX_AGE = '86400';

/**
 * Opens every answer of the storefront API, refusals of whatever step too, and answers every preflight for it, also for an address or a
 * method that it does not have: otherwise the page could not read that refusal. Before everything that may refuse; a preflight costs
 * nothing and counts for no limit.
 */
export function openStorefront(endpoints: readonly Endpoint[]): Middleware {
  const routes = endpoints.map(({ route, crossOrigin }) => ({ method: route.split(' ')[0]!, path: route.split(' ')[1]!, crossOrigin }));
  const ownRule = new Set(routes.flatMap(({ path, crossOrigin }) => (crossOrigin ? aliases(path) : [])));
  const methods = [...new Set(routes.filter(({ path }) => isStorefront(path)).map(({ method }) => method))].toSorted().join(', ');
  return async (ctx, next) => {
    const isOpen = isStorefront(ctx.path);
    const hasOwnRule = ownRule.has(ctx.path.replace(/\/$/, ''));
    if (isOpen && !hasOwnRule) ctx.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED });
    const isPreflight = ctx.method === 'OPTIONS' && ctx.get('origin') !== '' && ctx.get('access-control-request-method') !== '';
    if (!isOpen || !isPreflight) {
      await next();
      return;
    }
    // It does not name the store: any origin may ask, and the request itself is judged.
    if (hasOwnRule) echo(ctx, ctx.get('origin'));
    ctx.set({
      'Access-Control-Allow-Methods': hasOwnRule ? 'POST' : methods,
      'Access-Control-Allow-Headers': hasOwnRule ? REPORTS : SENT,
      'Access-Control-Max-Age': MAX_AGE,
    });
    ctx.status = 204;
  };
}

/** ORIGIN_NOT_ALLOWED, unless the page's origin is one of the store's `analyticsAllowedOrigins`, or the store has none. */
export async function admitPage(ctx: Context, shop: Tenancy, { orm }: ApiDeps): Promise<void> {
  const { analyticsAllowedOrigins: allowed } = await inTenant(orm, shop, READ, readStore);
  const origin = ctx.get('origin');
  if (allowed.length > 0 && !(isOrigin(origin) && isAmong(allowed, origin))) throw new Fault('ORIGIN_NOT_ALLOWED');
  echo(ctx, origin);
}

/** The page may read the answer, refusals included. */
function echo(ctx: Context, origin: string): void {
  ctx.vary('Origin');
  if (!isOrigin(origin)) return;
  ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
}
