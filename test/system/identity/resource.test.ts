import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import {
  APP,
  authorizeUrl,
  basic,
  Browser,
  CONSOLE,
  exchange,
  loginThrough,
  people,
  registerApp,
  storeToken,
  tokens,
} from '../../kernel/login.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let clientId: string;
let narrowId: string;
const mcp = `${underTest.api}/mcp`;
const at = (role: string) => `${role}@${shop.store.storeCode}.example`;
const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

beforeAll(async () => {
  shop = await world();
  await people(shop);
  const owner = await storeToken(at('owner'), shop.store.storeId);
  ({ client_id: clientId } = await registerApp(owner));
  ({ client_id: narrowId } = await registerApp(owner, { scope: 'order:r store:rw' }));
});

const refused = async (changes: Readonly<Record<string, string | null>>) => {
  const { url } = authorizeUrl({ client_id: clientId, redirect_uri: APP, ...changes });
  return new URL((await new Browser().open(url)).headers.get('location')!).searchParams.get('error');
};

describe('tokens of /mcp', () => {
  test('its metadata is flat, and names address, server and scopes', async () => {
    const response = await fetch(`${underTest.api}/.well-known/oauth-protected-resource/mcp`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      resource: mcp,
      authorization_servers: [mcp.slice(0, -'/mcp'.length)],
      scopes_supported: expect.arrayContaining(['order:rw', 'store:rw', 'audit:r']),
      bearer_methods_supported: ['header'],
    });
  });
  test('another resource is invalid_target, and so is this one for the console and for servers', async () => {
    expect(await refused({ resource: `${mcp}/` })).toBe('invalid_target');
    expect(await refused({ resource: 'https://elsewhere.example/mcp' })).toBe('invalid_target');
    expect(await refused({ resource: mcp, client_id: CONSOLE, redirect_uri: 'http://127.0.0.1:4999/callback' })).toBe('invalid_target');
    const server = basic(shop.store.clientId, shop.store.clientSecret);
    expect((await tokens({ grant_type: 'client_credentials', resource: mcp }, server)).body.error).toBe('invalid_target');
  });
  test('the resource of the login is the audience of its tokens, and a refresh retains it', async () => {
    const given = await loginThrough(clientId, at('owner'), 'order:rw offline_access', { resource: mcp });
    expect(claims(given.access_token)).toMatchObject({ aud: mcp, client_id: clientId });
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: given.refresh_token! };
    expect((await tokens({ ...form, resource: 'urn:svc:api' })).body.error).toBe('invalid_target');
    const next = await tokens({ ...form, resource: mcp });
    expect(claims(next.body.access_token)['aud']).toBe(mcp);
    const last = await tokens({ ...form, refresh_token: next.body.refresh_token! });
    expect(claims(last.body.access_token)['aud']).toBe(mcp);
  });
  test('a code that was not asked for with the resource gives no token for it, and is not used up by asking', async () => {
    const { url, verifier } = authorizeUrl({ client_id: clientId, redirect_uri: APP });
    const code = (await new Browser().login(url, at('owner'), APP)).searchParams.get('code')!;
    const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: APP, code_verifier: verifier };
    expect((await tokens({ ...form, resource: mcp })).body.error).toBe('invalid_target');
    expect(claims((await tokens(form)).body.access_token)['aud']).toBe('urn:svc:api');
  });
  test('its tokens are 401 everywhere else, also at the exchange', async () => {
    const { access_token: token } = await loginThrough(clientId, at('owner'), null, { resource: mcp });
    const named = { authorization: `Bearer ${token}`, 'x-store-id': shop.store.storeId };
    for (const path of ['/v1/store', '/me/stores', '/v1/webhooks', '/webhooks'])
      expect((await call(underTest.api, 'GET', path, { headers: named })).status).toBe(401);
    const exchanged = await exchange(token, shop.store.storeId, { client_id: clientId });
    expect(exchanged).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
  test('scopes are those that client and request share; a scope that nobody has is refused', async () => {
    const every = 'product:rw order:rw store:rw audit:r offline_access';
    expect((await loginThrough(narrowId, at('owner'), every, { resource: mcp })).scope.split(' ').toSorted()).toEqual(
      ['offline_access', 'order:r', 'store:rw'].toSorted(),
    );
    expect(await refused({ client_id: narrowId, resource: mcp, scope: 'product:rw' })).toBe('invalid_scope');
    expect(await refused({ client_id: narrowId, resource: mcp, scope: 'order:r made:up' })).toBe('invalid_scope');
    expect(await refused({ client_id: narrowId, scope: 'order:rw' })).toBe('invalid_scope');
  });
});
