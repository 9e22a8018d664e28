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

/** A secret of this browser at one address of ours: no script reads it, no other site's form sends it. */
export const browserCookie = ({ config }: ApiDeps, path: string, maxAge: number) => ({
  httpOnly: true,
  sameSite: 'lax' as const,
  secure: config.publicUrl.startsWith('https:'),
  path,
  signed: false,
  overwrite: true,
  maxAge,
});
