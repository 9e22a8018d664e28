import { expect, test } from '@jest/globals';
import { pay } from '../../../bin/dev/client.ts';
import { query, world } from '../../kernel/world.ts';

test('a cart has one line per option until it is bought', async () => {
  const shop = await world();
  const { productId, variantId } = await shop.product({ stockQuantity: 5 });
  const other = await shop.product();
  const buyer = await shop.buyer();
  const add = (body: object) => buyer.call('POST', '/storefront/v1/cart/items', body);
  await add({ productId, quantity: 2 });
  await add({ productId: other.productId, quantity: 1 });
  const { body } = await add({ productId, optionId: variantId, quantity: 1 });
  expect(body.data).toMatchObject({
    items: [{ productId, quantity: 3, totalPrice: 30_000, isAvailable: true }, {}],
    amounts: { productAmount: 40_000 },
  });
  const [line, rest] = body.data.items as { cartItemId: string }[];
  expect((await add({ productId, quantity: 997 })).body.error?.fieldErrors).toMatchObject([{ field: 'quantity' }]);
  const patch = (id: string, quantity: number) => buyer.call('PATCH', `/storefront/v1/cart/items/${id}`, { quantity });
  expect((await patch(line!.cartItemId, 9)).body.data.items[0]).toMatchObject({
    isAvailable: false,
    unavailableReason: 'NOT_ENOUGH_STOCK',
  });
  const cartItemIds = [line!.cartItemId];
  expect((await buyer.call('POST', '/storefront/v1/checkout', { cartItemIds })).body.error?.code).toBe('OUT_OF_STOCK');
  await patch(line!.cartItemId, 2);
  const rival = await shop.buyer();
  for (const [method, path, sent] of [
    ['PATCH', `/storefront/v1/cart/items/${line!.cartItemId}`, { quantity: 1 }],
    ['DELETE', `/storefront/v1/cart/items/${line!.cartItemId}`, undefined],
    ['POST', '/storefront/v1/checkout', { cartItemIds }],
  ] as const)
    expect((await rival.call(method, path, sent)).body.error?.code).toBe('CART_ITEM_NOT_FOUND');
  const both = await buyer.call('POST', '/storefront/v1/checkout', { cartItemIds, items: [{ productId, quantity: 1 }] });
  expect(both.body.error?.fieldErrors).toMatchObject([{ field: 'items' }]);

  const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { cartItemIds })).body.data as { checkoutId: string };
  const { payUrl } = (await buyer.start(checkoutId)).body.data as { payUrl: string };
  expect((await pay(payUrl)).searchParams.get('svcResult')).toBe('COMPLETED');
  const left = (await buyer.call('GET', '/storefront/v1/cart/items')).body.data.items as { cartItemId: string }[];
  expect(left.map(({ cartItemId }) => cartItemId)).toEqual([rest!.cartItemId]);
  expect((await buyer.call('DELETE', `/storefront/v1/cart/items/${rest!.cartItemId}`)).body).toMatchObject({ data: null, error: null });
  await query(`UPDATE product SET status = 'STOPPED' WHERE product_id = $1`, [other.productId]);
  expect((await add({ productId: other.productId, quantity: 1 })).body.error?.code).toBe('OUT_OF_STOCK');
});
