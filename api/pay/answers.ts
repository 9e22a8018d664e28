/** Responses of the payment screen: pages, redirects to the shop, and results from the payment's row. */
import type { Tenancy } from '../../db/kernel/tx.ts';
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Started } from '../../db/payments/queries.ts';
import { type PaymentResult, returnAddress } from '../../domain/payments/rules.ts';
import type { Html } from '../kernel/html.ts';
import { type PageContext, pageContextOf as requestContextOf, sendPage } from '../kernel/page.ts';
import { popupPage } from './pages.ts';

export type Found = Started & Tenancy;
/** With what the payment page shows. */
export type Shown = Found & { readonly storeName: string };

export const text = (ctx: Context, name: string, longest = 300): string => {
  const value = ctx.query[name];
  return typeof value === 'string' && value.length <= longest && /^[\x20-\x7e]*$/.test(value) ? value : '';
};

/** Query parameters that are passed on to the next page: `mode` and `lang`. */
export function carriedParameters(ctx: RouterContext): Record<string, string> {
  const lang = text(ctx, 'lang', 5);
  return { ...(text(ctx, 'mode') === 'popup' && { mode: 'popup' }), ...(lang !== '' && { lang }) };
}

/** Whether a command can still have an effect: payment and attempt are open. */
export const isOpen = ({ payment, attempt, at }: Found): boolean =>
  payment.status === 'pending' &&
  at < payment.expiresAt.getTime() &&
  attempt.status === 'OPEN' &&
  attempt.attemptId === payment.currentAttemptId;

/** The response for an attempt that has ended, from its row, without a command (X14). */
export function answerFromRow(ctx: RouterContext, found: Found): void {
  const { payment, at } = found;
  if (payment.status === 'processing') return see(ctx, found);
  const isOver = payment.status === 'pending' && at >= payment.expiresAt.getTime();
  leave(ctx, found, isOver ? 'EXPIRED' : payment.result);
}

/** Redirects to the payment's page. */
export function see(ctx: RouterContext, { payment, attempt }: Found): void {
  ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...carriedParameters(ctx) }))}`);
  ctx.status = 303;
}

/** Back to the shop: a redirect, or a popup's message to the shop's origin and never to `*` (D44). */
export function leave(ctx: RouterContext, { payment, attempt }: Found, result: PaymentResult): void {
  const returnTo = returnAddress(attempt.returnUrl, payment.paymentId, result);
  if (text(ctx, 'mode') !== 'popup') {
    ctx.redirect(returnTo);
    ctx.status = 303;
    return;
  }
  const message = { type: 'svc:payment', paymentId: payment.paymentId, result, ...(payment.orderId && { orderId: payment.orderId }) };
  send(ctx, popupPage(pageContextOf(ctx), message, new URL(attempt.returnUrl).origin, returnTo), 200, { attempt });
}

/** The page context with the language of the query, or the browser's. */
export const pageContextOf = (ctx: Context): PageContext => requestContextOf(ctx, text(ctx, 'lang', 5));

/**
 * Sends a page. Forms may lead to the provider's window, and the browser follows their redirects only to where the shop's return
 * address is.
 */
export function send(ctx: Context, page: Html, status = 200, returns?: Pick<Found, 'attempt'>, windowOrigin = ''): void {
  sendPage(ctx, pageContextOf(ctx), page, status, [windowOrigin, returns ? new URL(returns.attempt.returnUrl).origin : ''].filter(Boolean));
}
