/**
 * The hosted payment screen: open, return from the provider's window, give up. The GETs that have effects are
 * idempotent by attempt; amounts are compared with our row; an unknown attempt gets a page that reveals nothing.
 */
import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { type PaymentOption, retryPayment } from '../../db/payments/commands.ts';
import { readAttempt, runOf } from '../../db/payments/queries.ts';
import { keepText } from '../../db/runs/text.ts';
import { findTenant, readStore } from '../../db/stores/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Command, CommandContent } from '../../workflows/kernel/messages.ts';
import { type Failure, failureOf } from '../../domain/payments/failures.ts';
import { returnAddress } from '../../domain/payments/rules.ts';
import { COMMAND_MS, sendCommand } from '../kernel/commands.ts';
import type { ApiDeps } from '../kernel/deps.ts';
import type { Look } from '../kernel/page.ts';
import { answerFromRow, type Found, isOpen, keptOf, leave, lookOf, see, send, text } from './answers.ts';
import { busyPage, expiredPage, failedPage, payPage, processingPage, unknownPage } from './pages.ts';

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

/** Finds the attempt that the address names; anything else is the page that reveals nothing. */
async function guarded(ctx: RouterContext, deps: ApiDeps, show: (found: Found) => Promise<void>): Promise<void> {
  const paymentId = String(ctx.params['paymentId']);
  const tenant = /^\w{36}$/.test(paymentId) ? await findTenant(deps.orm.em.fork(), 'lookup_payment', paymentId) : null;
  const found =
    tenant &&
    (await inTenant(deps.orm, tenant.storeId, REQUEST, async (em): Promise<Found | null> => {
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
    return attempt.attemptId === payment.currentAttemptId
      ? showFailure(ctx, found, attempt.failure ?? payment.lastFailure ?? null)
      : leave(ctx, found, payment.result);
  // The key was changed for one of the other kind since: no window of that kind is opened for this payment (X26).
  if (payment.testPayment !== deps.config.toss.testPayment)
    return showFailure(ctx, found, failureOf(attempt.attemptId, 'PAYMENT_NOT_CONFIGURED'));
  showPayment(ctx, deps, found, look);
}

/** The way to the provider's window. */
function showPayment(ctx: RouterContext, deps: ApiDeps, found: Found, look: Look): void {
  const { payment, attempt } = found;
  const isPopup = text(ctx, 'mode') === 'popup';
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
function showFailure(ctx: RouterContext, { payment, attempt }: Found, failure: Failure | null): void {
  const kept = new URLSearchParams({ attemptId: attempt.attemptId, ...keptOf(ctx) });
  const retryAction = `/pay/${payment.paymentId}/retry?${String(kept)}`;
  const returnTo = returnAddress(attempt.returnUrl, payment.paymentId, payment.result);
  send(ctx, failedPage(lookOf(ctx), { failure, retryAction, returnTo }), 200, { attempt });
}

/** A new attempt with the same provider, as POST …/attempts makes one; a second press finds the first's attempt open. */
async function retry(ctx: RouterContext, deps: ApiDeps, { payment, attempt, at }: Found): Promise<void> {
  const option = { pg: attempt.pg, method: attempt.method } as PaymentOption;
  try {
    const started = await inTenant(deps.orm, payment.storeId, REQUEST, async (em) => {
      const fresh = await readAttempt(em, payment.storeId, payment.paymentId, payment.currentAttemptId);
      if (fresh?.attempt.status === 'OPEN') return fresh;
      const { storeId, paymentId } = payment;
      const wanted = { storeId, paymentId, option, returnUrl: attempt.returnUrl, testPayment: deps.config.toss.testPayment };
      return retryPayment(em, wanted, { at, realNow: deps.clock.now() });
    });
    ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: started.attempt.attemptId, ...keptOf(ctx) }))}`);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...keptOf(ctx) }))}`);
  }
  ctx.status = 303;
}

/**
 * The buyer has been authenticated: ask the payment's run to approve, and wait for it as long as a page may take. Whose order and amount
 * are not ours is refused here; the key is kept aside, because it is text of the address (X24).
 */
async function comeBack(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  if (!isOpen(found)) return answerFromRow(ctx, found);
  const { attempt } = found;
  const [paymentKey, amount] = [text(ctx, 'paymentKey', 200), Number(text(ctx, 'amount') || Number.NaN)];
  if (paymentKey === '' || !Number.isSafeInteger(amount)) return send(ctx, unknownPage(lookOf(ctx)), 400);
  const { attemptId, pgOrderId, amountWon } = attempt;
  if (text(ctx, 'orderId') !== pgOrderId || amount !== amountWon) return send(ctx, unknownPage(lookOf(ctx)), 409);
  const paymentKeyId = await storeText(deps, found, paymentKey);
  await runCommand(ctx, deps, found, { name: 'pay', input: { attemptId, pgOrderId, amount, paymentKeyId } }, 'idle');
}

async function giveUp(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  if (!isOpen(found)) return answerFromRow(ctx, found);
  const code = text(ctx, 'code', 80).replaceAll(/[^A-Z0-9_]/g, '') || 'PAY_PROCESS_CANCELED';
  const input = { attemptId: found.attempt.attemptId, codeId: await storeText(deps, found, code) };
  await runCommand(ctx, deps, found, { name: 'giveUp', input });
}

const storeText = (deps: ApiDeps, { payment: { storeId } }: Found, value: string): Promise<string> =>
  inTenant(deps.orm, storeId, REQUEST, (em) => keepText(em, storeId, value, deps.clock.now()));

async function runCommand(
  ctx: RouterContext,
  deps: ApiDeps,
  found: Found,
  wanted: CommandContent<'payment'>,
  wait?: 'idle',
): Promise<void> {
  const { payment, attempt } = found;
  const requestId = String(ctx.state['requestId']);
  const operation = {
    principal: payment.paymentId,
    key: `${wanted.name}-${attempt.attemptId}`,
    id: `pay.${wanted.name}`,
    fingerprint: wanted.name,
  };
  const command: Command<'payment'> = {
    ...wanted,
    ...(wait && { wait }),
    operation,
    requestId,
    actor: 'BUYER',
    clock: found.clock,
    notAfter: deps.clock.now() + COMMAND_MS,
  };
  try {
    await sendCommand(deps, runOf(payment), command);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'INTERNAL') throw error;
    if (error.code !== 'TEMPORARILY_UNAVAILABLE') return send(ctx, unknownPage(lookOf(ctx)), 409);
  }
  const fresh = await inTenant(deps.orm, payment.storeId, REQUEST, (em) =>
    readAttempt(em, payment.storeId, payment.paymentId, attempt.attemptId),
  );
  if (!fresh || fresh.payment.status === 'processing') return see(ctx, found);
  leave(ctx, { ...found, ...fresh }, fresh.payment.result);
}
