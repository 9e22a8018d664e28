/** New attempts from the payment screen: the buyer's choice, and the next provider after a window that could not be opened. */
import { LockMode } from '@mikro-orm/core';
import type { RouterContext } from '@koa/router';
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { failOver, retryPayment } from '../../db/payments/attempts.ts';
import { PaymentEntity } from '../../db/payments/entities.ts';
import { readAttempt, readPayment, type Started } from '../../db/payments/queries.ts';
import { Fault, RetryLater } from '../../domain/kernel/errors.ts';
import { type Option, WALLETS } from '../../domain/paymentSettings/routing.ts';
import { PROVIDERS } from '../../domain/payments/providers.ts';
import { PAYMENT_METHODS, returnAddress } from '../../domain/payments/rules.ts';
import { choosing } from '../paymentSettings/circuits.ts';
import { RunAgain, runAgain } from '../declare/runAgain.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { addressOf, type Found, pageContextOf, see, send, sendUnknown, text } from './answers.ts';
import { unavailablePage } from './pages.ts';
import { isSameOption, optionOf } from './ways.ts';

/** Starts an attempt in a transaction; a circuit whose time is over is tried before, and then it starts once more. */
async function startAttempt<T>(deps: ApiDeps, found: Found, start: (tx: Tx) => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++) {
    try {
      return await inTenant(deps.orm, found, REQUEST, (tx) => choosing(deps, tx, () => start(tx)));
    } catch (error) {
      if (!(error instanceof RunAgain)) throw error;
      await runAgain(error, runs);
    }
  }
}

const memberOf = <T extends string>(values: readonly T[], value: string): T | undefined => values.find((one) => one === value);
/** The option of the query, the attempt's own without one; null when there is no such option. */
function requestedOption(ctx: RouterContext, { attempt }: Found): Option | null {
  if (ctx.query['pg'] === undefined && ctx.query['method'] === undefined) return optionOf(attempt);
  const [pg, method] = [memberOf(PROVIDERS, text(ctx, 'pg')), memberOf(PAYMENT_METHODS, text(ctx, 'method'))];
  const provider = text(ctx, 'provider') === '' ? null : memberOf(WALLETS, text(ctx, 'provider'));
  return pg === undefined || method === undefined || provider === undefined ? null : { pg, method, provider };
}

/** POST /pay/{paymentId}/retry: a new attempt like POST …/attempts; a second click finds the open attempt of the first. */
export async function retry(ctx: RouterContext, deps: ApiDeps, found: Found): Promise<void> {
  const { paymentId } = found.payment;
  const { returnUrl } = found.attempt;
  const option = requestedOption(ctx, found);
  if (!option) return sendUnknown(ctx, 400);
  try {
    const started = await startAttempt(deps, found, async (tx) => {
      const { storeId } = tx;
      const payment = await tx.em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const current = await readAttempt(tx, paymentId, payment.currentAttemptId);
      const isStarted =
        current?.attempt.status === 'OPEN' && current.attempt.credentialId && isSameOption(optionOf(current.attempt), option);
      return isStarted ? current : retryPayment(tx, { paymentId, option, returnUrl });
    });
    see(ctx, started);
  } catch (error) {
    refuse(ctx, found, error);
  }
}

/** A way that cannot be used now has a page; whatever else became of the payment, its own page shows. */
function refuse(ctx: RouterContext, found: Found, error: unknown): void {
  if (!(error instanceof Fault) || error.code === 'INTERNAL') throw error;
  if (error.code !== 'PAYMENT_PROVIDER_UNAVAILABLE' && error.code !== 'PAYMENT_NOT_CONFIGURED') return see(ctx, found);
  const { payment, attempt } = found;
  if (error instanceof RetryLater) ctx.set('Retry-After', String(error.retryAfter));
  const links = { paymentPage: addressOf(ctx, found), returnTo: returnAddress(attempt.returnUrl, payment.paymentId, payment.result) };
  send(ctx, unavailablePage(pageContextOf(ctx), links), error instanceof RetryLater ? 503 : 409, found);
}

/** The attempt ended because its window could not be opened before the buyer could pay: no decline, no cancel, nothing unknown (Y16). */
export const isWindowRefused = ({ payment, attempt }: Started): boolean =>
  payment.status === 'pending' && attempt.confirmedAt == null && attempt.failure?.category === 'METHOD_UNAVAILABLE';

/**
 * The attempt that the buyer goes on with after a window that could not be opened: a new one at the next provider, or the one that a
 * request before this one has started. Null: there is none, the buyer goes back to the shop.
 */
export const nextAttempt = (deps: ApiDeps, found: Found): Promise<Started | null> =>
  startAttempt(deps, found, async (tx) => {
    const { paymentId } = found.payment;
    const { attemptId } = found.attempt;
    const next = await failOver(tx, paymentId, attemptId);
    if (next) return next;
    const { currentAttemptId } = await readPayment(tx, paymentId);
    const current = currentAttemptId === attemptId ? null : await readAttempt(tx, paymentId, currentAttemptId);
    return current?.attempt.status === 'OPEN' ? current : null;
  });
