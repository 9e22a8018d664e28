/** The same ways in, through a client that others wrote and that checks what the RFCs ask of a server. */
import { beforeAll, expect, test } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { Browser, CALLBACK, CONSOLE, TOKEN_EXCHANGE } from '../../kernel/login.ts';
import { underTest, type World, world, seedMembers } from '../../kernel/world.ts';

const loopback = { [oauth.allowInsecureRequests]: true } as const;
let shop: World;
let server: oauth.AuthorizationServer;
beforeAll(async () => {
  shop = await world();
  await seedMembers(shop.store.storeId, [{ role: 'OWNER', email: `owner@${shop.store.storeCode}.example` }]);
  const issuer = new URL(underTest.api);
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...loopback }));
});
const verify = async (token: string) =>
  (
    await jwtVerify(token, createRemoteJWKSet(new URL(server.jwks_uri!)), {
      issuer: server.issuer,
      audience: 'urn:svc:api',
      algorithms: ['RS256'],
    })
  ).payload;

test('client credentials', async () => {
  const client = { client_id: shop.store.clientId };
  const request = oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic(shop.store.clientSecret),
    new URLSearchParams({ scope: 'product:r' }),
    loopback,
  );
  const { access_token: token, scope } = await oauth.processClientCredentialsResponse(server, client, await request);
  expect(scope).toBe('product:r');
  expect(await verify(token)).toMatchObject({ store_id: shop.store.storeId, use: 'store', origin: 'm2m' });
});

test('code with PKCE, refresh, exchange to a store', async () => {
  const client = { client_id: CONSOLE };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint!);
  url.search = String(
    new URLSearchParams({
      client_id: CONSOLE,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'product:rw order:r offline_access',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  );
  const back = await new Browser().login(url.href, `owner@${shop.store.storeCode}.example`);
  const params = oauth.validateAuthResponse(server, client, back, state);
  const answer = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), params, CALLBACK, verifier, loopback);
  const user = await oauth.processAuthorizationCodeResponse(server, client, answer);
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), user.refresh_token!, loopback),
  );
  const form = new URLSearchParams({
    subject_token: refreshed.access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: shop.store.storeId,
  });
  const response = await oauth.genericTokenEndpointRequest(server, client, oauth.None(), TOKEN_EXCHANGE, form, loopback);
  const given = await oauth.processGenericTokenEndpointResponse(server, client, response);
  expect(given.scope?.split(' ').toSorted()).toEqual(['order:r', 'product:rw']);
  expect(await verify(given.access_token)).toMatchObject({ store_id: shop.store.storeId, origin: 'console', use: 'store' });
});
