/** Redirects back to the client, and the cookies of pending logins. */
import type { Context } from 'koa';
import type { ApiDeps } from '../declare/deps.ts';

/** A longer `state` is refused and not returned, which bounds the size of responses (X7). */
export const LONGEST_STATE = 1024;

/** Redirects the browser to the client with the response parameters and `iss` (RFC 6749 § 4.1.2, RFC 9207). */
export function redirectToClient(
  ctx: Context,
  { config }: ApiDeps,
  redirectUri: string,
  answer: Readonly<Record<string, string | null>>,
): void {
  const url = new URL(redirectUri);
  const parameters = {
    ...answer,
    ...(answer['state'] && answer['state'].length > LONGEST_STATE && { state: null }),
    iss: config.publicUrl,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value);
  const isForm = ctx.method === 'POST';
  ctx.redirect(url.href);
  if (isForm) ctx.status = 303;
}

/** A cookie for one path; with an empty value it is deleted. */
export interface BrowserCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly maxAge: number;
}

/**
 * Sets a cookie that is HttpOnly, SameSite=Lax and, if the public URL is https, Secure. TLS is terminated by a proxy, so that Koa would
 * refuse a Secure cookie on what looks like plain HTTP; hence `ctx.cookies.secure`.
 */
export function setBrowserCookie(ctx: Context, { config }: ApiDeps, { name, ...cookie }: BrowserCookie): void {
  const secure = config.publicUrl.startsWith('https:');
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, cookie.value, { ...cookie, secure, httpOnly: true, sameSite: 'lax', signed: false, overwrite: true });
}
