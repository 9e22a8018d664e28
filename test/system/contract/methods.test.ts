/** Generated from the endpoint list: what an address takes, and what it says of itself. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { call } from '../../../bin/dev/client.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
beforeAll(async () => {
  shop = await world();
});
const byPath = Map.groupBy(
  endpoints.map(({ route }) => route.split(' ') as [string, string]),
  ([, path]) => path,
);
const values = new Set(endpoints.filter(({ endsInValue }) => endsInValue).map(({ route }) => route.split(' ')[1]!));
/** A path that ends in a value of a parameter takes the methods of the parameter's path too, which takes those of the values. */
const methodsAt = (path: string): string[] => {
  const own = byPath.get(path)!;
  const isBeside = (other: string) => other.replace(/[^/]+$/, '') === path.replace(/[^/]+$/, '');
  const others = [...byPath].filter(([other]) => isBeside(other) && (values.has(path) ? other.endsWith('}') : values.has(other)));
  const shared = values.has(path) || path.endsWith('}') ? others.flatMap(([, routes]) => routes) : [];
  return [...new Set([...own, ...shared].map(([method]) => method))];
};
const declared = [...byPath.keys()].map((path) => [path, methodsAt(path)] as const);

test.each(declared)('%s: Allow names exactly what it takes, and whatever it names is not refused as a method', async (path, methods) => {
  const address = path.replaceAll(/{(\w+)}/g, 'x');
  const wanted = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].toSorted();
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const reply = await fetch(underTest.api + address, { method, headers: { 'x-store-code': shop.store.storeCode } });
    await reply.arrayBuffer();
    const allow = reply.headers.get('allow');
    expect([method, reply.status === 405, allow]).toEqual([
      method,
      !wanted.includes(method),
      wanted.includes(method) ? null : wanted.join(', '),
    ]);
  }
});

describe('bodies', () => {
  test.each([
    ['PATCH', '/v1/store'],
    ['PATCH', '/v1/categories/cat_x'],
    ['PATCH', '/v1/products/prd_x'],
  ])('%s %s: a body is required where the document says so', async (method, path) => {
    const missing = await shop.seller.call(method, path);
    expect([missing.status, missing.body.error]).toMatchObject([
      400,
      { code: 'VALIDATION_FAILED', fieldErrors: [{ field: '', code: 'REQUIRED' }] },
    ]);
    expect((await shop.seller.call(method, path, {})).status).toBe(path.endsWith('store') ? 200 : 404);
  });
  test('an empty object and no body are the same request to an operation that is told nothing', async () => {
    const path = '/storefront/v1/auth/anonymous';
    const headers = { 'x-store-code': shop.store.storeCode };
    expect((await call(underTest.api, 'POST', path, { headers })).status).toBe(201);
    expect((await call(underTest.api, 'POST', path, { headers, body: {} })).status).toBe(201);
  });
});

test('Location names what was created wherever it can be read by its id', async () => {
  const made = await shop.seller.call('POST', '/v1/categories', { name: 'c' }, { 'idempotency-key': 'c' });
  const again = await shop.seller.call('POST', '/v1/categories', { name: 'c' }, { 'idempotency-key': 'c' });
  for (const reply of [made, again]) {
    const location = reply.headers.get('location')!;
    expect((await shop.seller.call('GET', location)).body.data).toEqual(made.body.data);
  }
});
