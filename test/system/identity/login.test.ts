/** The ways in for people, seen from outside (docs/contract.md#oauth). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ownApi } from '../../kernel/api.ts';
import { call } from '../../../bin/dev/client.ts';
import {
  ACCESS_TOKEN,
  authorizeUrl,
  basic,
  Browser,
  CALLBACK,
  CONSOLE,
  exchange,
  loginAs,
  people,
  storeToken,
  TOKEN_EXCHANGE,
  tokens,
} from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let rival: World;
const at = (role: string, store: World) => `${role}@${store.store.storeCode}.example`;
const bearer = (token: string, more: Record<string, string> = {}) => ({ headers: { authorization: `Bearer ${token}`, ...more } });
const claims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;

beforeAll(async () => {
  [shop, rival] = await Promise.all([world(), world()]);
  await Promise.all([people(shop), people(rival)]);
});

describe('authorize', () => {
  test('a login at the provider gives a code for one user token', async () => {
    const { back, user, redeem } = await loginAs(at('owner', shop));
    expect(back.searchParams.get('state')).toBe('a-state');
    expect(back.searchParams.get('iss')).toBe(underTest.api);
    expect(user).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect(user.refresh_token).toBeUndefined();
    expect(claims(user.access_token)).toMatchObject({ use: 'user', origin: 'console', client_id: CONSOLE, auth_time: expect.any(Number) });
    const stores = await call(underTest.api, 'GET', '/me/stores', bearer(user.access_token));
    expect(stores.body.data.items).toEqual([expect.objectContaining({ storeId: shop.store.storeId, role: 'OWNER' })]);
    // A replayed code kills what it gave.
    expect(await redeem()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await call(underTest.api, 'GET', '/me/stores', bearer(user.access_token))).status).toBe(401);
  });

  const faults: readonly (readonly [string, Record<string, string | null>, string])[] = [
    ['no state', { state: null }, 'invalid_request'],
    ['no challenge', { code_challenge: null }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: null }, 'invalid_request'],
    ['a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['a fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['a request object', { request: 'x' }, 'request_not_supported'],
    ['another scope', { scope: 'member:delegate' }, 'invalid_scope'],
  ];
  test.each(faults)('%s goes back to the client as an error', async (_, changes, error) => {
    const { headers } = await fetch(authorizeUrl(changes).url, { redirect: 'manual' });
    const location = new URL(headers.get('location')!);
    expect(location.href.startsWith(CALLBACK)).toBe(true);
    expect([location.searchParams.get('error'), location.searchParams.get('iss')]).toEqual([error, underTest.api]);
  });

  const strangers = [
    'https://evil.example/cb',
    `${CALLBACK}/x`,
    `${CALLBACK}?a=1`,
    'http://127.0.0.1:4999/CALLBACK',
    'http://127.0.0.1:4999@evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://localhost/callback',
    'javascript:alert(1)',
  ];
  test.each(strangers)('nobody is ever sent to %s', async (uri) => {
    const response = await fetch(authorizeUrl({ redirect_uri: uri }).url, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });
  test('a loopback redirect may use any port (RFC 8252)', async () => {
    const response = await fetch(authorizeUrl({ redirect_uri: 'http://127.0.0.1:51234/callback' }).url, { redirect: 'manual' });
    expect(response.headers.get('location')).not.toContain('51234');
    expect(response.status).toBe(302);
    for (const more of [{}, { response_type: 'token' }]) {
      const none = await fetch(authorizeUrl({ redirect_uri: 'http://127.0.0.1:65536/callback', ...more }).url, { redirect: 'manual' });
      expect([none.status, await none.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_redirect_uri' })]);
    }
  });
  test('a request that cannot be trusted is not redirected', async () => {
    for (const url of [authorizeUrl({ client_id: 'nope' }).url, `${authorizeUrl().url}&state=b`, `${authorizeUrl().url}&x=%00`]) {
      const response = await fetch(url, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    }
  });
  test('the way back works only in the browser that began', async () => {
    const { url } = authorizeUrl();
    const mine = new Browser();
    const provider = (await mine.open(url)).headers.get('location')!;
    const state = new URL(provider).searchParams.get('state')!;
    const stolen = await new Browser().open(`${underTest.api}/oauth2/callback?state=${state}&code=x`);
    expect(stolen.status).toBe(400);
  });
  test('a way back that nobody began takes nothing from the login that is under way', async () => {
    const mine = new Browser();
    const provider = (await mine.open(authorizeUrl().url)).headers.get('location')!;
    for (const stray of ['', '?state=x&code=x', `?state=${'x'.repeat(43)}&error=access_denied`])
      expect((await mine.open(`${underTest.api}/oauth2/callback${stray}`)).status).toBe(400);
    const back = (await mine.walk(provider, at('owner', shop))) as URL;
    expect(back.searchParams.get('code')).toEqual(expect.any(String));
  });
  test('a login behind a TLS proxy has a cookie for https only', async () => {
    const { api, stop } = await ownApi({ PUBLIC_URL: 'https://shop.example' });
    try {
      const begun = await fetch(authorizeUrl({}, api).url, { redirect: 'manual' });
      const provider = new URL(begun.headers.get('location')!);
      expect(provider.searchParams.get('redirect_uri')).toBe('https://shop.example/oauth2/callback');
      expect(begun.headers.get('set-cookie')).toMatch(/^svc_login=[\w-]{43}; path=\/oauth2\/callback; .*samesite=lax; secure; httponly$/);
    } finally {
      stop();
    }
  });
});

describe('token', () => {
  test('a token for another resource is not to be had (RFC 8707)', async () => {
    const { url } = authorizeUrl({ resource: 'https://elsewhere.example' });
    expect(new URL((await new Browser().open(url)).headers.get('location')!).searchParams.get('error')).toBe('invalid_target');
    const form = { grant_type: 'client_credentials', resource: 'https://elsewhere.example' };
    const credentials = basic(shop.store.clientId, shop.store.clientSecret);
    expect((await tokens(form, credentials)).body.error).toBe('invalid_target');
    expect((await tokens({ ...form, resource: 'urn:svc:api' }, credentials)).status).toBe(200);
  });
  test('of 20 parallel redemptions of one code one succeeds', async () => {
    const { url, verifier } = authorizeUrl();
    const code = (await new Browser().login(url, at('owner', shop))).searchParams.get('code')!;
    const form = { grant_type: 'authorization_code', client_id: CONSOLE, code, redirect_uri: CALLBACK, code_verifier: verifier };
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => tokens(form)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
  test('a code is refused with a wrong verifier or redirect', async () => {
    const wrong: readonly Record<string, string>[] = [{ code_verifier: 'x'.repeat(43) }, { redirect_uri: `${CALLBACK}x` }, { code: 'x' }];
    for (const changes of wrong) {
      const { url, verifier } = authorizeUrl();
      const code = (await new Browser().login(url, at('owner', shop))).searchParams.get('code')!;
      const form = { grant_type: 'authorization_code', client_id: CONSOLE, code, redirect_uri: CALLBACK, code_verifier: verifier };
      expect(await tokens({ ...form, ...changes })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
  });

  test('refresh tokens rotate, and reuse ends the session', async () => {
    const { user } = await loginAs(at('owner', shop), 'product:r offline_access');
    const refresh = (token: string, more = {}) =>
      tokens({ grant_type: 'refresh_token', client_id: CONSOLE, refresh_token: token, ...more });
    const lost = (await refresh(user.refresh_token!)).body;
    const again = (await refresh(user.refresh_token!)).body;
    expect(again.refresh_token).toBeDefined();
    // The discarded successor is dead, and using it is reuse.
    const second = await refresh(again.refresh_token!);
    expect(second.status).toBe(200);
    expect(await refresh(lost.refresh_token!)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await refresh(second.body.refresh_token!, { scope: 'order:rw' })).toMatchObject({ body: { error: 'invalid_scope' } });
    const third = await refresh(second.body.refresh_token!);
    expect(third.status).toBe(200);
    expect(await refresh(user.refresh_token!)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await refresh(third.body.refresh_token!)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect((await call(underTest.api, 'GET', '/me/stores', bearer(third.body.access_token))).status).toBe(401);
  });
  test('parallel refreshes leave one living line', async () => {
    const { user } = await loginAs(at('owner', shop), 'product:r offline_access');
    const form = { grant_type: 'refresh_token', client_id: CONSOLE, refresh_token: user.refresh_token! };
    const all = await Promise.all(Array.from({ length: 10 }, () => tokens(form)));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    const [{ alive }] = (await query<{ alive: number }>(
      `SELECT count(*)::int AS alive FROM refresh_token WHERE used_at IS NULL AND login_id = $1`,
      [claims(user.access_token)['login_id']],
    )) as [{ alive: number }];
    expect(alive).toBe(1);
  });

  test('the exchange gives the role’s scopes in the person’s stores alone', async () => {
    const { user } = await loginAs(at('staff', shop));
    const given = await exchange(user.access_token, shop.store.storeId);
    expect(given).toMatchObject({ status: 200, body: { issued_token_type: ACCESS_TOKEN } });
    expect(given.body.scope.split(' ').toSorted()).toEqual(
      ['product:rw', 'category:rw', 'order:rw', 'claim:rw', 'inquiry:rw', 'review:rw', 'customer:r', 'store:r'].toSorted(),
    );
    const refusals = await Promise.all([exchange(user.access_token, rival.store.storeId), exchange(user.access_token, 'sto_none')]);
    const [foreign, unknown] = refusals;
    expect([foreign.status, foreign.body]).toEqual([unknown.status, unknown.body]);
    expect(foreign.body.error).toBe('invalid_target');
    expect((await exchange(user.access_token, shop.store.storeId, { scope: 'store:rw' })).body.error).toBe('invalid_scope');
    expect((await exchange(user.access_token, shop.store.storeId, { scope: 'order:r' })).body.scope).toBe('order:r');
    expect((await exchange(given.body.access_token, shop.store.storeId)).body.error).toBe('invalid_request');
    const deputy = await tokens(
      { grant_type: TOKEN_EXCHANGE, subject_token: user.access_token, subject_token_type: ACCESS_TOKEN, audience: shop.store.storeId },
      basic(shop.store.clientId, shop.store.clientSecret),
    );
    expect(deputy.status).toBe(400);
  });
  test('without client_id the subject token tells which public client it is', async () => {
    const { user } = await loginAs(at('owner', shop));
    const form = {
      grant_type: TOKEN_EXCHANGE,
      subject_token: user.access_token,
      subject_token_type: ACCESS_TOKEN,
      audience: shop.store.storeId,
    };
    expect((await tokens(form)).status).toBe(200);
  });
  test('a buyer is delegated by address for 30 minutes', async () => {
    const form = {
      grant_type: TOKEN_EXCHANGE,
      subject_token: 'Buyer@Example.com',
      subject_token_type: 'urn:svc:params:oauth:token-type:member-ref',
    };
    const server = basic(shop.store.clientId, shop.store.clientSecret);
    const one = await tokens(form, server);
    const two = await tokens({ ...form, subject_token: 'buyer@example.com' }, server);
    expect(one).toMatchObject({ status: 200, body: { expires_in: 1800 } });
    expect(one.body.refresh_token).toBeUndefined();
    expect(claims(one.body.access_token)).toMatchObject({
      use: 'member',
      store_id: shop.store.storeId,
      sub: claims(two.body.access_token)['sub'],
    });
    expect((await tokens({ ...form, client_id: CONSOLE })).body.error).toBe('unauthorized_client');
  });
});

describe('a person’s token', () => {
  test('works with X-Store-Id as after an exchange', async () => {
    const { user } = await loginAs(at('owner', shop));
    const send = (more: Record<string, string>) => call(underTest.api, 'GET', '/v1/products', bearer(user.access_token, more));
    expect((await send({ 'x-store-id': shop.store.storeId })).status).toBe(200);
    expect((await send({})).body.error?.code).toBe('STORE_REQUIRED');
    for (const foreign of [rival.store.storeId, 'sto_none'])
      expect((await send({ 'x-store-id': foreign })).body.error?.code).toBe('TENANT_MISMATCH');
  });
  test('is worth what the role is worth now', async () => {
    const token = await storeToken(at('admin', shop), shop.store.storeId);
    const patch = () => call(underTest.api, 'PATCH', '/v1/store', { body: { autoConfirmDays: 5 }, ...bearer(token) });
    expect((await patch()).status).toBe(200);
    await query(`UPDATE member SET role = 'STAFF' WHERE user_id = $1`, [claims(token)['sub']]);
    expect((await patch()).body.error?.code).toBe('INSUFFICIENT_SCOPE');
    await query('DELETE FROM member WHERE user_id = $1', [claims(token)['sub']]);
    expect((await patch()).status).toBe(401);
  });
});
