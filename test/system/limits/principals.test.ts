/** Whoever makes many tokens has no more requests for it: wider windows of principal, person, store and address. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { newAddress, ownApi } from '../../kernel/api.ts';
import { APP, authorizeUrl, basic, Browser, exchange, loginAs, loginThrough, people, registerApp, tokens } from '../../kernel/login.ts';
import { emailOf, mcpAddress, mcpToken, post } from '../../kernel/mcp.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

/** A token's; twice as many for a principal, 5 times for a person, 10 times for a store and for the members behind one address. */
const LIMIT = 2;
let limited: Awaited<ReturnType<typeof ownApi>>;
beforeAll(async () => {
  limited = await ownApi({ RATE_LIMIT_PER_MINUTE: String(LIMIT), PUBLIC_URL: underTest.api });
}, 30_000);
afterAll(() => limited.stop());

const bearer = (token: string): Headers_ => ({ authorization: `Bearer ${token}`, 'x-forwarded-for': newAddress() });
const read = (headers: Headers_, path = '/v1/store') => call(limited.api, 'GET', path, { headers });
const repeat = async <T>(times: number, one: (i: number) => Promise<T>): Promise<T[]> => {
  const seen: T[] = [];
  for (let i = 0; i < times; i++) seen.push(await one(i));
  return seen;
};
/** As many requests as a token may make, one after the other. */
const spend = async (token: string, more: Headers_ = {}): Promise<number[]> =>
  (await repeat(LIMIT, () => read({ ...bearer(token), ...more }))).map(({ status }) => status);
const facts = ({ status, headers, body }: Reply) => [
  status,
  body.error?.code ?? 'OK',
  headers.get('ratelimit-limit'),
  headers.get('ratelimit-remaining'),
  headers.get('retry-after') === (status === 429 ? headers.get('ratelimit-reset') : null),
];
const OK = [200, 200];
const REFUSED = [429, 429];

const SCOPES = ['store:r', 'order:r', 'product:r', 'category:r', 'review:r', 'claim:r'] as const;
interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}
const mint = ({ clientId, clientSecret }: Credentials, scope: string, api = underTest.api, address = newAddress()) =>
  tokens({ grant_type: 'client_credentials', scope }, { ...basic(clientId, clientSecret), 'x-forwarded-for': address }, api);
/** Tokens of a server; each has other scopes, and all may read the store. */
const serverTokens = (client: Credentials, n: number): Promise<string[]> =>
  repeat(n, async (i) => (await mint(client, `store:r ${SCOPES[i]}`)).body.access_token);

interface Staffed {
  readonly shop: World;
  /** The owner's token for the store, and the one before the exchange. */
  readonly owner: string;
  readonly user: string;
}
async function staffed(): Promise<Staffed> {
  const shop = await world();
  await people(shop);
  const { user } = await loginAs(emailOf(shop, 'owner'));
  const { body } = await exchange(user.access_token, shop.store.storeId);
  return { shop, owner: body.access_token, user: user.access_token };
}
const issue = async ({ owner }: Staffed, purpose: 'plain' | 'agent'): Promise<string> => {
  const body = { name: purpose, scopes: ['store:r'], purpose };
  const reply = await call(underTest.api, 'POST', '/v1/store/api-tokens', { body, headers: bearer(owner) });
  return reply.body.data.token as string;
};
async function newServer({ owner }: Staffed): Promise<Credentials> {
  const response = await fetch(`${underTest.api}/oauth2/register`, {
    method: 'POST',
    headers: { ...bearer(owner), 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'server', grant_types: ['client_credentials'], scope: SCOPES.join(' ') }),
  });
  const { client_id: clientId, client_secret: clientSecret } = (await response.json()) as Record<string, string>;
  return { clientId: clientId!, clientSecret: clientSecret! };
}

describe('the tokens', () => {
  test('of one API client have two tokens’ requests together, and the headers tell which window is the narrowest', async () => {
    const { store } = await world();
    const [first, second, third] = (await serverTokens(store, 3)) as [string, string, string];
    expect(facts(await read(bearer(first)))).toEqual([200, 'OK', '2', '1', true]);
    expect(facts(await read(bearer(first)))).toEqual([200, 'OK', '2', '0', true]);
    // Refused by its token's window, it takes nothing of the client's.
    for (const reply of await repeat(5, () => read(bearer(first))))
      expect(facts(reply)).toEqual([429, 'TOO_MANY_REQUESTS', '2', '0', true]);
    expect(facts(await read(bearer(second)))).toEqual([200, 'OK', '2', '1', true]);
    // The token has one request left, and so has its client.
    expect(facts(await read(bearer(third)))).toEqual([200, 'OK', '4', '0', true]);
    // Now both are full: the one that ends last is shown.
    expect(facts(await read(bearer(third)))).toEqual([429, 'TOO_MANY_REQUESTS', '2', '0', true]);
    expect(facts(await read(bearer((await serverTokens(store, 1))[0]!)))).toEqual([429, 'TOO_MANY_REQUESTS', '4', '0', true]);
    const other = await world();
    expect((await read(bearer(other.seller.bearer))).status).toBe(200);
  });
  test.each(['plain', 'agent'] as const)(
    'that one person issued, %s, have two tokens’ requests together; their console goes on',
    async (purpose) => {
      const staff = await staffed();
      const issued = await repeat(3, () => issue(staff, purpose));
      expect(await repeat(3, (i) => spend(issued[i]!))).toEqual([OK, OK, REFUSED]);
      expect(await spend(staff.owner)).toEqual(OK);
    },
  );
  test('of one agent at /mcp have two tokens’ requests together; the person’s console goes on', async () => {
    const { shop, owner } = await staffed();
    const { token, clientId } = await mcpToken(shop, owner, 'owner');
    const again = () => loginThrough(clientId, emailOf(shop, 'owner'), null, { resource: mcpAddress() });
    const all = [token, (await again()).access_token, (await again()).access_token];
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const statuses = await repeat(3, (i) => repeat(LIMIT, async () => (await post(all[i]!, ping, {}, limited.api)).status));
    expect(statuses).toEqual([[400, 400], [400, 400], REFUSED]);
    expect(await spend(owner)).toEqual(OK);
  });
  test('of one person have five tokens’ requests through all their clients; their colleague goes on', async () => {
    const staff = await staffed();
    const { shop, owner, user } = staff;
    const named = { 'x-store-id': shop.store.storeId };
    const apps = await repeat(2, async () => (await registerApp(owner)).client_id);
    const seen = [
      await spend(owner),
      await spend(user, named),
      await spend(await issue(staff, 'plain')),
      await spend(await issue(staff, 'agent')),
    ];
    for (const app of apps) seen.push(await spend((await loginThrough(app, emailOf(shop, 'owner'))).access_token, named));
    expect(seen).toEqual([OK, OK, OK, OK, OK, REFUSED]);
    const colleague = (await loginAs(emailOf(shop, 'admin'))).user.access_token;
    expect(await spend(colleague, named)).toEqual(OK);
  }, 60_000);
  test('of one member, and of all members behind one address, have wider windows of their own', async () => {
    const shop = await world();
    const member = await shop.member();
    const path = '/storefront/v1/me/orders';
    expect((await repeat(3, () => read(member.headers, path))).map(({ status }) => status)).toEqual([200, 200, 429]);
    const address = newAddress();
    const neighbours = await repeat(11, () => shop.member());
    const seen = await repeat(11, async (i) =>
      (await repeat(LIMIT, () => read({ ...neighbours[i]!.headers, 'x-forwarded-for': address }, path))).map(({ status }) => status),
    );
    expect(seen).toEqual([...Array.from({ length: 10 }, () => OK), REFUSED]);
    expect((await read({ ...neighbours[10]!.headers, 'x-forwarded-for': newAddress() }, path)).status).toBe(429);
    expect((await read({ ...(await shop.member()).headers, 'x-forwarded-for': newAddress() }, path)).status).toBe(200);
  }, 60_000);
});

describe('a store', () => {
  test('has ten tokens’ requests, whoever makes them; its buyers and other stores go on', async () => {
    const staff = await staffed();
    const { shop, owner, user } = staff;
    const named = { 'x-store-id': shop.store.storeId };
    const servers = [shop.store, await newServer(staff), await newServer(staff), await newServer(staff)];
    // Strangers who name it take nothing of it.
    const strangers = await repeat(6, () => world());
    const refused = await repeat(6, (i) => spend(strangers[i]!.seller.bearer, named));
    expect(new Set(refused.flat())).toEqual(new Set([403]));
    const seen = [await spend(owner), await spend(user, named)];
    for (const server of servers) for (const token of await serverTokens(server, 2)) seen.push(await spend(token));
    expect(seen).toEqual(Array.from({ length: 10 }, () => OK));
    const colleague = (await loginAs(emailOf(shop, 'admin'))).user.access_token;
    const full = await read({ ...bearer(colleague), ...named });
    expect(facts(full)).toEqual([429, 'TOO_MANY_REQUESTS', '20', '0', true]);
    const { token } = await mcpToken(shop, owner, 'admin');
    expect((await post(token, { jsonrpc: '2.0', id: 1, method: 'ping' }, {}, limited.api)).status).toBe(429);
    const path = '/storefront/v1/store';
    expect((await read({ 'x-store-code': shop.store.storeCode, 'x-forwarded-for': newAddress() }, path)).status).toBe(200);
    expect((await read((await shop.member()).headers, '/storefront/v1/me/orders')).status).toBe(200);
    expect((await read(bearer((await world()).seller.bearer))).status).toBe(200);
  }, 120_000);
});

describe('making tokens', () => {
  test('counts as requests of the client that has proved itself, from whatever address', async () => {
    const { store } = await world();
    // Whoever knows its id alone takes nothing of it.
    const wrong = await repeat(6, () => mint({ ...store, clientSecret: 'wrong' }, 'store:r', limited.api));
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([401]));
    const made = await repeat(5, () => mint(store, 'store:r', limited.api));
    expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    const refused = made[4]!;
    expect(refused.body).toMatchObject({ error: 'temporarily_unavailable' });
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    expect(facts(await read(bearer((await serverTokens(store, 1))[0]!)))).toEqual([429, 'TOO_MANY_REQUESTS', '4', '0', true]);
  });
  test('for buyers counts as requests of the client too', async () => {
    const { store } = await world();
    const delegate = (i: number) =>
      tokens(
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: `m${i}@example.com`,
          subject_token_type: 'urn:svc:params:oauth:token-type:member-ref',
        },
        { ...basic(store.clientId, store.clientSecret), 'x-forwarded-for': newAddress() },
        limited.api,
      );
    expect((await repeat(5, delegate)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
  });
  test('by refresh, code and exchange counts for the person, and what is refused uses up neither', async () => {
    const { shop, owner } = await staffed();
    const { client_id: client } = await registerApp(owner);
    const email = emailOf(shop, 'owner');
    let { refresh_token: refresh } = await loginThrough(client, email, 'store:r offline_access');
    const renew = (api = limited.api) =>
      tokens({ grant_type: 'refresh_token', client_id: client, refresh_token: refresh! }, { 'x-forwarded-for': newAddress() }, api);
    for (let i = 0; i < 4; i++) {
      const renewed = await renew();
      expect(renewed.status).toBe(200);
      refresh = renewed.body.refresh_token;
    }
    const refused = await renew();
    expect([refused.status, refused.body]).toEqual([429, { error: 'temporarily_unavailable', error_description: expect.any(String) }]);
    const renewed = await renew(underTest.api);
    expect(renewed.status).toBe(200);

    const { url, verifier } = authorizeUrl({ client_id: client, redirect_uri: APP, scope: 'store:r' });
    const code = (await new Browser().login(url, email, APP)).searchParams.get('code')!;
    const redeem = (api: string) =>
      tokens(
        { grant_type: 'authorization_code', client_id: client, code, redirect_uri: APP, code_verifier: verifier },
        { 'x-forwarded-for': newAddress() },
        api,
      );
    expect([(await redeem(limited.api)).status, (await redeem(underTest.api)).status]).toEqual([429, 200]);
    const user = renewed.body.access_token;
    expect((await exchange(user, shop.store.storeId, { client_id: client }, limited.api)).status).toBe(429);
  }, 60_000);
});
