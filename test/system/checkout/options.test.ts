/** Products with options as they are registered, and products as buyers see them. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let categoryId: string;
beforeAll(async () => {
  shop = await world();
  categoryId = (await shop.seller.call('POST', '/v1/categories', { name: '옷' })).body.data.categoryId as string;
});
const colours = { name: '색상', values: ['회색', '남색'] };
const sizes = { name: '길이', values: ['S', 'L'] };
const register = (changes: object) =>
  shop.seller.call('POST', '/v1/products', { name: '머플러', salePrice: 10_000, categoryId, ...changes });

describe('options', () => {
  test('every combination has a variant, numbered in order', async () => {
    const { status, body } = await register({
      optionGroups: [colours, sizes],
      variants: [
        {
          optionValues: ['남색', 'S'],
          stockQuantity: 5,
          additionalPrice: 500,
          sku: 'N-S',
          attributes: { showAt: '2026-12-24T19:00:00+09:00' },
        },
      ],
    });
    expect(status).toBe(201);
    const { variants, productNo, stockQuantity } = body.data;
    expect(variants.map((v: { variantNo: string; optionValues: string[] }) => [v.variantNo, v.optionValues.join('/')])).toEqual([
      [`${productNo}-01`, '회색/S'],
      [`${productNo}-02`, '회색/L'],
      [`${productNo}-03`, '남색/S'],
      [`${productNo}-04`, '남색/L'],
    ]);
    expect(variants[2]).toMatchObject({ price: 10_500, stockQuantity: 5, sku: 'N-S', attributes: { showAt: '2026-12-24T19:00:00+09:00' } });
    expect([variants[0].stockQuantity, variants[0].isSellable, variants[0].isSoldOut, stockQuantity]).toEqual([0, true, true, 5]);
    expect((await shop.seller.call('GET', `/v1/products/${body.data.productId as string}`)).body.data).toEqual(body.data);
  });
  test('a product has at most 500 combinations', async () => {
    const values = (n: number) => Array.from({ length: n }, (_, i) => `v${i}`);
    const { body } = await register({
      optionGroups: [
        { name: 'a', values: values(100) },
        { name: 'b', values: values(5) },
      ],
    });
    expect(body.data.variants).toHaveLength(500);
    expect(body.data.variants[99].variantNo).toBe(`${body.data.productNo as number}-100`);
    const tooMany = await register({
      optionGroups: [
        { name: 'a', values: values(100) },
        { name: 'b', values: values(6) },
      ],
    });
    expect(tooMany.body.error?.fieldErrors).toMatchObject([{ field: 'optionGroups', code: 'OUT_OF_RANGE' }]);
  });
  test('a product with problems is not registered, and all are reported', async () => {
    const before = (await shop.seller.call('GET', '/v1/products')).body.data.total as number;
    const { status, body } = await register({
      stockQuantity: 3,
      optionGroups: [
        { name: '색상', values: ['회색', '회색'] },
        { name: '색상', values: ['S'] },
      ],
      variants: [
        { optionValues: ['빨강', 'S'] },
        { optionValues: ['회색', 'S'], additionalPrice: -9_991 },
        { optionValues: ['회색', 'S'] },
      ],
      fulfillment: { type: 'MANUAL', methods: ['CARRIER'], shipping: { deliveryFee: 1 } },
    });
    expect(status).toBe(400);
    expect(body.error?.fieldErrors?.map(({ field, code }) => `${field} ${code}`).toSorted()).toEqual([
      'fulfillment.methods INVALID',
      'fulfillment.shipping INVALID',
      'optionGroups[0].values[1] DUPLICATE',
      'optionGroups[1].name DUPLICATE',
      'stockQuantity INVALID',
      'variants[0].optionValues INVALID',
      'variants[1].additionalPrice OUT_OF_RANGE',
      'variants[2].optionValues DUPLICATE',
    ]);
    for (const optionGroups of [[{ name: 'a', values: [] }], Array.from({ length: 4 }, (_, i) => ({ name: `${i}`, values: ['x'] }))])
      expect((await register({ optionGroups })).status).toBe(400);
    expect((await shop.seller.call('GET', '/v1/products')).body.data.total).toBe(before);
  });
});

describe('what buyers see', () => {
  test('products on sale are shown without stock counts', async () => {
    const own = await world();
    const { productId } = await own.product({ name: '한정판 우산', stockQuantity: 1 });
    await own.product({ name: '양말' });
    const hidden = await own.product({ name: '우산 헌것' });
    await query(`UPDATE product SET status = 'STOPPED' WHERE product_id = $1`, [hidden.productId]);
    const headers = { 'x-store-code': own.store.storeCode };
    const list = (search: string) => call(underTest.api, 'GET', `/storefront/v1/products${search}`, { headers });
    expect((await list('')).body.data).toMatchObject({ total: 2, page: 1, items: [{ name: '양말' }, { name: '한정판 우산' }] });
    expect((await list('?page=2&size=1')).body.data).toMatchObject({ total: 2, items: [{ name: '한정판 우산' }] });
    expect((await list('?page=9')).body.data).toMatchObject({ total: 2, items: [] });
    const found = (await list(`?keyword=${encodeURIComponent('우산')}`)).body.data;
    expect(found.items.map((item: { productId: string }) => item.productId)).toEqual([productId]);
    expect(JSON.stringify(found)).not.toContain('stockQuantity');
    expect((await list(`?categoryId=${found.items[0].categoryId as string}`)).body.data.total).toBe(1);
    const one = await call(underTest.api, 'GET', `/storefront/v1/products/${found.items[0].productNo as number}`, { headers });
    // A list tells of variants and images in sums.
    const { images, variantCount, minPrice, maxPrice, ...shared } = found.items[0];
    expect(one.body.data).toMatchObject(shared);
    for (const left of ['description', 'optionGroups', 'variants']) expect(shared).not.toHaveProperty(left);
    const prices = (one.body.data.variants as { price: number }[]).map(({ price }) => price);
    expect([images, variantCount, minPrice, maxPrice]).toEqual([
      one.body.data.images.slice(0, 1),
      prices.length,
      Math.min(...prices),
      Math.max(...prices),
    ]);
    for (const id of [hidden.productId, '999999', 'x'])
      expect((await call(underTest.api, 'GET', `/storefront/v1/products/${id}`, { headers })).body.error?.code).toBe('PRODUCT_NOT_FOUND');
  });
});
