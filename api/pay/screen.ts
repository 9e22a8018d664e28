/** GET /pay/{paymentId}: the page of an attempt, by the state of its payment. */
import type { RouterContext } from '@koa/router';
import type { Tx } from '../../db/kernel/tx.ts';
import type { PaymentAttempt } from '../../db/payments/entities.ts';
import { readAttempts } from '../../db/payments/queries.ts';
import { PaymentCredentialEntity, type PublicHalves } from '../../db/paymentSettings/entities.ts';
import { readSettings, type Settings } from '../../db/paymentSettings/queries.ts';
import { readStore } from '../../db/stores/queries.ts';
import { type Failure, failureOf } from '../../domain/payments/failures.ts';
import { returnAddress } from '../../domain/payments/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { addressOf, carriedParameters, type Found, isBeingRead, isPopup, leave, pageContextOf, send } from './answers.ts';
import { launchOf, providerConfig, sourcesOf } from './launch.ts';
import { expiredPage, failedPage, type OtherWay, payPage, processingPage } from './pages.ts';
import { optionOf, waysOf } from './ways.ts';
import { orderName } from './window.ts';

/** What the pages of a pending payment show. */
interface Pending {
  readonly storeName: string;
  readonly settings: Settings;
  readonly attempts: readonly PaymentAttempt[];
  /** Of the attempt's own credential set, whatever became of it since; null: it has none. */
  readonly keys: PublicHalves | null;
}
/** Null: the payment's page is none of a pending payment's current attempt. */
export async function readScreen(tx: Tx, { payment, attempt }: Found): Promise<Pending | null> {
  if (payment.status !== 'pending' || attempt.attemptId !== payment.currentAttemptId) return null;
  const { storeId, credentialId } = attempt;
  const [store, settings, attempts, set] = await Promise.all([
    readStore(tx),
    readSettings(tx, payment.environment),
    readAttempts(tx, payment.paymentId),
    credentialId == null ? null : tx.em.findOne(PaymentCredentialEntity, { storeId, credentialId }),
  ]);
  return { storeName: store.name, settings, attempts, keys: set?.publicHalves ?? null };
}

export async function showScreen(ctx: RouterContext, deps: ApiDeps, found: Found, pending: Pending | null): Promise<void> {
  const { payment, attempt, at } = found;
  const context = pageContextOf(ctx);
  if (payment.status === 'processing' || isBeingRead(found))
    return send(ctx, processingPage(context), 200, undefined, { connections: ["'self'"] });
  const isOver = payment.status === 'expired' || (payment.status === 'pending' && at >= payment.expiresAt.getTime());
  if (isOver && !isPopup(ctx))
    return send(ctx, expiredPage(context, returnAddress(attempt.returnUrl, payment.paymentId, 'EXPIRED')), 200, found);
  if (isOver || !pending) return leave(ctx, found, isOver ? 'EXPIRED' : payment.result);
  if (attempt.status !== 'OPEN') return showFailure(ctx, found, pending, attempt.failure ?? payment.lastFailure ?? null);
  // It was started before there were credential sets: only a new attempt has one.
  if (!pending.keys) return showFailure(ctx, found, pending, failureOf(attempt.attemptId, 'PAYMENT_NOT_CONFIGURED'));
  showPayment(ctx, deps, found, { ...pending, keys: pending.keys });
}

/** The page that leads to the provider's payment window. */
function showPayment(ctx: RouterContext, deps: ApiDeps, found: Found, pending: Pending & { readonly keys: PublicHalves }): void {
  const { payment, attempt } = found;
  const { storeName, settings, attempts, keys } = pending;
  const { publicUrl } = deps.config;
  const { method, provider } = optionOf(attempt);
  const { notificationToken } = settings.providers.find((one) => one.provider === attempt.pg)!;
  const config = providerConfig(deps.config, attempt.pg);
  const launch = launchOf(config, {
    keys,
    method,
    provider,
    pgOrderId: attempt.pgOrderId,
    amountWon: attempt.amountWon,
    orderName: orderName(payment.lines),
    returnUrl: publicUrl + addressOf(ctx, found, '/return'),
    failUrl: publicUrl + addressOf(ctx, found, '/fail'),
    notificationUrl: `${publicUrl}/payment-notifications/${notificationToken}`,
  });
  const fields = { attemptId: attempt.attemptId, ...carriedParameters(ctx) };
  const page = payPage(pageContextOf(ctx), {
    payment,
    attempt,
    at: found.at,
    storeName,
    launch,
    here: { action: `${publicUrl}/pay/${payment.paymentId}`, fields },
    cancel: { action: `${publicUrl}/pay/${payment.paymentId}/fail`, fields: { ...fields, code: 'USER_CANCEL' } },
    others: otherWays(ctx, found, pending),
    isSwitched: attempts.find(({ seq }) => seq === attempt.seq - 1)?.failure?.category === 'METHOD_UNAVAILABLE',
  });
  send(ctx, page, 200, found, sourcesOf(config));
}

const otherWays = (ctx: RouterContext, found: Found, { settings, attempts }: Pending): readonly OtherWay[] =>
  waysOf(settings, found.attempt, attempts).others.map((option) => {
    const { pg, method, provider } = option;
    return { option, action: addressOf(ctx, found, '/retry', { pg, method, ...(provider !== null && { provider }) }) };
  });

/** The page of a declined or canceled attempt: the reason, another try, and the way back. */
function showFailure(ctx: RouterContext, found: Found, pending: Pending, failure: Failure | null): void {
  const { payment, attempt } = found;
  const { isOwnAvailable } = waysOf(pending.settings, attempt, pending.attempts);
  const page = failedPage(pageContextOf(ctx), {
    failure,
    own: optionOf(attempt),
    retryAction: isOwnAvailable ? addressOf(ctx, found, '/retry') : null,
    others: otherWays(ctx, found, pending),
    returnTo: returnAddress(attempt.returnUrl, payment.paymentId, payment.result),
  });
  send(ctx, page, 200, found);
}
