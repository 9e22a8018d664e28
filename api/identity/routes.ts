/** OAuth and what is found at the root: flat answers, no envelope. */
import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ApiDeps } from '../kernel/deps.ts';
import { lookOf, sendPage } from '../kernel/page.ts';
import { authorize, callback } from './authorize.ts';
import { decideConsent, noDecision, showConsent } from './consent.ts';
import { stuckPage } from './consentPage.ts';
import { metadata } from './metadata.ts';
import { flat, type OAuthError, tellFlat } from './oauth.ts';
import { register } from './register.ts';
import { token } from './token.ts';

/** What is refused before a route is reached is told as the routes tell it. */
export const oauthRefusals =
  (deps: ApiDeps): Middleware =>
  (ctx, next) =>
    ctx.path.startsWith('/oauth2/') ? flat(deps, next, tellPeople)(ctx) : next();

export function identityRoutes(deps: ApiDeps): Router {
  const router = new Router();
  router.get('/oauth2/authorize', flat(deps, authorize, tellPeople));
  router.get('/oauth2/callback', flat(deps, callback, tellPeople));
  router.get('/oauth2/consent/:consentId', flat(deps, showConsent, tellPeople));
  router.get('/oauth2/consent/:consentId/decision', flat(deps, noDecision, tellPeople));
  router.post('/oauth2/consent/:consentId/decision', flat(deps, decideConsent, tellPeople));
  router.post('/oauth2/token', flat(deps, token));
  router.post('/oauth2/register', flat(deps, register));
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

/** A browser is shown a page, where it prefers one; everybody else is told flat. */
function tellPeople(ctx: Context, refused: OAuthError): void {
  tellFlat(ctx, refused);
  if (ctx.accepts('json', 'html') !== 'html') return;
  const look = lookOf(ctx);
  sendPage(ctx, look, stuckPage(look, refused), refused.status, []);
}
