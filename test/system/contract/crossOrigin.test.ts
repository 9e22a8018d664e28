/** Pages of every origin may call the storefront API, and nothing else. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { surfaceOf } from '../../../api/documents/openapi.ts';
import { newAddress } from '../../kernel/api.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

const ORIGIN = 'https://any.example';
let shop: World;
beforeAll(async () => {
  shop = await world();
});

const send = async (path: string, method = 'GET', headers: Record<string, string> = {}, api = underTest.api) => {
  const reply = await fetch(api + path, {
    method,
    headers: { origin: ORIGIN, 'x-store-code': shop.store.storeCode, 'x-forwarded-for': newAddress(), ...headers },
  });
  const text = await reply.text();
  return { status: reply.status, text, allow: (name: string) => reply.headers.get(`access-control-${name}`) };
};
const preflight = (path: string, method: string, headers = 'content-type') =>
  send(path, 'OPTIONS', { 'access-control-request-method': method, 'access-control-request-headers': headers });
const routes = endpoints.map((endpoint) => {
  const [method = '', path = ''] = endpoint.route.split(' ');
  return { ...endpoint, method, path: path.replaceAll(/{\w+}/g, 'x') };
});
const open = routes.filter((endpoint) => surfaceOf(endpoint) === 'storefront' && !endpoint.crossOrigin);
const closed = routes.filter((endpoint) => surfaceOf(endpoint) === 'store');

test.each(open.map((one) => [one.id, one] as const))(
  '%s: pages ask, call, and read whatever is answered',
  async (_, { method, path, headers = {} }) => {
    const answer = await preflight(path, method);
    expect([answer.status, answer.text, answer.allow('allow-origin')]).toEqual([204, '', '*']);
    expect(answer.allow('allow-methods')!.split(', ')).toContain(method);
    const sent = answer.allow('allow-headers')!.toLowerCase().split(', ');
    const needed = ['content-type', 'authorization', 'x-store-code', 'x-cart-token', 'idempotency-key', ...Object.keys(headers)];
    expect(needed.filter((name) => !sent.includes(name.toLowerCase()))).toEqual([]);
    expect(Number(answer.allow('max-age'))).toBeGreaterThan(0);
    const reply = await send(path, method);
    expect([reply.allow('allow-origin'), reply.allow('allow-credentials')]).toEqual(['*', null]);
    expect(reply.allow('expose-headers')!.split(', ')).toEqual(
      expect.arrayContaining([
        'X-Request-Id',
        'RateLimit-Remaining',
        'Retry-After',
        'ETag',
        'Idempotent-Replayed',
        'Location',
        'X-Cart-Token',
      ]),
    );
  },
);

describe('a page reads why it was refused', () => {
  test.each([
    ['/storefront/v1/nothing', 'GET', 404],
    ['/storefront/v1/store', 'DELETE', 405],
    ['/storefront/v1/cart/items', 'GET', 401],
    ['/checkout/x', 'GET', 401],
    ['/payments/x', 'GET', 404],
  ] as const)('%s %s', async (path, method, status) => {
    expect((await preflight(path, method)).status).toBe(204);
    const reply = await send(path, method);
    expect([reply.status, reply.allow('allow-origin')]).toEqual([status, '*']);
  });
  test('that it asks too often, and its preflights are not counted', async () => {
    const limited = await sharedApi({ RATE_LIMIT_PER_MINUTE: '1' });
    const from = { 'x-forwarded-for': newAddress() };
    const question = { 'access-control-request-method': 'GET', ...from };
    const seen = [];
    for (const [method, headers] of [
      ['OPTIONS', question],
      ['OPTIONS', question],
      ['GET', from],
      ['GET', from],
      ['OPTIONS', question],
    ] as const) {
      const reply = await send('/storefront/v1/store', method, headers, limited);
      seen.push([reply.status, reply.allow('allow-origin')]);
    }
    expect(seen).toEqual([
      [204, '*'],
      [204, '*'],
      [200, '*'],
      [429, '*'],
      [204, '*'],
    ]);
  });
});

test.each(closed.map((one) => [one.id, one] as const))('%s: answers no foreign page', async (_, { method, path }) => {
  for (const reply of [await preflight(path, method), await send(path, method)]) {
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect([reply.allow('allow-origin'), reply.allow('allow-methods')]).toEqual([null, null]);
  }
});
