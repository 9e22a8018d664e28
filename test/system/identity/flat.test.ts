/** Whatever goes wrong under /oauth2 is told flat, as the RFCs have it, small, and never with a 500. */
import { beforeAll, expect, test } from '@jest/globals';
import { APP, authorizeUrl, basic, Browser, loginAs, people, storeToken } from '../../kernel/login.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: string;
let user: string;
beforeAll(async () => {
  shop = await world();
  await people(shop);
  const email = `owner@${shop.store.storeCode}.example`;
  owner = await storeToken(email, shop.store.storeId);
  user = (await loginAs(email)).user.access_token;
});

const LARGEST = 64 * 1024;
async function refused(path: string, init: RequestInit = {}): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${underTest.api}${path}`, { redirect: 'manual', ...init });
  const text = await response.text();
  const size = text.length + [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  expect([path.slice(0, 60), size < LARGEST]).toEqual([path.slice(0, 60), true]);
  return { status: response.status, body: JSON.parse(text) as Record<string, unknown>, headers: response.headers };
}
const json = (body: unknown, token = owner, more: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...more },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

test('every refused registration is flat', async () => {
  const registration = { client_name: 'n', grant_types: ['authorization_code'], redirect_uris: [APP], scope: 'order:r' };
  const staff = await storeToken(`staff@${shop.store.storeCode}.example`, shop.store.storeId);
  const cases: readonly (readonly [RequestInit, number, string])[] = [
    [json(registration, user), 400, 'invalid_request'],
    [json(registration, user, { 'x-store-id': 'sto_none' }), 403, 'access_denied'],
    [json(registration, 'x'), 401, 'invalid_token'],
    [json(registration, staff), 403, 'access_denied'],
    [json('{', owner), 400, 'invalid_request'],
    [json(registration, owner, { 'content-type': 'text/plain' }), 415, 'invalid_request'],
    [json({ ...registration, client_name: 'x'.repeat(300_000) }), 413, 'invalid_request'],
  ];
  for (const [init, status, error] of cases) {
    const reply = await refused('/oauth2/register', init);
    expect([reply.status, reply.body]).toEqual([status, { error, error_description: expect.any(String) }]);
    expect(reply.headers.get('cache-control')).toBe('no-store');
  }
});

test('WWW-Authenticate names an error only for a token that was sent', async () => {
  const challenge = async (headers: Record<string, string>) =>
    (
      await refused('/oauth2/register', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
    ).headers.get('www-authenticate');
  expect(await challenge({})).toBe('Bearer');
  expect(await challenge({ authorization: 'Bearer x' })).toBe('Bearer error="invalid_token"');
});

test('addresses and methods that are not there', async () => {
  for (const path of ['/oauth2/none', '/oauth2/consent', '/oauth2/token/x']) {
    const reply = await refused(path);
    expect([path, reply.status, reply.body]).toEqual([path, 404, { error: 'invalid_request', error_description: expect.any(String) }]);
  }
  for (const [method, path] of [
    ['GET', '/oauth2/token'],
    ['DELETE', '/oauth2/register'],
    ['POST', '/oauth2/authorize'],
  ] as const) {
    const reply = await refused(path, { method });
    expect([path, reply.status, reply.body]).toEqual([path, 405, { error: 'invalid_request', error_description: expect.any(String) }]);
    expect(reply.headers.get('allow')).not.toBeNull();
  }
});

test('the largest requests get small refusals', async () => {
  const long = 'x'.repeat(200_000);
  const many = Array.from({ length: 20_000 }, (_, i) => `p${i}=1`).join('&');
  const form = (body: string, headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
  const server = basic(shop.store.clientId, shop.store.clientSecret);
  const uris = Array.from({ length: 10_000 }, (_, i) => `http://evil${i}.example`);
  const registration = { client_name: 'n', grant_types: ['authorization_code'], redirect_uris: [APP], scope: 'order:r' };
  const forms = [
    many,
    `a=${long}`,
    `grant_type=${long}`,
    `grant_type=client_credentials&scope=${long}`,
    `grant_type=client_credentials&scope=${Array.from({ length: 30_000 }, (_, i) => `s${i}`).join('+')}`,
    `grant_type=refresh_token&refresh_token=${long}`,
    `grant_type=authorization_code&code=${long}&redirect_uri=${long.slice(0, 20_000)}&code_verifier=${long.slice(0, 20_000)}`,
    `grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=${long}&subject_token_type=${long.slice(0, 9000)}`,
    `grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=${long}&subject_token_type=urn:svc:params:oauth:token-type:member-ref`,
    `client_id=${long}&grant_type=refresh_token&refresh_token=x`,
  ];
  for (const body of forms)
    for (const headers of [server, {}]) expect((await refused('/oauth2/token', form(body, headers))).status).toBeLessThan(500);
  for (const changes of [
    { redirect_uris: uris },
    { redirect_uris: [`https://a.example/${long}`] },
    { redirect_uris: [`${'é'.repeat(90)}${long}`] },
    { grant_types: uris },
    { scope: long },
    { scope: Array.from({ length: 30_000 }, (_, i) => `s${i}`).join(' ') },
    { client_name: long },
    { client_name: '\ud800' },
    { token_endpoint_auth_method: long },
    { zz: '['.repeat(100) },
  ]) {
    const reply = await refused('/oauth2/register', json({ ...registration, ...changes }));
    expect([Object.keys(changes), reply.status]).toEqual([Object.keys(changes), expect.any(Number)]);
    expect(reply.status).toBeLessThan(500);
  }
  for (const nested of ['['.repeat(120_000), `{"zz":${'['.repeat(60_000)}${']'.repeat(60_000)}}`])
    expect((await refused('/oauth2/register', json(nested))).status).toBeLessThan(500);
});

test('odd ids of a question are as unknown as any', async () => {
  for (const id of ['%00', 'x', '%ff', '%F0%9F%98%80', '__proto__', 'x'.repeat(5000)])
    for (const path of [`/oauth2/consent/${id}`, `/oauth2/consent/${id}/decision`])
      expect([path.slice(0, 40), (await refused(path)).status]).toEqual([path.slice(0, 40), 400]);
  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'decision=allow' };
  expect((await refused('/oauth2/consent/%00/decision', form)).status).toBe(400);
});

test('an authorization that is refused sends no long state back', async () => {
  const { url } = authorizeUrl({ state: 'a'.repeat(10_000) });
  const location = new URL((await new Browser().open(url)).headers.get('location')!);
  expect([location.searchParams.get('error'), location.searchParams.get('state')]).toEqual(['invalid_request', null]);
  expect(location.href.length).toBeLessThan(1000);
});
