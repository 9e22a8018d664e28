/** The tree of categories: at most four levels, products on its leaves (docs/contract.md#categories). */
import { beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
const request = (method: string, path: string, body?: unknown) => shop.seller.call(method, path, body);
const make = async (parentId: string | null = null): Promise<string> =>
  (await request('POST', '/v1/categories', { name: 'c', parentId })).body.data.categoryId as string;
const read = async (id: string) => (await request('GET', `/v1/categories/${id}`)).body.data;
const patch = (id: string, body: object) => request('PATCH', `/v1/categories/${id}`, body);
const product = (categoryId: string) => request('POST', '/v1/products', { name: 'p', salePrice: 1000, categoryId });

beforeAll(async () => {
  shop = await world();
});

test('a category moves within four levels and no circle', async () => {
  const one = await make();
  const two = await make(one);
  const three = await make(two);
  const four = await make(three);
  expect((await request('POST', '/v1/categories', { name: 'five', parentId: four })).body.error?.fieldErrors).toMatchObject([
    { field: 'parentId' },
  ]);
  for (const below of [one, two, four]) expect((await patch(one, { parentId: below })).body.error?.code).toBe('CATEGORY_CYCLE');
  const other = await make();
  expect((await patch(one, { parentId: other })).body.error?.fieldErrors).toMatchObject([{ field: 'parentId' }]);
  expect((await patch(three, { parentId: null, name: '위로' })).body.data).toMatchObject({
    depth: 1,
    parentId: null,
    name: '위로',
    isLeaf: false,
  });
  expect([(await read(four)).depth, (await read(two)).isLeaf]).toEqual([2, true]);
  expect((await patch(three, { parentId: other })).body.data).toMatchObject({ depth: 2 });
  expect([(await read(four)).depth, (await read(other)).isLeaf]).toEqual([3, false]);
  expect((await patch(three, { flowId: 'flw_x' })).body.error?.code).toBe('CATEGORY_NOT_LEAF');
  expect((await patch(four, { flowId: 'flw_x' })).body.error?.code).toBe('FLOW_NOT_FOUND');
});

test('only leaves have products, and only empty ones are deleted', async () => {
  const parent = await make();
  const leaf = await make(parent);
  expect((await product(parent)).body.error?.code).toBe('CATEGORY_NOT_LEAF');
  const { productId } = (await product(leaf)).body.data as { productId: string };
  expect((await request('POST', '/v1/categories', { name: 'x', parentId: leaf })).body.error?.code).toBe('CATEGORY_IN_USE');
  expect((await patch(await make(), { parentId: leaf })).body.error?.code).toBe('CATEGORY_IN_USE');
  for (const id of [parent, leaf]) expect((await request('DELETE', `/v1/categories/${id}`)).body.error?.code).toBe('CATEGORY_IN_USE');
  const shown = async (categoryId: string) =>
    (
      await call(underTest.api, 'GET', `/storefront/v1/products?categoryId=${categoryId}`, {
        headers: { 'x-store-code': shop.store.storeCode },
      })
    ).body.data.total;
  expect([await shown(parent), await shown(leaf), await shown('cat_none')]).toEqual([1, 1, 0]);
  const other = await make();
  expect((await request('PATCH', `/v1/products/${productId}`, { categoryId: parent })).body.error?.code).toBe('CATEGORY_NOT_LEAF');
  expect((await request('PATCH', `/v1/products/${productId}`, { categoryId: other })).status).toBe(200);
  expect((await request('DELETE', `/v1/categories/${leaf}`)).body.data).toBeNull();
  expect([(await read(parent)).isLeaf, (await request('GET', `/v1/categories/${leaf}`)).status]).toEqual([true, 404]);
});

test('moves at once in all directions leave a tree', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => make()));
  await Promise.all(Array.from({ length: 40 }, (_, i) => patch(ids[i % 6]!, { parentId: ids[(i * 5 + 1 + Math.floor(i / 6)) % 6]! })));
  for (const id of ids) {
    let at: string | null = id;
    let levels = 0;
    const { depth } = await read(id);
    for (; at !== null; levels++) {
      expect(levels).toBeLessThanOrEqual(4);
      at = (await read(at)).parentId as string | null;
    }
    expect(levels).toBe(depth);
  }
});
