/** The routes of OAuth and `/.well-known`: without the envelope. */
import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ApiDeps } from '../declare/deps.ts';
import { pageContextOf, sendPage } from '../web/page.ts';
import { authorize, callback } from './authorize.ts';
import { decideConsent, noDecision, showConsent } from './consent.ts';
import { stuckPage } from './consentPage.ts';
import { metadata } from './metadata.ts';
import { oauthRoute, type OAuthError, sendErrorResponse } from './oauth.ts';
import { register } from './register.ts';
import { token } from './token.ts';

/** Formats refusals before a route is reached like those of the routes. */
export const oauthRefusals =
  (deps: ApiDeps): Middleware =>
  (ctx, next) =>
    ctx.path.startsWith('/oauth2/') ? oauthRoute(deps, next, sendErrorPage)(ctx) : next();

export function identityRoutes(deps: ApiDeps): Router {
  const router = new Router({ sensitive: true });
  router.get('/oauth2/authorize', oauthRoute(deps, authorize, sendErrorPage));
  router.get('/oauth2/callback', oauthRoute(deps, callback, sendErrorPage));
  router.get('/oauth2/consent/:consentId', oauthRoute(deps, showConsent, sendErrorPage));
  router.get('/oauth2/consent/:consentId/decision', oauthRoute(deps, noDecision, sendErrorPage));
  router.post('/oauth2/consent/:consentId/decision', oauthRoute(deps, decideConsent, sendErrorPage));
  router.post('/oauth2/token', oauthRoute(deps, token));
  router.post('/oauth2/register', oauthRoute(deps, register));
  router.get('/.well-known/jwks.json', (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=60');
    ctx.body = deps.keys.jwks;
  });
  router.get('/.well-known/oauth-authorization-server', (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = metadata(deps.config.publicUrl);
  });
  return router;
}

/** An HTML page for browsers (by Accept), the JSON error response for all others. */
function sendErrorPage(ctx: Context, refused: OAuthError): void {
  sendErrorResponse(ctx, refused);
  if (ctx.accepts('json', 'html') !== 'html') return;
  const context = pageContextOf(ctx);
  sendPage(ctx, context, stuckPage(context, refused), refused.status, {});
}
