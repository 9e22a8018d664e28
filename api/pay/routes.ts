/**
 * The hosted payment screen: open, return from the provider's window, give up. The GETs that have effects are
 * idempotent by attempt; amounts are compared with our row; an unknown attempt gets a page that reveals nothing.
 */
import { Router, type RouterContext } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { inStore, REQUEST } from '../../db/orm.ts';
import { type PaymentOption, readAttempt, retryPayment, runOf, type Started } from '../../db/payments/store.ts';
import { findTenant, readStore } from '../../db/stores/store.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import type { Command } from '../../workflows/kernel/obligations.ts';
import { type PaymentResult, returnAddress } from '../../workflows/payments/rules.ts';
import { COMMAND_MS, sendCommand } from '../kernel/commands.ts';
import type { ApiDeps } from '../kernel/deps.ts';
import type { Html } from '../kernel/html.ts';
import { type Look, lookOf as lookFor, sendPage } from '../kernel/page.ts';
import { busyPage, expiredPage, failedPage, payPage, popupPage, processingPage, unknownPage } from './pages.ts';

type Found = Started & { readonly storeName: string; readonly at: number; readonly clock: number };

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'strict-origin',
  // On redirects too: one answer that isolates itself, and a popup has lost the shop that opened it.
  'Cross-Origin-Opener-Policy': 'unsafe-none',
};

/** A person over the limit of requests gets a page (X10). */
export const payRefusals: Middleware = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    if (!ctx.path.startsWith('/pay/') || !(error instanceof Fault) || error.code !== 'TOO_MANY_REQUESTS') throw error;
    ctx.set(HEADERS);
    send(ctx, busyPage(lookOf(ctx)), 429);
  }
};

export function payRoutes(deps: ApiDeps): Router {
  const router = new Router({ prefix: '/pay/:paymentId' });
  router.use(async (ctx, next) => {
    ctx.set(HEADERS);
    await next();
  });
  router.get('/', (ctx) => guarded(ctx, deps, (found) => open(ctx, deps, found)));
  router.get('/return', (ctx) => guarded(ctx, deps, (found) => comeBack(ctx, deps, found)));
  router.get('/fail', (ctx) => guarded(ctx, deps, (found) => giveUp(ctx, deps, found)));
  router.post('/retry', (ctx) => guarded(ctx, deps, (found) => retry(ctx, deps, found)));
  return router;
}

const text = (ctx: Context, name: string, longest = 300): string => {
  const value = ctx.query[name];
  return typeof value === 'string' && value.length <= longest && /^[\x20-\x7e]*$/.test(value) ? value : '';
};

/** Finds the attempt that the address names; anything else is the page that reveals nothing. */
async function guarded(ctx: RouterContext, deps: ApiDeps, show: (found: Found) => Promise<void>): Promise<void> {
  const paymentId = String(ctx.params['paymentId']);
  const tenant = /^\w{36}$/.test(paymentId) ? await findTenant(deps.orm.em.fork(), 'lookup_payment', paymentId) : null;
  const found =
    tenant &&
    (await inStore(deps.orm, tenant.storeId, REQUEST, async (em): Promise<Found | null> => {
      const started = await readAttempt(em, tenant.storeId, paymentId, text(ctx, 'attemptId'));
      return (
        started && {
          ...started,
          storeName: (await readStore(em, tenant.storeId)).name,
          at: deps.clock.now() + tenant.clockOffsetMs,
          clock: tenant.clockOffsetMs,
        }
      );
    }));
  if (found) await show(found);
  else send(ctx, unknownPage(lookOf(ctx)), 404);
}

async function open(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  const { payment, attempt, at } = found;
  const look = lookOf(ctx);
  if (payment.status === 'processing') return send(ctx, processingPage(look));
  const isOver = payment.status === 'expired' || (payment.status === 'pending' && at >= payment.expiresAt.getTime());
  const isPopup = text(ctx, 'mode') === 'popup';
  if (isOver && !isPopup) return send(ctx, expiredPage(look, returnAddress(attempt.returnUrl, payment.paymentId, 'EXPIRED')), 200, found);
  if (isOver || payment.status !== 'pending') return leave(ctx, found, isOver ? 'EXPIRED' : payment.result);
  if (attempt.status !== 'OPEN')
    return attempt.attemptId === payment.currentAttemptId ? showFailure(ctx, found, look) : leave(ctx, found, payment.result);
  const { toss, publicUrl } = deps.config;
  const here = `${publicUrl}/pay/${payment.paymentId}`;
  const kept = { ...(isPopup && { mode: 'popup' }), ...(text(ctx, 'lang', 5) !== '' && { lang: look.locale }) };
  const back = (way: string) => `${here}/${way}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...kept }))}`;
  const orderName = payment.lines[0]!.productName + (payment.lines.length > 1 ? ` 외 ${payment.lines.length - 1}건` : '');
  const fields = {
    clientKey: toss.clientKey,
    method: attempt.method,
    amount: String(attempt.amountWon),
    orderId: attempt.pgOrderId,
    orderName,
    successUrl: back('return'),
    failUrl: back('fail'),
  };
  const cancel = { action: `${here}/fail`, fields: { attemptId: attempt.attemptId, ...kept, code: 'USER_CANCEL' } };
  send(ctx, payPage(look, { ...found, window: { action: toss.windowUrl, fields }, cancel }), 200, found, new URL(toss.windowUrl).origin);
}

/** A declined or canceled attempt that is opened again: why, and the way to try once more. */
function showFailure(ctx: RouterContext, { payment, attempt }: Found, look: Look): void {
  const kept = new URLSearchParams({ attemptId: attempt.attemptId, ...keptOf(ctx) });
  const retryAction = `/pay/${payment.paymentId}/retry?${String(kept)}`;
  const returnTo = returnAddress(attempt.returnUrl, payment.paymentId, payment.result);
  send(ctx, failedPage(look, { failure: attempt.failure ?? payment.lastFailure ?? null, retryAction, returnTo }), 200, { attempt });
}

/** What a page hands on to the next: the window's mode, and a language that was asked for. */
function keptOf(ctx: RouterContext): Record<string, string> {
  const lang = text(ctx, 'lang', 5);
  return { ...(text(ctx, 'mode') === 'popup' && { mode: 'popup' }), ...(lang !== '' && { lang }) };
}

/** A new attempt with the same provider, as POST …/attempts makes one; a second press finds the first's attempt open. */
async function retry(ctx: RouterContext, deps: ApiDeps, { payment, attempt, at }: Found): Promise<void> {
  const option = { pg: attempt.pg, method: attempt.method } as PaymentOption;
  try {
    const started = await inStore(deps.orm, payment.storeId, REQUEST, async (em) => {
      const fresh = await readAttempt(em, payment.storeId, payment.paymentId, payment.currentAttemptId);
      if (fresh?.attempt.status === 'OPEN') return fresh;
      return retryPayment(em, payment.storeId, payment.paymentId, option, attempt.returnUrl, { at, realNow: deps.clock.now() });
    });
    ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: started.attempt.attemptId, ...keptOf(ctx) }))}`);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...keptOf(ctx) }))}`);
  }
  ctx.status = 303;
}

/** The buyer has been authenticated: ask the payment's run to approve, and wait for it as long as a page may take. */
async function comeBack(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  const input = {
    attemptId: found.attempt.attemptId,
    paymentKey: text(ctx, 'paymentKey', 200),
    pgOrderId: text(ctx, 'orderId'),
    amount: Number(text(ctx, 'amount') || Number.NaN),
  };
  if (input.paymentKey === '' || !Number.isSafeInteger(input.amount)) return send(ctx, unknownPage(lookOf(ctx)), 400);
  await obey(ctx, deps, found, { name: 'pay', input, wait: 'settled' });
}

async function giveUp(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  const code = text(ctx, 'code', 80).replaceAll(/[^A-Z0-9_]/g, '') || 'PAY_PROCESS_CANCELED';
  await obey(ctx, deps, found, { name: 'giveUp', input: { attemptId: found.attempt.attemptId, code } });
}

async function obey(ctx: RouterContext, deps: ApiDeps, found: Found, wish: Pick<Command, 'name' | 'input' | 'wait'>): Promise<void> {
  const { payment, attempt } = found;
  const requestId = String(ctx.state['requestId']);
  const operation = {
    principal: payment.paymentId,
    key: `${wish.name}-${attempt.attemptId}`,
    id: `pay.${wish.name}`,
    fingerprint: wish.name,
  };
  const command: Command = { ...wish, operation, requestId, actor: 'BUYER', clock: found.clock, notAfter: deps.clock.now() + COMMAND_MS };
  try {
    await sendCommand(deps, runOf(payment), command);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'INTERNAL') throw error;
    if (error.code !== 'TEMPORARILY_UNAVAILABLE') return send(ctx, unknownPage(lookOf(ctx)), 409);
  }
  const fresh = await inStore(deps.orm, payment.storeId, REQUEST, (em) =>
    readAttempt(em, payment.storeId, payment.paymentId, attempt.attemptId),
  );
  if (!fresh || fresh.payment.status === 'processing') return see(ctx, found);
  leave(ctx, { ...found, ...fresh }, fresh.payment.result);
}

/** Go and look at the payment's own page, which knows what to show. */
function see(ctx: RouterContext, { payment, attempt }: Found): void {
  ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...keptOf(ctx) }))}`);
  ctx.status = 303;
}

/** Back to the shop: a redirect, or a popup's message to the shop's origin and never to `*` (D44). */
function leave(ctx: RouterContext, { payment, attempt }: Found, result: PaymentResult): void {
  const returnTo = returnAddress(attempt.returnUrl, payment.paymentId, result);
  if (text(ctx, 'mode') !== 'popup') {
    ctx.redirect(returnTo);
    ctx.status = 303;
    return;
  }
  const message = { type: 'svc:payment', paymentId: payment.paymentId, result, ...(payment.orderId && { orderId: payment.orderId }) };
  send(ctx, popupPage(lookOf(ctx), message, new URL(attempt.returnUrl).origin, returnTo), 200, { attempt });
}

/** The language that the address names, or the browser's. */
const lookOf = (ctx: Context): Look => lookFor(ctx, text(ctx, 'lang', 5));

/**
 * Sends a page. Forms may lead to the provider's window, and the browser follows their redirects only to where the shop's return
 * address is.
 */
function send(ctx: Context, page: Html, status = 200, returns?: Pick<Found, 'attempt'>, windowOrigin = ''): void {
  sendPage(ctx, lookOf(ctx), page, status, [windowOrigin, returns ? new URL(returns.attempt.returnUrl).origin : ''].filter(Boolean));
}
