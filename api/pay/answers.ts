/** Responses of the payment screen: pages, redirects to the shop, and results from the payment's row. */
import type { Tenancy } from '../../db/kernel/tx.ts';
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import type { Started } from '../../db/payments/queries.ts';
import { type PaymentResult, returnAddress } from '../../domain/payments/rules.ts';
import type { Html } from '../web/html.ts';
import { pageContextOf as requestContextOf, type PageSources, sendPage } from '../web/page.ts';
import { type PayContext, popupPage, unknownPage } from './pages.ts';

export type Found = Started & Tenancy;

export const text = (ctx: Context, name: string, longest = 300): string => {
  const value = ctx.query[name];
  return typeof value === 'string' && value.length <= longest && /^[\x20-\x7e]*$/.test(value) ? value : '';
};
export const isPopup = (ctx: Context): boolean => text(ctx, 'mode') === 'popup';

/** Query parameters that are passed on to the next page: `mode` and `lang`. */
export function carriedParameters(ctx: Context): Record<string, string> {
  const lang = text(ctx, 'lang', 5);
  return { ...(isPopup(ctx) && { mode: 'popup' }), ...(lang !== '' && { lang }) };
}
/** A page of a payment, for one of its attempts. `way`: '', or `/retry` and the like. */
export const addressOf = (ctx: Context, { payment, attempt }: Started, way = '', more: Readonly<Record<string, string>> = {}): string =>
  `/pay/${payment.paymentId}${way}?${String(new URLSearchParams({ attemptId: attempt.attemptId, ...carriedParameters(ctx), ...more }))}`;

/** Whether a command can still have an effect: payment and attempt are open. */
export const isOpen = ({ payment, attempt, at }: Found): boolean =>
  payment.status === 'pending' &&
  at < payment.expiresAt.getTime() &&
  attempt.status === 'OPEN' &&
  attempt.attemptId === payment.currentAttemptId;

/** Whether an attempt has ended of which only its provider may know that it was paid: at PortOne, in a window that was still open. */
export const mayBePaid = ({ attempt: { pg, status, endedAt } }: Found): boolean =>
  pg === 'portone' && endedAt != null && status !== 'APPROVED' && status !== 'VOIDED';
/** Whether the buyer has come back without a token, and the reading that tells what became of it is under way. */
export const isBeingRead = (found: Found): boolean => {
  const { payment, attempt } = found;
  return isOpen(found) && attempt.isUnknown && payment.call?.attemptId === attempt.attemptId;
};

/** The response for an attempt that has ended, from its row, without a command (X14). */
export function answerFromRow(ctx: RouterContext, found: Found): void {
  const { payment, at } = found;
  if (payment.status === 'processing') return see(ctx, found);
  const isOver = payment.status === 'pending' && at >= payment.expiresAt.getTime();
  leave(ctx, found, isOver ? 'EXPIRED' : payment.result);
}

/** Redirects to the payment's page. */
export function see(ctx: RouterContext, started: Started): void {
  ctx.redirect(addressOf(ctx, started));
  ctx.status = 303;
}

/** Back to the shop: a redirect, or a popup's message to the shop's origin and never to `*`. */
export function leave(ctx: RouterContext, { payment, attempt }: Found, result: PaymentResult): void {
  const returnTo = returnAddress(attempt.returnUrl, payment.paymentId, result);
  if (!isPopup(ctx)) {
    ctx.redirect(returnTo);
    ctx.status = 303;
    return;
  }
  const message = { type: 'svc:payment', paymentId: payment.paymentId, result, ...(payment.orderId && { orderId: payment.orderId }) };
  send(ctx, popupPage(pageContextOf(ctx), message, new URL(attempt.returnUrl).origin, returnTo), 200, { attempt });
}

/** The page context with the language of the query, or the browser's, and the payment's page in the other one. */
export function pageContextOf(ctx: Context): PayContext {
  const context = requestContextOf(ctx, text(ctx, 'lang', 5));
  const [page] = /^\/pay\/\w+/.exec(ctx.path) ?? [];
  const lang = context.locale === 'ko' ? 'en' : 'ko';
  const query = new URLSearchParams({ attemptId: text(ctx, 'attemptId'), ...carriedParameters(ctx), lang });
  return { ...context, otherLanguage: page === undefined ? null : `${page}?${String(query)}` };
}

/** Sends a page. Browsers follow the redirects of its forms only to where the shop's return address is, and to `sources`. */
export function send(ctx: Context, page: Html, status = 200, returns?: Pick<Found, 'attempt'>, sources: PageSources = {}): void {
  const forms = [...(sources.forms ?? []), ...(returns ? [new URL(returns.attempt.returnUrl).origin] : [])];
  sendPage(ctx, pageContextOf(ctx), page, status, { ...sources, forms });
}
export const sendUnknown = (ctx: Context, status: number): void => send(ctx, unknownPage(pageContextOf(ctx)), status);
