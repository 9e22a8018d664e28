/** The external OpenID provider, through openid-client. Discovered at the first login, and again after a failure. */
import * as oidc from 'openid-client';
import type { Config } from '../../db/kernel/config.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { LoginProvider } from '../declare/ports.ts';
import { isVisible, nameForm } from '../../domain/kernel/text.ts';
import type { Log } from '../../db/kernel/log.ts';

/** `max_age`, so that the ID token has an `auth_time`, which RECENT_LOGIN_REQUIRED depends on. */
const MAX_AGE_SECONDS = 600;

export function createLoginProvider({ oidc: provider, publicUrl }: Config, log: Log): LoginProvider {
  const redirectUri = `${publicUrl}/oauth2/callback`;
  let known: Promise<oidc.Configuration> | null = null;
  const configuration = () => {
    known ??= oidc
      .discovery(new URL(provider.issuer), provider.clientId, provider.clientSecret, undefined, {
        execute: provider.issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
        timeout: 5,
      })
      .catch((error: unknown) => {
        known = null;
        log.warn({ err: error }, 'the identity provider does not answer');
        throw new Fault('TEMPORARILY_UNAVAILABLE');
      });
    return known;
  };
  return {
    discover: async () => {
      const upstream = await configuration();
      return {
        begin: async ({ requestId, verifier, nonce }) =>
          oidc.buildAuthorizationUrl(upstream, {
            redirect_uri: redirectUri,
            scope: 'openid email profile',
            state: requestId,
            nonce,
            max_age: String(MAX_AGE_SECONDS),
            code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          }).href,
        finish: async (query, { requestId, verifier, nonce }) => {
          const tokens = await oidc.authorizationCodeGrant(upstream, new URL(`${redirectUri}?${query}`), {
            pkceCodeVerifier: verifier,
            expectedState: requestId,
            expectedNonce: nonce,
            idTokenExpected: true,
            maxAge: MAX_AGE_SECONDS,
          });
          const claims = tokens.claims()!;
          const { email, email_verified: isVerified, name } = claims;
          if (typeof email !== 'string' || isVerified !== true) throw new Error('The address is not verified');
          return {
            issuer: claims.iss,
            subject: claims.sub,
            email,
            name: typeof name === 'string' && isVisible(name) ? nameForm(name) : null,
            authenticatedAt: (claims.auth_time ?? claims.iat) * 1000,
          };
        },
      };
    },
  };
}
