/**
 * The hosted payment screen: open, return from the provider's window, give up. The GETs that have effects are
 * idempotent by attempt; amounts are compared with our row; an unknown attempt gets a page that reveals nothing.
 */
import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { sqlOn } from '../../db/kernel/sql.ts';
import { inTenant, REQUEST, tenancyOf, type Tx } from '../../db/kernel/tx.ts';
import { type PaymentOption, retryPayment } from '../../db/payments/commands.ts';
import { readAttempt, paymentRun } from '../../db/payments/queries.ts';
import { storeText } from '../../db/runs/text.ts';
import { findTenant, readStore } from '../../db/stores/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Command, CommandContent } from '../../workflows/kernel/messages.ts';
import { type Failure, failureOf } from '../../domain/payments/failures.ts';
import type { PaymentMessages } from '../../domain/payments/messages.ts';
import { returnAddress } from '../../domain/payments/rules.ts';
import { COMMAND_MS, sendCommand } from '../kernel/commands.ts';
import type { ApiDeps } from '../kernel/deps.ts';
import type { PageContext } from '../kernel/page.ts';
import { answerFromRow, type Found, isOpen, type Shown, carriedParameters, leave, pageContextOf, see, send, text } from './answers.ts';
import { busyPage, expiredPage, failedPage, payPage, processingPage, unknownPage } from './pages.ts';

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'strict-origin',
  // On redirects too: with another value on any of them, a popup loses its opener.
  'Cross-Origin-Opener-Policy': 'unsafe-none',
};

/** Over the rate limit, a person gets a page (X10). */
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
  const router = new Router({ prefix: '/pay/:paymentId' });
  router.use(async (ctx, next) => {
    ctx.set(HEADERS);
    await next();
  });
  router.get('/', guarded(deps, readStoreName, open));
  router.get('/return', guarded(deps, readReturn, comeBack));
  router.get('/fail', guarded(deps, readFailure, giveUp));
  router.post('/retry', guarded(deps, readNothing, retry));
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
    else send(ctx, unknownPage(pageContextOf(ctx)), 404);
  };

const readStoreName: Read<string> = async (_, tx) => (await readStore(tx)).name;
const readNothing: Read<null> = async () => null;

async function open(ctx: RouterContext, deps: ApiDeps, found: Found, storeName: string): Promise<void> {
  const { payment, attempt, at } = found;
  const context = pageContextOf(ctx);
  if (payment.status === 'processing') return send(ctx, processingPage(context));
  const isOver = payment.status === 'expired' || (payment.status === 'pending' && at >= payment.expiresAt.getTime());
  const isPopup = text(ctx, 'mode') === 'popup';
  if (isOver && !isPopup)
    return send(ctx, expiredPage(context, returnAddress(attempt.returnUrl, payment.paymentId, 'EXPIRED')), 200, found);
  if (isOver || payment.status !== 'pending') return leave(ctx, found, isOver ? 'EXPIRED' : payment.result);
  if (attempt.status !== 'OPEN')
    return attempt.attemptId === payment.currentAttemptId
      ? showFailure(ctx, found, attempt.failure ?? payment.lastFailure ?? null)
      : leave(ctx, found, payment.result);
  // The API key was changed to the other kind, test or live: this payment cannot be continued with it (X26).
  if (payment.testPayment !== deps.config.toss.testPayment)
    return showFailure(ctx, found, failureOf(attempt.attemptId, 'PAYMENT_NOT_CONFIGURED'));
  showPayment(ctx, deps, { ...found, storeName }, context);
}

/** The page that leads to the provider's payment window. */
function showPayment(ctx: RouterContext, deps: ApiDeps, found: Shown, context: PageContext): void {
  const { payment, attempt } = found;
  const isPopup = text(ctx, 'mode') === 'popup';
  const { toss, publicUrl } = deps.config;
  const here = `${publicUrl}/pay/${payment.paymentId}`;
  const carried = { ...(isPopup && { mode: 'popup' }), ...(text(ctx, 'lang', 5) !== '' && { lang: context.locale }) };
  const back = (way: string) => `${here}/${way}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...carried }))}`;
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
  const cancel = { action: `${here}/fail`, fields: { attemptId: attempt.attemptId, ...carried, code: 'USER_CANCEL' } };
  send(ctx, payPage(context, { ...found, window: { action: toss.windowUrl, fields }, cancel }), 200, found, new URL(toss.windowUrl).origin);
}

/** The page of a declined or canceled attempt: the reason, and a retry. */
function showFailure(ctx: RouterContext, { payment, attempt }: Found, failure: Failure | null): void {
  const carried = new URLSearchParams({ attemptId: attempt.attemptId, ...carriedParameters(ctx) });
  const retryAction = `/pay/${payment.paymentId}/retry?${String(carried)}`;
  const returnTo = returnAddress(attempt.returnUrl, payment.paymentId, payment.result);
  send(ctx, failedPage(pageContextOf(ctx), { failure, retryAction, returnTo }), 200, { attempt });
}

/** Starts a new attempt like POST …/attempts; a second click finds the open attempt of the first. */
async function retry(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  const { payment, attempt } = found;
  const option = { pg: attempt.pg, method: attempt.method } as PaymentOption;
  try {
    const started = await inTenant(deps.orm, found, REQUEST, async (tx) => {
      const fresh = await readAttempt(tx, payment.paymentId, payment.currentAttemptId);
      if (fresh?.attempt.status === 'OPEN') return fresh;
      const { storeId, paymentId } = payment;
      const wanted = { storeId, paymentId, option, returnUrl: attempt.returnUrl, testPayment: deps.config.toss.testPayment };
      return retryPayment(tx, wanted);
    });
    ctx.redirect(
      `/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: started.attempt.attemptId, ...carriedParameters(ctx) }))}`,
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...carriedParameters(ctx) }))}`);
  }
  ctx.status = 303;
}

type PayInput = PaymentMessages['commands']['pay'];
type GiveUpInput = PaymentMessages['commands']['giveUp'];

/**
 * What the provider's window says when the buyer comes back: the input of `pay`; 400 or 409 when it is not about this attempt; null when
 * the attempt has ended. The payment key is stored as text, because it comes from the URL (X24).
 */
async function readReturn(ctx: RouterContext, tx: Tx, found: Found): Promise<PayInput | 400 | 409 | null> {
  if (!isOpen(found)) return null;
  const [paymentKey, amount] = [text(ctx, 'paymentKey', 200), Number(text(ctx, 'amount') || Number.NaN)];
  if (paymentKey === '' || !Number.isSafeInteger(amount)) return 400;
  const { attemptId, pgOrderId, amountWon } = found.attempt;
  if (text(ctx, 'orderId') !== pgOrderId || amount !== amountWon) return 409;
  return { attemptId, pgOrderId, amount, paymentKeyId: await storeText(tx, paymentKey) };
}

/** The buyer was authenticated: sends `pay` to the payment's run, and waits for the outcome within the deadline. */
async function comeBack(ctx: RouterContext, deps: ApiDeps, found: Found, input: Awaited<ReturnType<typeof readReturn>>): Promise<void> {
  if (input === null) return answerFromRow(ctx, found);
  if (typeof input === 'number') return send(ctx, unknownPage(pageContextOf(ctx)), input);
  await runCommand(ctx, deps, found, { name: 'pay', input }, 'idle');
}

/** The input of `giveUp`, with the provider's code as text; null when the attempt has ended. */
async function readFailure(ctx: RouterContext, tx: Tx, found: Found): Promise<GiveUpInput | null> {
  if (!isOpen(found)) return null;
  const code = text(ctx, 'code', 80).replaceAll(/[^A-Z0-9_]/g, '') || 'PAY_PROCESS_CANCELED';
  return { attemptId: found.attempt.attemptId, codeId: await storeText(tx, code) };
}

async function giveUp(ctx: RouterContext, deps: ApiDeps, found: Found, input: GiveUpInput | null): Promise<void> {
  if (input === null) answerFromRow(ctx, found);
  else await runCommand(ctx, deps, found, { name: 'giveUp', input });
}

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
    clock: found.at - found.realNow,
    notAfter: deps.clock.now() + COMMAND_MS,
  };
  try {
    const status = await sendCommand(deps, paymentRun(payment), command);
    // A popup is told the order, too.
    if (status === 'COMPLETED' && text(ctx, 'mode') !== 'popup') return leave(ctx, found, status);
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'INTERNAL') throw error;
    if (error.code !== 'TEMPORARILY_UNAVAILABLE') return send(ctx, unknownPage(pageContextOf(ctx)), 409);
  }
  const fresh = await inTenant(deps.orm, found, REQUEST, (tx) => readAttempt(tx, payment.paymentId, attempt.attemptId));
  if (!fresh || fresh.payment.status === 'processing') return see(ctx, found);
  leave(ctx, { ...found, ...fresh }, fresh.payment.result);
}
