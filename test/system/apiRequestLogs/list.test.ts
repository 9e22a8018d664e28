/** What the log of management requests shows, to whom, and how it is filtered (docs/contract.md#request-log). */
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { storeToken } from '../../kernel/login.ts';
import { query, underTest } from '../../kernel/world.ts';
import { bearer, type Logged, requestIdOf, Watched } from './log.ts';

let watched: Watched;
beforeAll(async () => {
  watched = await Watched.open();
});

describe('a record', () => {
  test('says what was requested, by whom, and what was answered', async () => {
    const { shop } = watched;
    const before = Date.now();
    const reply = await shop.seller.call('GET', '/v1/products?keyword=canary', undefined, { 'user-agent': 'probe/1.0' });
    const { createdAt, durationMs, ...logged } = await watched.logged(reply);
    expect(logged).toEqual({
      requestId: reply.body.meta.requestId,
      method: 'GET',
      path: '/v1/products',
      operationId: 'products.list',
      statusCode: 200,
      errorCode: null,
      actor: { type: 'APP', id: shop.store.clientId, name: expect.stringMatching(/./) },
      ip: '127.0.0.1',
      userAgent: 'probe/1.0',
    });
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+09:00$/);
    expect([Date.parse(createdAt) >= before, Date.parse(createdAt) <= Date.now(), durationMs >= 0]).toEqual([true, true, true]);
  });

  test('is there for changes, refusals and short forms too', async () => {
    const { seller } = watched.shop;
    const made = await seller.call('POST', '/v1/categories', { name: '기록' });
    const refused = await seller.call('POST', '/v1/categories', { name: '' });
    const unknown = await seller.call('GET', '/v1/products/prd_none');
    const forbidden = await seller.call('GET', '/v1/store/api-tokens');
    const short = await seller.call('GET', '/webhooks');
    const brief = async (reply: typeof made) => {
      const { method, path, operationId, statusCode, errorCode } = await watched.logged(reply);
      return [method, path, operationId, statusCode, errorCode];
    };
    expect([await brief(made), await brief(refused), await brief(unknown), await brief(forbidden), await brief(short)]).toEqual([
      ['POST', '/v1/categories', 'categories.create', 201, null],
      ['POST', '/v1/categories', 'categories.create', 400, 'VALIDATION_FAILED'],
      ['GET', '/v1/products/prd_none', 'products.get', 404, 'PRODUCT_NOT_FOUND'],
      ['GET', '/v1/store/api-tokens', 'apiTokens.list', 403, 'INSUFFICIENT_ROLE'],
      ['GET', '/webhooks', 'webhooks.list', 200, null],
    ]);
  });

  test('has neither query nor body nor token', async () => {
    const { shop } = watched;
    const canary = 'kanarienvogel';
    const made = await shop.seller.call('POST', `/v1/categories?note=${canary}`, { name: canary }, { 'idempotency-key': canary });
    const wrong = await shop.seller.call('GET', `/v1/${'x'.repeat(3000)}?note=${canary}`);
    // Bytes that fetch would not send.
    const { hostname, port } = new URL(underTest.api);
    const odd = await new Promise<string>((resolve, reject) => {
      const headers = { ...bearer(shop.seller.bearer), 'user-agent': `a\u0085\u00adb\t${'y'.repeat(2000)}` };
      request({ hostname, port, path: '/v1/carriers', headers }, (response) => {
        response.resume();
        resolve(String(response.headers['x-request-id']));
      })
        .on('error', reject)
        .end();
    });
    const { path } = await watched.logged(wrong);
    expect([path.length, path.startsWith('/v1/xxx')]).toEqual([500, true]);
    await watched.storesOf(wrong);
    const rows = await query('SELECT * FROM api_request_log WHERE request_id = ANY($1)', [[requestIdOf(made), requestIdOf(wrong), odd]]);
    const text = JSON.stringify(rows);
    expect(rows).toHaveLength(3);
    for (const secret of [canary, shop.seller.bearer, shop.seller.bearer.slice(-40)]) expect(text).not.toContain(secret);
    const { user_agent: agent } = rows.find((row) => row['request_id'] === odd) as { user_agent: string };
    expect([agent.startsWith('a\ufffd\ufffdb\ufffdyyy'), agent.length]).toEqual([true, 300]);
  });

  test('is not written for what buyers do, nor for pages', async () => {
    const { shop } = watched;
    const buyer = await shop.buyer();
    const mine = bearer(shop.seller.bearer);
    const replies = [
      await buyer.call('GET', '/storefront/v1/products'),
      await buyer.call('GET', '/checkout/chk_none'),
      await call(underTest.api, 'GET', '/storefront/v1/products', { headers: { ...mine, 'x-store-code': shop.store.storeCode } }),
      await call(underTest.api, 'GET', '/health/live', { headers: mine }),
      await call(underTest.api, 'GET', '/v1/openapi.json', { headers: mine }),
      await call(underTest.api, 'GET', '/nowhere', { headers: mine }),
    ];
    expect(await watched.storesOf(...replies)).toEqual([]);
  });
});

describe('the list', () => {
  test('is for an OWNER or ADMIN at the console, to read', async () => {
    const { shop, owner } = watched;
    const { storeId, storeCode } = shop.store;
    const [admin, staff] = await Promise.all(['admin', 'staff'].map((role) => storeToken(`${role}@${storeCode}.example`, storeId)));
    const issued = { name: 'log', scopes: ['audit:r', 'store:rw'] };
    const plain = await call(underTest.api, 'POST', '/v1/store/api-tokens', { body: issued, headers: bearer(owner) });
    expect((await watched.list('', admin)).status).toBe(200);
    for (const token of [staff!, shop.seller.bearer, plain.body.data.token as string])
      expect((await watched.list('', token)).body.error?.code).toBe('INSUFFICIENT_ROLE');
    expect((await call(underTest.api, 'GET', '/v1/api-request-logs')).status).toBe(401);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await call(underTest.api, method, '/v1/api-request-logs', { headers: bearer(owner) })).status).toBe(405);
  });

  test('is read on by its cursor, newest first, each record once', async () => {
    const { seller } = watched.shop;
    for (let n = 0; n < 7; n++) await seller.call('GET', '/v1/carriers');
    const last = await watched.logged(await seller.call('GET', '/v1/carriers'));
    const search = `?operationId=orders.carriers&to=${encodeURIComponent(new Date(Date.parse(last.createdAt) + 1).toISOString())}`;
    const whole = await watched.items(search);
    const read: Logged[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data } = (await watched.list(`${search}&limit=3${cursor && `&cursor=${cursor}`}`)).body;
      expect(data.items.length).toBeLessThanOrEqual(3);
      read.push(...(data.items as Logged[]));
      cursor = data.nextCursor as string | null;
    }
    expect(read).toEqual(whole);
    expect(whole[0]).toEqual(last);
    const times = whole.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(whole.length).toBeGreaterThan(7);
  });

  test('has 50 records unless another limit is sent', async () => {
    const { seller } = watched.shop;
    await Promise.all(Array.from({ length: 60 }, () => seller.call('GET', '/v1/carriers')));
    await watched.logged(await seller.call('GET', '/v1/carriers'));
    expect([(await watched.items()).length, (await watched.items('?limit=1')).length]).toEqual([50, 1]);
  });

  test('is filtered by everything that is named', async () => {
    const { seller, store } = watched.shop;
    const one = await watched.logged(await seller.call('DELETE', '/v1/categories/cat_none'));
    const { requestId, createdAt } = one;
    const at = encodeURIComponent(createdAt);
    const next = encodeURIComponent(new Date(Date.parse(createdAt) + 1).toISOString());
    const finds = async (search: string) => (await watched.items(`?limit=100&${search}`)).some((item) => item.requestId === requestId);
    for (const search of [
      'method=DELETE',
      'statusCode=404',
      'statusCode=4xx',
      'operationId=categories.remove',
      `requestId=${requestId}`,
      `actorId=${store.clientId}`,
      `from=${at}&to=${next}`,
      `method=DELETE&statusCode=4xx&operationId=categories.remove&requestId=${requestId}&actorId=${store.clientId}&from=${at}&to=${next}`,
    ])
      expect([search, await finds(search)]).toEqual([search, true]);
    for (const search of [
      'method=PUT',
      'statusCode=403',
      'statusCode=2xx',
      'operationId=categories.list',
      'requestId=req_none',
      'actorId=usr_none',
      `from=${next}`,
      `to=${at}`,
    ])
      expect([search, await finds(search)]).toEqual([search, false]);
    const [get, failed] = [await watched.items('?method=GET&limit=100'), await watched.items('?statusCode=4xx&limit=100')];
    expect([...new Set(get.map(({ method }) => method))]).toEqual(['GET']);
    expect(failed.every(({ statusCode }) => statusCode >= 400 && statusCode < 500)).toBe(true);
  });

  test.each([
    'method=get',
    'method=FETCH',
    'statusCode=4XX',
    'statusCode=600',
    'statusCode=40',
    'statusCode=',
    'operationId=',
    `requestId=${'x'.repeat(65)}`,
    'actorId=a%20b',
    'from=yesterday',
    'to=2026-11-23',
  ])('%s: INVALID_PARAMETER', async (search) =>
    expect((await watched.list(`?${search}`)).body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { parameter: search.split('=')[0] },
    }),
  );

  test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'cursor=x', 'cursor=', 'cursor=e-5-', 'cursor=r-5-req_none'])(
    '%s: VALIDATION_FAILED',
    async (search) => {
      const { error } = (await watched.list(`?${search}`)).body;
      expect([error?.code, error?.fieldErrors?.map(({ field }) => field)]).toEqual(['VALIDATION_FAILED', [search.split('=')[0]]]);
    },
  );

  test('a cursor of another store is none of this one', async () => {
    const other = await Watched.open();
    // Two records at least, in their order: the first page has a next one.
    await other.shop.seller.call('GET', '/v1/carriers');
    await other.logged(await other.shop.seller.call('GET', '/v1/carriers'));
    const { nextCursor } = (await other.list('?limit=1')).body.data as { nextCursor: string };
    expect((await other.list(`?limit=1&cursor=${nextCursor}`)).status).toBe(200);
    expect((await watched.list(`?limit=1&cursor=${nextCursor}`)).body.error?.code).toBe('VALIDATION_FAILED');
  });
});

test('a sandbox’s log has the time of its clock, and seven days of it', async () => {
  const sandbox = await Watched.open();
  const { shop } = sandbox;
  const first = await sandbox.logged(await shop.seller.call('GET', '/v1/carriers'));
  await shop.advance('P3D');
  const second = await sandbox.logged(await shop.seller.call('GET', '/v1/carriers'));
  const unknown = await sandbox.logged(await shop.seller.call('GET', '/v1/nowhere'));
  const apart = (one: Logged) => Math.floor((Date.parse(one.createdAt) - Date.parse(first.createdAt)) / 86_400_000);
  expect([apart(second), apart(unknown)]).toEqual([3, 3]);
  const carriers = () => sandbox.items('?operationId=orders.carriers');
  expect(await carriers()).toEqual([second, first]);
  await shop.advance('P5D');
  expect(await carriers()).toEqual([second]);
  // A dead token's request is at the store's time too.
  const headers = bearer(sandbox.owner);
  const issued = await call(underTest.api, 'POST', '/v1/store/api-tokens', { body: { name: 'brief', scopes: ['order:r'] }, headers });
  const { tokenId, token } = issued.body.data as { tokenId: string; token: string };
  await call(underTest.api, 'DELETE', `/v1/store/api-tokens/${tokenId}`, { headers });
  const dead = await sandbox.logged(await call(underTest.api, 'GET', '/v1/orders', { headers: bearer(token) }));
  expect([dead.statusCode, apart(dead)]).toEqual([401, 8]);
}, 60_000);
