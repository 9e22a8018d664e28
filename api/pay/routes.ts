/**
 * The hosted payment screen: open, return from the provider's window, give up, try again. The GETs that have effects are
 * idempotent by attempt; amounts are compared with our row; an unknown attempt gets a page that reveals nothing.
 */
import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { sqlOn } from '../../db/kernel/sql.ts';
import { inTenant, REQUEST, tenancyOf, type Tx } from '../../db/kernel/tx.ts';
import { readAttempt } from '../../db/payments/queries.ts';
import { findTenant } from '../../db/stores/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { type Found, pageContextOf, send, sendUnknown, text } from './answers.ts';
import { comeBack, readFailure, readReturn } from './commands.ts';
import { busyPage } from './pages.ts';
import { retry } from './retry.ts';
import { readScreen, showScreen } from './screen.ts';

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'strict-origin',
  // On redirects too: with another value on any of them, a popup loses its opener.
  'Cross-Origin-Opener-Policy': 'unsafe-none',
};

/** Over the rate limit, a person gets a page. */
export const payRefusals: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!ctx.path.startsWith('/pay/') || !(error instanceof Fault) || error.code !== 'TOO_MANY_REQUESTS') throw error;
    ctx.set(HEADERS);
    send(ctx, busyPage(pageContextOf(ctx)), 429);
  }
};

export function payRoutes(deps: ApiDeps): Router {
  const router = new Router({ prefix: '/pay/:paymentId', sensitive: true });
  router.use(async (ctx, next) => {
    ctx.set(HEADERS);
    await next();
  });
  router.get(
    '/',
    guarded(deps, (_, tx, found) => readScreen(tx, found), showScreen),
  );
  router.get('/return', guarded(deps, readReturn, comeBack));
  router.get('/fail', guarded(deps, readFailure, comeBack));
  router.post(
    '/retry',
    guarded(deps, async () => null, retry),
  );
  return router;
}

/** What a route reads or writes in the transaction that finds its attempt, and what it answers then. */
type Read<T> = (ctx: RouterContext, tx: Tx, found: Found) => Promise<T>;
type Show<T> = (ctx: RouterContext, deps: ApiDeps, found: Found, read: T) => Promise<void>;

/** Finds the attempt of the URL; for an unknown one, a page that reveals nothing. */
const guarded =
  <T>(deps: ApiDeps, read: Read<T>, show: Show<T>) =>
  async (ctx: RouterContext): Promise<void> => {
    const paymentId = String(ctx.params['paymentId']);
    const tenant = /^\w{36}$/.test(paymentId) ? await findTenant(sqlOn(deps.orm), 'paymentId', paymentId) : null;
    const tenancy = tenant && tenancyOf(tenant.storeId, tenant.clockOffsetMs, deps.clock.now());
    const done =
      tenancy &&
      (await inTenant(deps.orm, tenancy, REQUEST, async (tx) => {
        const started = await readAttempt(tx, paymentId, text(ctx, 'attemptId'));
        const found = started && { ...started, ...tenancy };
        return found && { found, read: await read(ctx, tx, found) };
      }));
    if (done) await show(ctx, deps, done.found, done.read);
    else sendUnknown(ctx, 404);
  };
