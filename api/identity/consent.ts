/**
 * The page on which a person says whether a client may have what it asks for: every client but the console, at every login (X2–X5).
 * Its form is good once, for ten minutes, in the browser that began the login.
 */
import type { Context } from 'koa';
import { clientOf, type OAuthClient } from '../../db/identity/clients.ts';
import { CONSENT_MS, type ConsentRequest, openConsent, consentDetailsOf, readConsent, consumeConsent } from '../../db/identity/consents.ts';
import { issueCode } from '../../db/identity/logins.ts';
import { lockRole } from '../../db/identity/members.ts';
import { inTenant, realTime, REQUEST } from '../../db/kernel/tx.ts';
import { covers, SCOPES } from '../../domain/identity/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { pageContextOf, sendPage } from '../web/page.ts';
import { redirectToClient, setBrowserCookie } from './answer.ts';
import { consentPage } from './consentPage.ts';
import { OAuthError, readForm } from './oauth.ts';

const COOKIE = 'svc_consent';
/** A cookie for each question: a browser may be asked several at once. */
const addressOf = (consentId: string) => `/oauth2/consent/${consentId}`;
const gone = () => new OAuthError('invalid_request', 'This question was not asked in this browser, was answered already, or has expired');

/** An active client and its store. The console, which has no store, never shows a consent page. */
async function storeClientOf(deps: ApiDeps, clientId: string): Promise<OAuthClient & { readonly storeId: string }> {
  const client = await clientOf(deps, clientId);
  if (client?.status !== 'ACTIVE' || client.storeId === null) throw new OAuthError('invalid_request', 'Unknown client');
  return { ...client, storeId: client.storeId };
}

/** Sends the person to the page; one who has no role in the client's store is not asked. */
export async function startConsent(
  ctx: Context,
  deps: ApiDeps,
  request: Omit<ConsentRequest, 'consentId'>,
  browser: string,
): Promise<void> {
  const { clientId, storeId } = await storeClientOf(deps, request.clientId);
  const consentId = await inTenant(deps.orm, realTime(storeId, deps.clock.now()), REQUEST, async (tx) => {
    const { role } = await consentDetailsOf(tx, clientId, request.userId);
    return role === null ? null : openConsent(tx, request, browser);
  });
  if (consentId === null) return refuse(ctx, deps, request, 'The person has no role in the store of the client');
  setBrowserCookie(ctx, deps, { name: COOKIE, value: browser, path: addressOf(consentId), maxAge: CONSENT_MS });
  ctx.redirect(addressOf(consentId));
}

const refuse = (ctx: Context, deps: ApiDeps, { redirectUri, state }: Pick<ConsentRequest, 'redirectUri' | 'state'>, why: string) =>
  redirectToClient(ctx, deps, redirectUri, { error: 'access_denied', error_description: why, state });

/** Of the address; what was never given out reaches no database. */
function idOf(ctx: Context): string {
  const { consentId = '' } = ctx['params'] as Record<string, string>;
  if (!/^[\w-]{43}$/.test(consentId)) throw gone();
  return consentId;
}
const browserOf = (ctx: Context): string => ctx.cookies.get(COOKIE) ?? '';

/** GET /oauth2/consent/{consentId}: the question. Looking at it again uses nothing up. */
export async function showConsent(ctx: Context, deps: ApiDeps): Promise<void> {
  const request = await readConsent(deps.orm, idOf(ctx), browserOf(ctx), deps.clock.now());
  if (!request) throw gone();
  const { storeId } = await storeClientOf(deps, request.clientId);
  const details = await inTenant(deps.orm, realTime(storeId, deps.clock.now()), REQUEST, (tx) =>
    consentDetailsOf(tx, request.clientId, request.userId),
  );
  const context = pageContextOf(ctx);
  const shown = consentPage(context, {
    ...details,
    returnsTo: new URL(request.redirectUri).host,
    scopes: request.scopes.filter((scope) => covers(SCOPES, scope)),
    staysLoggedIn: request.scopes.includes('offline_access'),
    action: `${addressOf(request.consentId)}/decision`,
  });
  sendPage(ctx, context, shown, 200, { forms: redirectTargets(request.redirectUri) });
  ctx.set('X-Robots-Tag', 'noindex');
}

/**
 * Where the policy lets a browser be sent after the form. Chromium asks it at every hop, those that the client's own callback adds
 * included: a client may lead on to any host of its scheme. The host of an IPv6 address is nothing that a policy could name.
 */
function redirectTargets(redirectUri: string): string[] {
  const { protocol, hostname, origin } = new URL(redirectUri);
  return hostname.startsWith('[') ? [protocol] : [origin, protocol];
}

/** POST /oauth2/consent/{consentId}/decision: the person's word, once. What may have changed since they were asked is judged again. */
export async function decideConsent(ctx: Context, deps: ApiDeps): Promise<void> {
  const decision = (await readForm(ctx)).get('decision');
  if (decision !== 'allow' && decision !== 'deny') throw new OAuthError('invalid_request', 'The decision is allow or deny');
  const [now, browser] = [deps.clock.now(), browserOf(ctx)];
  const request = await readConsent(deps.orm, idOf(ctx), browser, now);
  if (!request) throw gone();
  const { storeId } = await storeClientOf(deps, request.clientId);
  const code = await inTenant(deps.orm, realTime(storeId, now), REQUEST, async (tx) => {
    if (!(await consumeConsent(tx, request.consentId, browser))) throw gone();
    const role = await lockRole(tx, request.userId);
    return decision === 'deny' || role === null ? null : issueCode(tx, request.userId, request, request.authenticatedAt);
  });
  setBrowserCookie(ctx, deps, { name: COOKIE, value: '', path: addressOf(request.consentId), maxAge: 0 });
  if (code === null) refuse(ctx, deps, request, 'The person did not allow it');
  else redirectToClient(ctx, deps, request.redirectUri, { code, state: request.state });
}

/** The decision's address by GET decides nothing (X4). */
export const noDecision = async (): Promise<void> => {
  throw gone();
};
