/** A product of several options is bought by naming one: what leaves it out is a request that is not valid, nothing that is missing. */
import { beforeAll, expect, test } from '@jest/globals';
import { query, type World, world } from '../../kernel/world.ts';
import type { Buyer } from '../../../bin/dev/client.ts';

let shop: World;
let buyer: Buyer;
let several: { productId: string; variantId: string };
let single: { productId: string };
beforeAll(async () => {
  shop = await world();
  buyer = await shop.buyer();
  single = { productId: (await shop.product()).productId };
  several = await shop.product({ stockQuantity: undefined, optionGroups: [{ name: '색', values: ['회색', '남색'] }] });
  await query('UPDATE variant SET stock_quantity = 5 WHERE store_id = $1', [shop.store.storeId]);
});
const missing = (...fields: string[]) => ({
  code: 'VALIDATION_FAILED',
  fieldErrors: fields.map((field) => ({ field, code: 'REQUIRED', message: expect.any(String) })),
});

test('the cart needs optionId where there are several variants', async () => {
  const add = (body: object) => buyer.call('POST', '/storefront/v1/cart/items', { quantity: 1, ...body });
  const refused = await add({ productId: several.productId });
  expect([refused.status, refused.body.error]).toEqual([400, { ...missing('optionId'), message: expect.any(String) }]);
  expect((await add(single)).status).toBe(201);
  expect((await add({ productId: several.productId, optionId: several.variantId })).status).toBe(201);
  expect((await add({ productId: several.productId, optionId: 'var_none' })).body.error?.code).toBe('VARIANT_NOT_FOUND');
});

test('a checkout reports all lines without it at once', async () => {
  const { productId } = several;
  const lines = [{ productId }, single, { productId, optionId: several.variantId }, { productId }, { productId: 'prd_none' }];
  const open = (items: object[]) =>
    buyer.call('POST', '/storefront/v1/checkout', { items: items.map((item) => ({ quantity: 1, ...item })) });
  const refused = await open(lines);
  expect([refused.status, refused.body.error]).toMatchObject([400, missing('items[0].optionId', 'items[3].optionId')]);
  expect((await open(lines.filter((line) => !('productId' in line) || line.productId !== productId))).body.error?.code).toBe(
    'PRODUCT_NOT_FOUND',
  );
});
