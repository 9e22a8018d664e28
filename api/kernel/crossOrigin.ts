/** Pages on other origins: those of shops report visits from where they are (R9). Browsers ask first, without naming the store. */
import type { Context } from 'koa';
import { inTenant, REQUEST, type Tenancy } from '../../db/kernel/tx.ts';
import { readStore } from '../../db/stores/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { isAmong, isOrigin } from '../../domain/visits/rules.ts';
import type { ApiDeps } from './deps.ts';

const ALLOWED_HEADERS = 'Content-Type, X-Store-Code, X-Svc-Visitor, X-Svc-Session';
/** Seconds for which a browser need not ask again. */
const MAX_AGE = '86400';

/** Answers a preflight: any origin may ask, and the request itself is judged by its store. */
export function answerPreflight(ctx: Context): void {
  echo(ctx, ctx.get('origin'));
  ctx.set({
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': MAX_AGE,
  });
  ctx.status = 204;
}

/** ORIGIN_NOT_ALLOWED, unless the page's origin is one of the store's `analyticsAllowedOrigins`, or the store has none. */
export async function admitPage(ctx: Context, shop: Tenancy, { orm }: ApiDeps): Promise<void> {
  const { analyticsAllowedOrigins: allowed } = await inTenant(orm, shop, REQUEST, readStore);
  const origin = ctx.get('origin');
  if (allowed.length > 0 && !(isOrigin(origin) && isAmong(allowed, origin))) throw new Fault('ORIGIN_NOT_ALLOWED');
  echo(ctx, origin);
}

/** The page may read the answer, refusals included. */
function echo(ctx: Context, origin: string): void {
  ctx.vary('Origin');
  if (!isOrigin(origin)) return;
  ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After' });
}
