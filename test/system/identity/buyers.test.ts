/** Buyers: sign-up, login, guests who become customers, sessions that slide and end. */
import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ADDRESS, call, OPTION, pay } from '../../../bin/dev/client.ts';
import { basic, TOKEN_EXCHANGE, tokens } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let product: { productId: string; variantId: string };
beforeAll(async () => {
  shop = await world();
  product = await shop.product();
});
const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(underTest.api, method, `/storefront/v1${path}`, { body, headers: { 'x-store-code': shop.store.storeCode, ...headers } });
const customer = (token: string) => ({ authorization: `Bearer ${token}` });
let n = 0;
const person = (changes: object = {}) => ({
  email: `Buyer${n++}@Example.com`,
  password: 'correct horse',
  name: '김구매',
  phone: '010-1111-2222',
  consents: [{ kind: 'TERMS', version: '3' }, { kind: 'PRIVACY' }],
  ...changes,
});
const add = (headers: Record<string, string>, quantity = 2) =>
  request('POST', '/cart/items', { productId: product.productId, optionId: product.variantId, quantity }, headers);

describe('sign-up and login', () => {
  test('a guest’s cart becomes the customer’s', async () => {
    const guest = (await shop.buyer()).headers;
    await add(guest);
    const wanted = person({ cartToken: guest['x-cart-token'] });
    const joined = await request('POST', '/auth/signup', wanted);
    expect(joined).toMatchObject({ status: 201, body: { data: { tokenType: 'Bearer', expiresIn: 1800, customerId: expect.any(String) } } });
    const mine = customer(joined.body.data.accessToken);
    expect((await request('GET', '/cart/items', undefined, mine)).body.data.items).toEqual([expect.objectContaining({ quantity: 2 })]);
    expect(
      (
        await request(
          'POST',
          '/checkout',
          { items: [{ ...product, optionId: product.variantId, quantity: 1, variantId: undefined }] },
          guest,
        )
      ).status,
    ).toBe(401);
    const second = (await shop.buyer()).headers;
    await add(second, 3);
    const back = await request('POST', '/auth/login', {
      email: wanted.email.toUpperCase(),
      password: wanted.password,
      cartToken: second['x-cart-token'],
    });
    expect(back.body.data.customerId).toBe(joined.body.data.customerId);
    const cart = await request('GET', '/cart/items', undefined, customer(back.body.data.accessToken));
    expect(cart.body.data.items).toEqual([expect.objectContaining({ quantity: 5 })]);
    const third = (await shop.buyer()).headers;
    await add(third, 998);
    const over = await request('POST', '/auth/login', { email: wanted.email, password: wanted.password, cartToken: third['x-cart-token'] });
    expect(over.body.error?.fieldErrors).toEqual([expect.objectContaining({ field: 'cartToken', code: 'OUT_OF_RANGE' })]);
  });
  test('a sign-up with an address that is taken is refused', async () => {
    const wanted = person();
    expect((await request('POST', '/auth/signup', wanted)).status).toBe(201);
    expect((await request('POST', '/auth/signup', { ...wanted, email: wanted.email.toLowerCase() })).body.error?.code).toBe('EMAIL_TAKEN');
  });
  test('all problems of a sign-up are reported at once', async () => {
    const refused = await request(
      'POST',
      '/auth/signup',
      person({ password: 'short', phone: 'x', consents: [{ kind: 'TERMS' }, { kind: 'TERMS' }] }),
    );
    expect((refused.body.error!.fieldErrors as { field: string }[]).map(({ field }) => field).toSorted()).toEqual(
      ['consents', 'consents[1]', 'password', 'phone'].toSorted(),
    );
  });
  test('a wrong password and an unknown address are refused alike', async () => {
    const wanted = person();
    await request('POST', '/auth/signup', wanted);
    const [wrong, unknown] = await Promise.all([
      request('POST', '/auth/login', { email: wanted.email, password: 'wrong horse' }),
      request('POST', '/auth/login', { email: 'nobody@example.com', password: 'wrong horse' }),
    ]);
    expect([wrong.status, wrong.body.error]).toEqual([401, { ...unknown.body.error, code: 'LOGIN_FAILED' }]);
  });
  test('a hash that was stored with other parameters is still verified', async () => {
    const wanted = person();
    const { customerId } = (await request('POST', '/auth/signup', wanted)).body.data;
    const old = await hash(wanted.password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    expect(old).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await query('UPDATE customer SET password_hash = $2 WHERE customer_id = $1', [customerId, old]);
    const logIn = async (password: string) => (await request('POST', '/auth/login', { email: wanted.email, password })).status;
    expect([await logIn(wanted.password), await logIn('wrong horse')]).toEqual([200, 401]);
  });
  test('a password is stored as argon2id, and a consent with its version', async () => {
    const wanted = person();
    const { customerId } = (await request('POST', '/auth/signup', wanted)).body.data;
    const [row] = await query<{ password_hash: string; email: string }>(
      'SELECT password_hash, email FROM customer WHERE customer_id = $1',
      [customerId],
    );
    expect(row!.password_hash).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$/);
    expect(row!.email).toBe(wanted.email.toLowerCase());
    const consents = await query('SELECT kind, version FROM customer_consent WHERE customer_id = $1 ORDER BY kind DESC', [customerId]);
    expect(consents).toEqual([
      { kind: 'TERMS', version: '3' },
      { kind: 'PRIVACY', version: null },
    ]);
  });
});

describe('a customer', () => {
  test('buys without a guest’s data', async () => {
    const closed = await world();
    await closed.seller.call('PATCH', '/v1/store', { guestCheckoutEnabled: false });
    const { productId } = await closed.product();
    const header = { 'x-store-code': closed.store.storeCode };
    const at = (method: string, path: string, body: unknown, more = {}) =>
      call(underTest.api, method, `/storefront/v1${path}`, { body, headers: { ...header, ...more } });
    const { accessToken, customerId } = (await at('POST', '/auth/signup', person())).body.data;
    const mine = customer(accessToken);
    const { checkoutId } = (await at('POST', '/checkout', { items: [{ productId, quantity: 1 }] }, mine)).body.data;
    const started = await at(
      'POST',
      `/checkout/${checkoutId}/payment`,
      { option: OPTION, returnUrl: 'http://localhost:9/', shippingAddress: ADDRESS },
      mine,
    );
    expect(started.status).toBe(200);
    await pay(started.body.data.payUrl);
    const [order] = (await closed.seller.call('GET', '/v1/orders')).body.data.items;
    expect((await closed.seller.call('GET', `/v1/orders/${order.orderId}`)).body.data.buyer).toMatchObject({ customerId, name: '김구매' });
    const guest = (await closed.buyer()).headers;
    expect((await at('POST', '/checkout', { items: [{ productId, quantity: 1 }] }, guest)).body.error?.code).toBe(
      'GUEST_CHECKOUT_DISABLED',
    );
  });
  test('a guest must say who orders', async () => {
    const { headers, ...buyer } = await shop.buyer();
    void buyer;
    const { checkoutId } = (await request('POST', '/checkout', { items: [{ productId: product.productId, quantity: 1 }] }, headers)).body
      .data;
    const started = await request(
      'POST',
      `/checkout/${checkoutId}/payment`,
      { option: OPTION, returnUrl: 'http://localhost:9/', shippingAddress: ADDRESS },
      headers,
    );
    expect(started.body.error?.fieldErrors).toEqual([expect.objectContaining({ field: 'guest', code: 'REQUIRED' })]);
  });
  test('uses the cart with a delegated token of this store alone', async () => {
    const form = {
      grant_type: TOKEN_EXCHANGE,
      subject_token: 'd@example.com',
      subject_token_type: 'urn:svc:params:oauth:token-type:member-ref',
    };
    const { access_token: token } = (await tokens(form, basic(shop.store.clientId, shop.store.clientSecret))).body;
    expect((await add(customer(token))).status).toBe(201);
    const rival = await world();
    const foreign = (await tokens(form, basic(rival.store.clientId, rival.store.clientSecret))).body.access_token;
    for (const bad of [foreign, shop.seller.bearer, 'x'])
      expect((await request('GET', '/cart/items', undefined, customer(bad))).status).toBe(401);
    expect((await call(underTest.api, 'GET', '/v1/orders', { headers: customer(token) })).status).toBe(401);
    await query(`UPDATE client SET status = 'REVOKED' WHERE client_id = $1`, [rival.store.clientId]);
    const there = { 'x-store-code': rival.store.storeCode, ...customer(foreign) };
    expect((await call(underTest.api, 'GET', '/storefront/v1/cart/items', { headers: there })).status).toBe(401);
  });
});

describe('guest sessions', () => {
  const age = (token: string, sql: string) =>
    query(`UPDATE guest_session SET ${sql} WHERE token_hash = sha256($1::bytea)`, [Buffer.from(token)]);
  test('last from their last use, and are renewed by calls of the cart', async () => {
    const { headers } = await shop.buyer();
    const token = headers['x-cart-token']!;
    await add(headers);
    await age(token, `used_at = now() - interval '29 days', expires_at = now() + interval '1 day'`);
    expect((await request('GET', '/cart/items', undefined, headers)).body.data.items).toHaveLength(1);
    const [{ days }] = (await query<{ days: number }>(
      `SELECT extract(day FROM expires_at - now())::int AS days FROM guest_session WHERE token_hash = sha256($1::bytea)`,
      [Buffer.from(token)],
    )) as [{ days: number }];
    expect(days).toBeGreaterThan(28);
    await age(token, `expires_at = now() - interval '1 second'`);
    expect((await request('POST', '/checkout', { items: [{ productId: product.productId, quantity: 1 }] }, headers)).status).toBe(401);
    const renewed = await request('GET', '/cart/items', undefined, headers);
    expect(renewed.body.data).toMatchObject({ items: [], cartToken: renewed.headers.get('x-cart-token') });
    expect(renewed.body.data.cartToken).not.toBe(token);
    const again = await add({ 'x-cart-token': renewed.body.data.cartToken });
    expect([again.status, again.body.data.cartToken]).toEqual([201, undefined]);
  });
  test('are swept when nobody used them for a day', async () => {
    const { headers } = await shop.buyer();
    const token = headers['x-cart-token']!;
    await age(token, `created_at = now() - interval '25 hours'`);
    expect((await request('POST', '/checkout', { items: [{ productId: product.productId, quantity: 1 }] }, headers)).status).toBe(401);
    await shop.buyer();
    expect(await query('SELECT 1 FROM guest_session WHERE token_hash = sha256($1::bytea)', [Buffer.from(token)])).toEqual([]);
  });
});
