import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { endpoints } from '../../../api/endpoints.ts';
import { surfaceOf } from '../../../api/documents/openapi.ts';
import { hashKey } from '../../../db/runs/operations.ts';
import { call, get } from '../../../bin/dev/client.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
beforeAll(async () => {
  shop = await world();
});

describe('the envelope', () => {
  test('names the request id of its header', async () => {
    const { body, headers } = await shop.seller.call('GET', '/v1/store');
    expect(body).toMatchObject({
      meta: { status: 200, code: 'OK', message: '', isSuccess: true, requestId: headers.get('x-request-id') },
      error: null,
    });
  });
  test('comes with security headers', async () => {
    const { headers } = await shop.seller.call('GET', '/v1/store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toContain('max-age=');
  });
  test('comes with rate limit headers', async () => {
    const { headers } = await shop.seller.call('GET', '/v1/store');
    expect(Number(headers.get('ratelimit-limit'))).toBeGreaterThan(Number(headers.get('ratelimit-remaining')));
  });
  test('an unknown path is 404', async () => {
    const missing = await call(underTest.api, 'GET', '/v1/nothing');
    expect([missing.status, missing.body.meta.code, missing.body.error?.code]).toEqual([404, 'NOT_FOUND', 'NOT_FOUND']);
  });
  test('a path has one letter case', async () => {
    for (const path of [
      '/V1/products',
      '/v1/Products',
      '/v1/STORE',
      '/Storefront/v1/products',
      '/storefront/V1/products',
      '/Webhooks',
      '/Mcp',
      '/OAuth2/token',
      '/oauth2/Authorize',
      '/.Well-Known/jwks.json',
      '/Health/live',
      '/Docs',
      '/openapi/Store.json',
      '/Pay/x',
      '/Payment-Notifications/x',
      '/Uploads/a/b.png',
    ]) {
      const { status } = await shop.seller.call('GET', path);
      expect([path, status]).toEqual([path, 404]);
    }
  });
  test('a compressed body is refused before it is read, wherever it is sent', async () => {
    const form = 'multipart/form-data; boundary=x';
    for (const [path, type, headers] of [
      ['/v1/categories', 'application/json', { authorization: `Bearer ${shop.seller.bearer}` }],
      ['/v1/uploads', form, { authorization: `Bearer ${shop.seller.bearer}` }],
      ['/storefront/v1/auth/login', 'application/json', { 'x-store-code': shop.store.storeCode }],
      ['/storefront/v1/uploads/order-inputs', form, (await shop.buyer()).headers],
      ['/oauth2/token', 'application/x-www-form-urlencoded', {}],
    ] as const)
      for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x']) {
        const reply = await fetch(underTest.api + path, {
          method: 'POST',
          headers: { 'content-type': type, 'content-encoding': encoding, ...headers },
          body: '{"name":"x"}',
        });
        await reply.arrayBuffer();
        expect([path, encoding, reply.status, reply.headers.get('accept-encoding')]).toEqual([path, encoding, 415, 'identity']);
      }
    for (const encoding of ['identity', 'Identity', '']) {
      const { status } = await shop.seller.call('POST', '/v1/categories', { name: '모자' }, { 'content-encoding': encoding });
      expect(status).toBe(201);
    }
  });
  test('another method is 405 everywhere', async () => {
    const other = await call(underTest.api, 'DELETE', '/v1/store');
    expect([other.status, other.headers.get('allow')]).toEqual([405, expect.stringContaining('PATCH')]);
    for (const [method, path] of [
      ['GET', '/oauth2/token'],
      ['POST', '/openapi/store.json'],
      ['POST', '/health/live'],
      ['DELETE', '/.well-known/jwks.json'],
    ] as const)
      expect((await call(underTest.api, method, path)).status).toBe(405);
  });
  test('a body that is nested too deep is 400', async () => {
    const deep = await shop.seller.call('POST', '/v1/categories', `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect([deep.status, deep.body.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('a leap second is 400', async () => {
    expect((await shop.seller.call('POST', '/v1/sandbox/clock', { to: '2026-12-31T23:59:60Z' })).status).toBe(400);
  });
  test('the documentation page names the documents', async () => {
    expect((await get(`${underTest.api}/docs`)).text).toContain('/openapi/store.json');
  });
  test('a repeated clock advance leads to the same time', async () => {
    const headers = { 'idempotency-key': 'clock-1' };
    const advance = () => shop.seller.call('POST', '/v1/sandbox/clock', { advance: 'P1D' }, headers);
    const [first, again] = [await advance(), await advance()];
    expect(again.body.data).toEqual(first.body.data);
    expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
  });
  test('a refusal is replayed like a success', async () => {
    const refused = () => shop.seller.call('POST', '/v1/categories', { name: 'c', parentId: 'cat_x' }, { 'idempotency-key': 'c-1' });
    expect([(await refused()).headers.get('idempotent-replayed'), (await refused()).headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
  });
  test('problems of every kind are told together', async () => {
    const hook = await shop.seller.call('POST', '/v1/webhooks', { url: 'ftp://x', eventTypes: [] }, { 'idempotency-key': '' });
    expect(hook.body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual(['Idempotency-Key', 'eventTypes', 'url']);
    const product = await shop.seller.call('POST', '/v1/products', {
      name: '',
      fulfillment: { type: 'SHIPPING', shipping: { deliveryType: 'FREE', deliveryFee: 500 } },
    });
    expect(product.body.error?.fieldErrors?.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['name', 'salePrice', 'categoryId', 'fulfillment.shipping.deliveryFee']),
    );
  });
  test('short forms are the same operation', async () => {
    expect((await shop.seller.call('GET', '/webhooks')).status).toBe(200);
    const { headers } = await shop.buyer();
    expect((await call(underTest.api, 'GET', '/checkout/x', { headers })).body.error?.code).toBe('CHECKOUT_NOT_FOUND');
  });
  test('a malformed path or query is 400', async () => {
    for (const path of [
      '/v1/orders/%00',
      '/v1/orders?orderNo=%00',
      '/v1/order-items?orderId=%00',
      '/v1/orders?page=1&page=2',
      '/v1/orders?size=101',
      '/v1/orders?page=0',
    ])
      expect((await shop.seller.call('GET', path)).status).toBe(400);
  });
  test('health tells liveness and readiness', async () => {
    expect((await call(underTest.api, 'GET', '/health/live')).body).toEqual({ status: 'ok' });
    expect((await call(underTest.api, 'GET', '/health/ready')).body).toEqual({ status: 'ok', postgres: 'ok', temporal: 'ok' });
  });
});

describe('the OpenAPI documents', () => {
  test.each(['store', 'storefront'] as const)('%s: every operation once, the same in JSON and YAML', async (surface) => {
    const json = (await call(underTest.api, 'GET', `/openapi/${surface}.json`)).body as unknown as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(json.openapi).toBe('3.1.1');
    const ids = Object.values(json.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(ids.toSorted()).toEqual(
      endpoints
        .filter((e) => surfaceOf(e) === surface)
        .map((e) => e.id)
        .toSorted(),
    );
    expect(parse((await get(`${underTest.api}/openapi/${surface}.yaml`)).text)).toEqual(json);
  });
});

describe('POST /oauth2/token', () => {
  const sendRequest = async (form: Record<string, string> | string, authorization?: string) => {
    const { storeCode: _, clientId, clientSecret } = shop.store;
    const response = await fetch(`${underTest.api}/oauth2/token`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: authorization ?? `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, string> };
  };
  const grant = { grant_type: 'client_credentials' };
  test('gives the scopes that are requested, all by default', async () => {
    const all = await sendRequest(grant);
    expect(all.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: expect.stringContaining('order:rw') });
    expect(all.headers.get('cache-control')).toBe('no-store');
    expect((await sendRequest({ ...grant, scope: 'order:r product:rw' })).body['scope']).toBe('order:r product:rw');
  });
  test.each([
    [{ ...grant, scope: 'order:rw nope' }, 400, 'invalid_scope'],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [{}, 400, 'invalid_request'],
    ['grant_type=client_credentials&grant_type=client_credentials', 400, 'invalid_request'],
    ['grant_type=client_credentials&scope=%00', 400, 'invalid_request'],
  ])('%j is %i %s, flat', async (form, status, error) => {
    const reply = await sendRequest(form);
    expect([reply.status, reply.body]).toEqual([status, { error, error_description: expect.any(String) }]);
  });
  test('unknown clients and wrong secrets are alike', async () => {
    for (const header of [
      `Basic ${btoa(`${shop.store.clientId}:x`)}`,
      `Basic ${btoa('cli_x:x')}`,
      'Basic %%',
      'Bearer x',
      `Basic ${btoa('\u0000:x')}`,
    ]) {
      const reply = await sendRequest(grant, header);
      expect([reply.status, reply.body['error'], reply.headers.get('www-authenticate')]).toEqual([
        401,
        'invalid_client',
        expect.stringContaining('Basic'),
      ]);
    }
  });
  test('a deactivated client’s tokens are dead at once', async () => {
    const other = await world();
    await query(`UPDATE client SET status = 'REVOKED' WHERE client_id = $1`, [other.store.clientId]);
    expect((await other.seller.call('GET', '/v1/store')).status).toBe(401);
  });
  test('the key set verifies the tokens', async () => {
    const { keys } = (await call(underTest.api, 'GET', '/.well-known/jwks.json')).body as unknown as { keys: object[] };
    expect(keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' });
    expect(keys[0]).not.toHaveProperty('d');
  });
});

describe('idempotency of requests', () => {
  test('twenty parallel requests with one key make one product', async () => {
    const { body: category } = await shop.seller.call('POST', '/v1/categories', { name: 'c' });
    const request = { name: 'twin', salePrice: 1000, categoryId: category.data.categoryId as string };
    const send = (body: object) => shop.seller.call('POST', '/v1/products', body, { 'idempotency-key': 'p-1' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(request)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.data?.productId)}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(201);
    expect((await send({ ...request, name: 'other' })).body.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
  test('a secret is replayed, and stored sealed', async () => {
    const hook = { url: 'http://127.0.0.1:9/x', eventTypes: ['ORDER.PAID'] };
    const register = () => shop.seller.call('POST', '/v1/webhooks', hook, { 'idempotency-key': 'w-1' });
    const [first, again] = [await register(), await register()];
    expect(again.body.data).toEqual(first.body.data);
    const stored = await query<{ body: unknown }>('SELECT body FROM operation WHERE store_id = $1 AND key = $2', [
      shop.store.storeId,
      hashKey('w-1'),
    ]);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(first.body.data.secret);
  });
  test.each(['', 'ä', 'x'.repeat(256)])('key %j is refused', async (key) => {
    const reply = await shop.seller.call(
      'POST',
      '/v1/categories',
      { name: 'c' },
      { 'idempotency-key': encodeURI(key) === key ? key : '%' + key.charCodeAt(0) },
    );
    expect(reply.status).toBe(key === 'ä' ? 201 : 400);
  });
});

describe('catalog', () => {
  test('products are registered in leaves of a tree of four levels', async () => {
    const make = (parentId?: string) => shop.seller.call('POST', '/v1/categories', { name: 'c', ...(parentId && { parentId }) });
    const ids: string[] = [];
    for (let level = 1; level <= 4; level++) ids.push((await make(ids.at(-1))).body.data.categoryId as string);
    expect((await make(ids[3])).body.error?.fieldErrors).toMatchObject([{ field: 'parentId' }]);
    expect((await make('cat_x')).body.error?.code).toBe('CATEGORY_NOT_FOUND');
    const product = (categoryId: string, changes: object = {}) =>
      shop.seller.call('POST', '/v1/products', { name: 'p', salePrice: 1000, categoryId, ...changes });
    expect((await product(ids[0]!)).body.error?.code).toBe('CATEGORY_NOT_LEAF');
    const first = await product(ids[3]!);
    expect(first.status).toBe(201);
    const flat = (await make()).body.data.categoryId as string;
    await product(flat);
    expect((await make(flat)).body.error?.code).toBe('CATEGORY_IN_USE');
    expect((await product(ids[3]!, { salePrice: 1005 })).body.error?.code).toBe('INVALID_PRICE_UNIT');
    const second = await product(ids[3]!);
    expect(second.body.data.productNo).toBe((first.body.data.productNo as number) + 2);
    expect(second.body.data.variants[0].variantNo).toBe(`${second.body.data.productNo as number}-01`);
    expect((await shop.seller.call('GET', `/v1/products?productNo=${second.body.data.productNo as number}`)).body.data.total).toBe(1);
    expect((await shop.seller.call('GET', '/v1/products?productNo=x')).body.error?.code).toBe('INVALID_PARAMETER');
  });
  test('stock is set or adjusted, and never below 0', async () => {
    const { productId, variantId } = await shop.product({ stockQuantity: 5 });
    const path = `/v1/products/${productId}/variants/${variantId}/stock`;
    const change = (body: object) => shop.seller.call('PATCH', path, body);
    expect((await change({ adjustment: -2, expectedStockQuantity: 5 })).body.data).toMatchObject({ stockQuantity: 3, isSoldOut: false });
    expect((await change({ adjustment: -4 })).body.error?.code).toBe('OUT_OF_STOCK');
    expect((await change({ stockQuantity: 9, expectedStockQuantity: 5 })).body.error).toMatchObject({
      code: 'CONCURRENT_UPDATE',
      details: { stockQuantity: 3 },
    });
    expect((await change({})).status).toBe(400);
    expect((await change({ stockQuantity: 1, adjustment: 1 })).status).toBe(400);
    expect((await change({ stockQuantity: 0 })).body.data).toMatchObject({ stockQuantity: 0, isSoldOut: true });
    const [row] = await query<{ sum: number }>('SELECT sum(quantity)::int AS sum FROM stock_movement WHERE variant_id = $1', [variantId]);
    expect(row!.sum).toBe(0);
    expect((await shop.seller.call('PATCH', `/v1/products/${productId}/variants/x/stock`, { stockQuantity: 1 })).body.error?.code).toBe(
      'VARIANT_NOT_FOUND',
    );
  });
  test('an unbuyable checkout is refused', async () => {
    const { productId } = await shop.product({ stockQuantity: 1 });
    const buyer = await shop.buyer();
    expect((await buyer.checkout(productId, 2)).body.error).toMatchObject({ code: 'OUT_OF_STOCK', details: { items: [{ productId }] } });
    expect((await buyer.checkout('prd_x')).body.error?.code).toBe('PRODUCT_NOT_FOUND');
    const twice = {
      items: [
        { productId, quantity: 1 },
        { productId, quantity: 1 },
      ],
    };
    expect((await buyer.call('POST', '/storefront/v1/checkout', twice)).body.error?.code).toBe('OUT_OF_STOCK');
    expect(
      (await buyer.call('POST', '/storefront/v1/checkout', { items: [{ productId, optionId: 'x', quantity: 1 }] })).body.error?.code,
    ).toBe('VARIANT_NOT_FOUND');
    const made = await buyer.checkout(productId);
    expect((await buyer.call('GET', `/storefront/v1/checkout/${made.body.data.checkoutId as string}`)).body.data).toEqual(made.body.data);
  });
});
