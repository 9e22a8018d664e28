/** An address that signed up by itself goes to the person whom the shop vouches for. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { basic, TOKEN_EXCHANGE, tokens } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let rival: World;
let product: { productId: string };
let n = 0;
const PASSWORD = 'correct horse';
const someone = () => `someone${n++}@${shop.store.storeCode}.example`;
const request = (store: World, method: string, path: string, body?: unknown, token?: string) =>
  call(underTest.api, method, `/storefront/v1${path}`, {
    body,
    headers: { 'x-store-code': store.store.storeCode, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
const signUp = (email: string, store = shop) =>
  request(store, 'POST', '/auth/signup', {
    email,
    password: PASSWORD,
    name: '누군가',
    phone: '010-1234-5678',
    consents: [{ kind: 'TERMS' }, { kind: 'PRIVACY' }],
  });
const login = (email: string, store = shop) => request(store, 'POST', '/auth/login', { email, password: PASSWORD });
const delegate = async (email: string): Promise<string> => {
  const form = { grant_type: TOKEN_EXCHANGE, subject_token: email, subject_token_type: 'urn:svc:params:oauth:token-type:member-ref' };
  return (await tokens(form, basic(shop.store.clientId, shop.store.clientSecret))).body.access_token;
};
const cart = (token: string, store = shop) => request(store, 'GET', '/cart/items', undefined, token);
const subject = (token: string) => (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string }).sub;

beforeAll(async () => {
  [shop, rival] = await Promise.all([world(), world()]);
  product = await shop.product();
});

describe('the first delegation of an address that signed up by itself', () => {
  test('ends its password and every token, and leaves the customer', async () => {
    const email = someone();
    const { accessToken: first, customerId } = (await signUp(email)).body.data as { accessToken: string; customerId: string };
    const { accessToken: second } = (await login(email)).body.data as { accessToken: string };
    await request(shop, 'POST', '/cart/items', { productId: product.productId, quantity: 2 }, first);
    const delegated = await delegate(email.toUpperCase());
    for (const dead of [first, second]) expect((await cart(dead)).status).toBe(401);
    const refused = await login(email);
    expect([refused.status, refused.body.error?.code]).toEqual([401, 'LOGIN_FAILED']);
    expect((await signUp(email)).body.error?.code).toBe('EMAIL_TAKEN');
    expect(subject(delegated)).toBe(customerId);
    expect((await cart(delegated)).body.data.items).toEqual([expect.objectContaining({ quantity: 2 })]);
  });
  test('is the only one that ends anything, in its store alone', async () => {
    const email = someone();
    await signUp(email);
    const { accessToken: elsewhere } = (await signUp(email, rival)).body.data as { accessToken: string };
    const first = await delegate(email);
    const second = await delegate(email);
    for (const alive of [first, second]) expect((await cart(alive)).status).toBe(200);
    expect((await cart(elsewhere, rival)).status).toBe(200);
    expect((await login(email, rival)).status).toBe(200);
    const stranger = someone();
    const [one, two] = [await delegate(stranger), await delegate(stranger)];
    for (const alive of [one, two]) expect((await cart(alive)).status).toBe(200);
  });
  test('leaves nothing to a sign-up or login under way', async () => {
    for (let round = 0; round < 6; round++) {
      const email = someone();
      if (round % 2 === 1) await signUp(email);
      const tries = round % 2 === 1 ? [login(email), login(email), login(email)] : [signUp(email), signUp(email)];
      const [replies] = await Promise.all([Promise.all(tries), delegate(email)]);
      const given = replies.flatMap(({ status, body }) => (status < 300 ? [body.data.accessToken as string] : []));
      // Whatever was first: a second delegation finds nothing left to end.
      const mine = await delegate(email);
      expect(await Promise.all(given.map(async (token) => (await cart(token)).status))).toEqual(given.map(() => 401));
      expect((await login(email)).status).toBe(401);
      expect((await cart(mine)).status).toBe(200);
    }
    const [left] = await query<{ n: number }>('SELECT count(*)::int AS n FROM customer WHERE store_id = $1 AND password_hash IS NOT NULL', [
      shop.store.storeId,
    ]);
    expect(left!.n).toBe(0);
  });
});
