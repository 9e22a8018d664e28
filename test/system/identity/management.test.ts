/** API tokens, registered clients and what only people at the console may do. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { isApiToken, newApiToken } from '../../../db/identity/apiTokens.ts';
import { call } from '../../../bin/dev/client.ts';
import { authorizeUrl, basic, Browser, exchange, loginAs, people, storeToken, tokens } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let rival: World;
let owner: string;
let staff: string;
const at = (role: string, store = shop) => `${role}@${store.store.storeCode}.example`;
const request = (token: string, method: string, path: string, body?: unknown, headers = {}) =>
  call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}`, ...headers } });

beforeAll(async () => {
  [shop, rival] = await Promise.all([world(), world()]);
  await Promise.all([people(shop), people(rival)]);
  [owner, staff] = await Promise.all([storeToken(at('owner'), shop.store.storeId), storeToken(at('staff'), shop.store.storeId)]);
});

describe('API tokens', () => {
  test('work within their scopes until they are revoked', async () => {
    const made = await request(owner, 'POST', '/v1/store/api-tokens', { name: 'erp', scopes: ['order:r', 'product:rw'] });
    expect(made.status).toBe(201);
    const { token, tokenId, expiresAt, createdAt } = made.body.data;
    expect(isApiToken(token)).toBe(true);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(90 * 86_400_000);
    expect((await request(token, 'GET', '/v1/orders')).status).toBe(200);
    expect((await request(token, 'POST', '/v1/order-items/x/confirm', {})).body.error?.code).toBe('INSUFFICIENT_SCOPE');
    const [listed] = (await request(owner, 'GET', '/store/api-tokens')).body.data.items;
    expect(listed).toMatchObject({ tokenId, tokenPrefix: token.slice(0, 11), createdByName: 'owner', lastUsedAt: expect.any(String) });
    expect(JSON.stringify(listed)).not.toContain(token);
    const [{ stored }] = (await query<{ stored: string }>('SELECT t::text AS stored FROM api_token t WHERE token_id = $1', [tokenId])) as [
      { stored: string },
    ];
    expect(stored).not.toContain(token.slice(12, 40));
    expect((await request(owner, 'DELETE', `/v1/store/api-tokens/${tokenId}`)).body).toMatchObject({ data: null, meta: { status: 200 } });
    expect((await request(token, 'GET', '/v1/orders')).status).toBe(401);
    expect((await request(owner, 'DELETE', `/v1/store/api-tokens/${tokenId}`)).body.error?.code).toBe('API_TOKEN_NOT_FOUND');
  });
  test('of one idempotency key are one token', async () => {
    const never = await request(
      owner,
      'POST',
      '/v1/store/api-tokens',
      { name: 'x', scopes: ['order:r'], expiresInDays: null, purpose: 'agent' },
      { 'idempotency-key': 'k' },
    );
    expect(never.body.data).toMatchObject({ expiresAt: null, purpose: 'agent' });
    const again = await request(
      owner,
      'POST',
      '/v1/store/api-tokens',
      { name: 'x', scopes: ['order:r'], expiresInDays: null, purpose: 'agent' },
      { 'idempotency-key': 'k' },
    );
    expect(again.body.data.token).toBe(never.body.data.token);
  });
  test('end when they expire', async () => {
    const { token, tokenId } = (await request(owner, 'POST', '/v1/store/api-tokens', { name: 'y', scopes: ['order:r'], expiresInDays: 1 }))
      .body.data;
    await query(`UPDATE api_token SET expires_at = now() - interval '1 second' WHERE token_id = $1`, [tokenId]);
    expect((await request(token, 'GET', '/v1/orders')).status).toBe(401);
  });
  test('are worth what their issuer is worth now', async () => {
    const admin = await storeToken(at('admin'), shop.store.storeId);
    const { token } = (await request(admin, 'POST', '/v1/store/api-tokens', { name: 'z', scopes: ['store:rw', 'order:r'] })).body.data;
    expect((await request(token, 'PATCH', '/v1/store', { autoConfirmDays: 3 })).status).toBe(200);
    for (const one of [token, shop.seller.bearer, staff])
      expect((await request(one, 'POST', '/v1/store/api-tokens', { zz: 1 })).body.error?.code).toBe('INSUFFICIENT_ROLE');
    await query(`UPDATE member SET role = 'STAFF' WHERE store_id = $1 AND role = 'ADMIN'`, [shop.store.storeId]);
    expect((await request(token, 'PATCH', '/v1/store', { autoConfirmDays: 3 })).body.error?.code).toBe('INSUFFICIENT_SCOPE');
    expect((await request(admin, 'GET', '/v1/store/api-tokens')).body.error?.code).toBe('INSUFFICIENT_ROLE');
    await query(`DELETE FROM member WHERE store_id = $1 AND user_id = (SELECT user_id FROM user_account WHERE email = $2)`, [
      shop.store.storeId,
      at('admin'),
    ]);
    expect((await request(token, 'GET', '/v1/orders')).status).toBe(401);
  });
  test('have no scope that their issuer does not hold', async () => {
    const { user } = await loginAs(at('owner'));
    const narrow = (await exchange(user.access_token, shop.store.storeId, { scope: 'order:rw' })).body.access_token;
    const refused = await request(narrow, 'POST', '/v1/store/api-tokens', { name: 'a', scopes: ['order:r', 'store:r'] });
    expect(refused.body.error?.fieldErrors).toEqual([expect.objectContaining({ field: 'scopes[1]', code: 'NOT_HELD' })]);
    const nobodys = await request(owner, 'POST', '/v1/store/api-tokens', { name: 'a', scopes: ['order:r', 'member:delegate'] });
    expect(nobodys.body.error?.fieldErrors).toEqual([expect.objectContaining({ field: 'scopes[1]', code: 'INVALID_VALUE' })]);
  });
  test('are refused when their checksum is wrong', async () => {
    for (let i = 0; i < 50; i++) expect(isApiToken(newApiToken())).toBe(true);
    const token = newApiToken();
    expect(isApiToken(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)).toBe(false);
    expect((await request(token, 'GET', '/v1/orders')).status).toBe(401);
  });
});

const register = async (token: string | null, body: unknown) => {
  const response = await fetch(`${underTest.api}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};
const SERVER = {
  client_name: 'erp',
  grant_types: ['client_credentials'],
  scope: 'product:rw',
  token_endpoint_auth_method: 'client_secret_basic',
};
const APP = {
  client_name: 'app',
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  scope: 'product:rw order:r',
  token_endpoint_auth_method: 'none',
};

describe('clients', () => {
  test('a confidential client works from its registration to its end', async () => {
    const made = await register(owner, { ...SERVER, client_id: 'evil', store_id: rival.store.storeId, unknown: 1 });
    expect(made).toMatchObject({
      status: 201,
      body: { client_name: 'erp', client_secret: expect.any(String), client_secret_expires_at: 0 },
    });
    const { client_id: id, client_secret: secret } = made.body as { client_id: string; client_secret: string };
    const { items: records } = (await request(owner, 'GET', `/v1/audit-logs?targetId=${id}`)).body.data;
    expect(records).toMatchObject([
      { source: 'REQUEST', action: 'clients.register', outcome: 'SUCCEEDED', statusCode: 201, target: { type: 'API_CLIENT', id } },
    ]);
    expect(JSON.stringify(records)).not.toContain(secret);
    const grant = (with_: string) => tokens({ grant_type: 'client_credentials' }, basic(id, with_));
    const issued = (await grant(secret)).body.access_token;
    const read = () => request(issued, 'GET', '/v1/products');
    expect((await read()).status).toBe(200);
    const shown = (await request(owner, 'GET', `/v1/store/api-clients/${id}`)).body.data;
    expect(shown).toMatchObject({
      clientId: id,
      secretPrefix: secret.slice(0, 9),
      createdByEmail: at('owner'),
      createdByName: 'owner',
      status: 'ACTIVE',
    });
    const rotated = (await request(owner, 'POST', `/store/api-clients/${id}/rotate-secret`, undefined)).body.data.clientSecret as string;
    expect([(await grant(secret)).status, (await grant(rotated)).status, (await read()).status]).toEqual([401, 200, 200]);
    expect((await request(owner, 'POST', `/v1/store/api-clients/${id}/deactivate`)).body.data.status).toBe('REVOKED');
    expect([(await grant(rotated)).status, (await read()).status]).toEqual([401, 401]);
    expect((await request(owner, 'POST', `/v1/store/api-clients/${id}/rotate-secret`)).body.error?.code).toBe('INVALID_STATUS');
    const list = async (query_: string) =>
      ((await request(owner, 'GET', `/v1/store/api-clients${query_}`)).body.data.items as { clientId: string }[]).map(
        (one) => one.clientId,
      );
    expect([(await list('')).includes(id), (await list('?status=ACTIVE')).includes(id)]).toEqual([true, false]);
  });
  test('a public client’s end is the end of its logins', async () => {
    const redirect = 'http://127.0.0.1/app';
    const made = await register(owner, { ...APP, redirect_uris: [redirect] });
    expect(made.body['client_secret']).toBeUndefined();
    const clientId = made.body['client_id']!;
    const { url, verifier } = authorizeUrl({
      client_id: clientId,
      redirect_uri: redirect.replace('/app', ':4999/app'),
      scope: 'product:r offline_access',
    });
    const code = (await new Browser().login(url, at('owner'), 'http://127.0.0.1:4999/app')).searchParams.get('code')!;
    const user = (
      await tokens({
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: 'http://127.0.0.1:4999/app',
        code_verifier: verifier,
      })
    ).body;
    const given = (await exchange(user.access_token, shop.store.storeId, { client_id: clientId })).body;
    expect(given.scope).toBe('product:r');
    expect((await request(given.access_token, 'GET', '/v1/products')).status).toBe(200);
    // A registered third party never counts as the console, whatever its user's role.
    expect((await request(given.access_token, 'GET', '/v1/store/api-clients')).body.error?.code).toBe('INSUFFICIENT_ROLE');
    expect((await exchange(user.access_token, rival.store.storeId, { client_id: clientId })).body.error).toBe('invalid_target');
    await request(owner, 'POST', `/v1/store/api-clients/${clientId}/deactivate`);
    expect((await request(given.access_token, 'GET', '/v1/products')).status).toBe(401);
    expect((await tokens({ grant_type: 'refresh_token', client_id: clientId, refresh_token: user.refresh_token! })).status).toBe(401);
    expect((await request(user.access_token, 'GET', '/me/stores')).status).toBe(401);
  });
  test('a registration beyond what its caller may is refused', async () => {
    const { user } = await loginAs(at('owner'));
    expect((await register(null, SERVER)).status).toBe(401);
    for (const one of [staff, shop.seller.bearer]) expect((await register(one, SERVER)).status).toBe(403);
    expect((await register(user.access_token, SERVER)).status).toBeGreaterThanOrEqual(400);
    for (const uri of [
      'http://app.example.com/cb',
      'javascript:alert(1)',
      'https://a.example/cb#f',
      'https://u:p@a.example/cb',
      'http://localhost.evil.com/cb',
      'http://127.0.0.1.evil.com/',
      'com.app:/cb',
      'data:text/html,x',
      '/rel',
    ])
      expect(await register(owner, { ...APP, redirect_uris: [uri] })).toMatchObject({
        status: 400,
        body: { error: 'invalid_redirect_uri' },
      });
    for (const uri of ['https://app.example.com/cb', 'http://127.0.0.1:3000/cb', 'http://localhost:3000/cb', 'http://[::1]:3000/cb'])
      expect((await register(owner, { ...APP, redirect_uris: [uri] })).status).toBe(201);
    const garbage = [
      null,
      [],
      1,
      'x',
      {},
      { client_name: 1 },
      { ...SERVER, grant_types: 'x' },
      { ...SERVER, grant_types: ['implicit'] },
      { ...SERVER, redirect_uris: [1] },
      { ...SERVER, scope: 5 },
      { ...SERVER, scope: 'admin:all' },
      { ...SERVER, client_name: 'a\u0000b' },
      // On the consent page nobody could read them as what they are.
      { ...SERVER, client_name: ' \u200b\u3164' },
      { ...SERVER, client_name: 'a\u202eb' },
      { ...APP, redirect_uris: [] },
      { ...APP, grant_types: ['client_credentials'], redirect_uris: [] },
    ];
    for (const body of garbage) {
      const reply = await register(owner, body);
      expect([JSON.stringify(body), reply.status, Object.keys(reply.body).toSorted()]).toEqual([
        JSON.stringify(body),
        400,
        ['error', 'error_description'],
      ]);
    }
  });
  test('a client of another store is TENANT_MISMATCH', async () => {
    for (const [method, tail] of [
      ['GET', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/deactivate'],
    ] as const) {
      expect((await request(owner, method, `/v1/store/api-clients/${rival.store.clientId}${tail}`)).body.error?.code).toBe(
        'TENANT_MISMATCH',
      );
      expect((await request(owner, method, `/v1/store/api-clients/none${tail}`)).body.error?.code).toBe('CLIENT_NOT_FOUND');
    }
  });
});

test('metadata name what is there (RFC 8414)', async () => {
  const read = async (path: string) => (await (await fetch(underTest.api + path)).json()) as Record<string, unknown>;
  expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
    issuer: underTest.api,
    code_challenge_methods_supported: ['S256'],
    token_endpoint: `${underTest.api}/oauth2/token`,
  });
  const { keys } = (await read('/.well-known/jwks.json')) as { keys: Record<string, unknown>[] };
  expect(keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' });
  expect(JSON.stringify(keys)).not.toContain('"d":');
});
