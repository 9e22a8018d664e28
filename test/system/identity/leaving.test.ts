/** What a person had in hand in a store ends with their membership and stays ended. */
import { beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { employ, loginAs, loginThrough, people, registerApp, storeToken, tokens } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: string;
let n = 0;
const request = (token: string, method: string, path: string, body?: unknown, headers = {}) =>
  call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}`, ...headers } });

beforeAll(async () => {
  shop = await world();
  await people(shop);
  owner = await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId);
});

/** An ADMIN with an API token of each kind, a token through an app, and the way they go. */
async function admin() {
  const email = `admin${n++}@${shop.store.storeCode}.example`;
  await employ(shop, email, 'ADMIN');
  const own = await storeToken(email, shop.store.storeId);
  const issue = (name: string) => request(own, 'POST', '/v1/store/api-tokens', { name, scopes: ['order:r'], expiresInDays: null });
  const { client_id: client } = await registerApp(owner);
  const through = await loginThrough(client, email, 'order:r offline_access');
  const [person] = await query<{ user_id: string }>('SELECT user_id FROM user_account WHERE email = $1', [email]);
  const userId = person!.user_id;
  return { email, own, issue, client, through, userId };
}
const orders = async (token: string) => (await request(token, 'GET', '/v1/orders')).status;

test.each(['is removed', 'leaves'])('who %s and comes back finds none of their API tokens alive', async (way) => {
  const { email, own, issue, userId } = await admin();
  const { token } = (await issue('of before')).body.data as { token: string };
  expect(await orders(token)).toBe(200);
  await request(way === 'leaves' ? own : owner, 'DELETE', `/v1/store/members/${userId}`);
  expect(await orders(token)).toBe(401);
  await employ(shop, email, 'ADMIN');
  expect(await orders(token)).toBe(401);
  const again = await storeToken(email, shop.store.storeId);
  const listed = (await request(again, 'GET', '/v1/store/api-tokens')).body.data.items as { createdByName: string }[];
  expect(listed.filter(({ createdByName }) => createdByName === email.split('@')[0])).toEqual([]);
  const fresh = await request(again, 'POST', '/v1/store/api-tokens', { name: 'of after', scopes: ['order:r'] });
  expect(await orders(fresh.body.data.token as string)).toBe(200);
});

test('nor their logins through the store’s clients', async () => {
  const { email, client, through, userId } = await admin();
  const { user } = await loginAs(email);
  const headers = { 'x-store-id': shop.store.storeId };
  await request(owner, 'DELETE', `/v1/store/members/${userId}`);
  await employ(shop, email, 'ADMIN');
  expect((await request(through.access_token, 'GET', '/v1/orders', undefined, headers)).status).toBe(401);
  const refreshed = await tokens({ grant_type: 'refresh_token', client_id: client, refresh_token: through.refresh_token! });
  expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect((await request(user.access_token, 'GET', '/v1/orders', undefined, headers)).status).toBe(200);
});

test('nor a token of theirs for the store, from the exchange', async () => {
  const { email, own, userId } = await admin();
  expect(await orders(own)).toBe(200);
  await request(owner, 'DELETE', `/v1/store/members/${userId}`);
  expect(await orders(own)).toBe(401);
  await employ(shop, email, 'ADMIN');
  expect(await orders(own)).toBe(401);
  expect(await orders(await storeToken(email, shop.store.storeId))).toBe(200);
});

test('a token that is issued while its issuer is removed is dead too', async () => {
  for (let round = 0; round < 5; round++) {
    const { email, issue, userId } = await admin();
    const [issued] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, (_, i) => issue(`race ${i}`))),
      request(owner, 'DELETE', `/v1/store/members/${userId}`),
    ]);
    await employ(shop, email, 'ADMIN');
    const given = issued.flatMap(({ status, body }) => (status === 201 ? [body.data.token as string] : []));
    expect(await Promise.all(given.map(orders))).toEqual(given.map(() => 401));
  }
});

test('a change of role ends nothing: a token is worth what the role is worth', async () => {
  const { issue, userId } = await admin();
  const { token } = (await issue('kept')).body.data as { token: string };
  await request(owner, 'PATCH', `/v1/store/members/${userId}`, { role: 'STAFF' });
  expect(await orders(token)).toBe(200);
});
