/** The way back to the client, and what its browser keeps meanwhile. */
import type { Context } from 'koa';
import type { ApiDeps } from '../kernel/deps.ts';

/** No more of a `state` is sent back: whoever sent a longer one is told so without it, and no answer grows with it (X7). */
export const LONGEST_STATE = 1024;

/** Sends the browser back to the client with an answer and who gave it (RFC 6749 § 4.1.2, RFC 9207). */
export function back(ctx: Context, { config }: ApiDeps, redirectUri: string, answer: Readonly<Record<string, string | null>>): void {
  const url = new URL(redirectUri);
  const told = { ...answer, ...(answer['state'] && answer['state'].length > LONGEST_STATE && { state: null }), iss: config.publicUrl };
  for (const [name, value] of Object.entries(told)) if (value !== null) url.searchParams.set(name, value);
  const isForm = ctx.method === 'POST';
  ctx.redirect(url.href);
  if (isForm) ctx.status = 303;
}

/** A cookie that only one address of ours is sent; an empty value takes it away. */
export interface BrowserCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly maxAge: number;
}

/**
 * Keeps a secret of this browser: no script reads it, no other site's form sends it. Whether the browser speaks https is what the
 * public address says: TLS ends before us, at a proxy, and Koa would refuse a Secure cookie on what looks like plain HTTP.
 */
export function keepInBrowser(ctx: Context, { config }: ApiDeps, { name, ...cookie }: BrowserCookie): void {
  const secure = config.publicUrl.startsWith('https:');
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, cookie.value, { ...cookie, secure, httpOnly: true, sameSite: 'lax', signed: false, overwrite: true });
}
