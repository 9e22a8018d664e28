/** How the pay screen answers: its pages, ways back to the shop, and what is known from a payment's row. */
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Started } from '../../db/payments/queries.ts';
import { type PaymentResult, returnAddress } from '../../domain/payments/rules.ts';
import type { Html } from '../kernel/html.ts';
import { type Look, lookOf as lookFor, sendPage } from '../kernel/page.ts';
import { popupPage } from './pages.ts';

export type Found = Started & { readonly storeName: string; readonly at: number; readonly clock: number };

export const text = (ctx: Context, name: string, longest = 300): string => {
  const value = ctx.query[name];
  return typeof value === 'string' && value.length <= longest && /^[\x20-\x7e]*$/.test(value) ? value : '';
};

/** What a page hands on to the next: the window's mode, and a language that was asked for. */
export function keptOf(ctx: RouterContext): Record<string, string> {
  const lang = text(ctx, 'lang', 5);
  return { ...(text(ctx, 'mode') === 'popup' && { mode: 'popup' }), ...(lang !== '' && { lang }) };
}

/** A command can still change something: the payment and this attempt of it are open. */
export const isOpen = ({ payment, attempt, at }: Found): boolean =>
  payment.status === 'pending' &&
  at < payment.expiresAt.getTime() &&
  attempt.status === 'OPEN' &&
  attempt.attemptId === payment.currentAttemptId;

/** What has ended is known from its row: no command is sent and no run is started (X14). */
export function answerFromRow(ctx: RouterContext, found: Found): void {
  const { payment, at } = found;
  if (payment.status === 'processing') return see(ctx, found);
  const isOver = payment.status === 'pending' && at >= payment.expiresAt.getTime();
  leave(ctx, found, isOver ? 'EXPIRED' : payment.result);
}

/** Go and look at the payment's own page, which knows what to show. */
export function see(ctx: RouterContext, { payment, attempt }: Found): void {
  ctx.redirect(`/pay/${payment.paymentId}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...keptOf(ctx) }))}`);
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
  send(ctx, popupPage(lookOf(ctx), message, new URL(attempt.returnUrl).origin, returnTo), 200, { attempt });
}

/** The language that the address names, or the browser's. */
export const lookOf = (ctx: Context): Look => lookFor(ctx, text(ctx, 'lang', 5));

/**
 * Sends a page. Forms may lead to the provider's window, and the browser follows their redirects only to where the shop's return
 * address is.
 */
export function send(ctx: Context, page: Html, status = 200, returns?: Pick<Found, 'attempt'>, windowOrigin = ''): void {
  sendPage(ctx, lookOf(ctx), page, status, [windowOrigin, returns ? new URL(returns.attempt.returnUrl).origin : ''].filter(Boolean));
}
