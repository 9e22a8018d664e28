/** What was chosen and is gone since is refused as what cannot be bought, line by line; the rest can be bought. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pay } from '../../../bin/dev/client.ts';
import { query, type World, world } from '../../kernel/world.ts';

let shop: World;
beforeAll(async () => {
  shop = await world();
});
interface Made {
  readonly productId: string;
  readonly variantId: string;
}
const product = ({ productId }: Made) => `/v1/products/${productId}`;
const options = (made: Made, optionGroups: object[]) => shop.seller.call('PUT', `${product(made)}/options`, { optionGroups });

/** Every way in which a line goes. */
const WAYS: readonly (readonly [string, (made: Made) => Promise<{ status: number }>])[] = [
  ['a deleted product', (made) => shop.seller.call('DELETE', product(made))],
  ['a deleted option', (made) => options(made, [{ name: '색', values: ['검정', '흰색'] }])],
  ['new axes', (made) => options(made, [{ name: '크기', values: ['S', 'L'] }])],
  ['no axes any more', (made) => options(made, [])],
  ['a product by the night', (made) => shop.seller.call('PATCH', product(made), { inventoryMode: 'DATED' })],
  ['a product that is stopped', (made) => shop.seller.call('PATCH', product(made), { status: 'STOPPED' })],
];
const coloured = () =>
  shop.product({
    stockQuantity: undefined,
    optionGroups: [{ name: '색', values: ['회색', '남색'] }],
    variants: ['회색', '남색'].map((value) => ({ optionValues: [value], stockQuantity: 5 })),
  });

describe.each(WAYS)('%s', (_, remove) => {
  test('in a cart is OUT_OF_STOCK with its line, and the good one can be bought', async () => {
    const [good, gone] = [await shop.product(), await coloured()];
    const buyer = await shop.buyer();
    const add = ({ productId, variantId: optionId }: Made) =>
      buyer.call('POST', '/storefront/v1/cart/items', { productId, optionId, quantity: 1 });
    await add(good);
    const { items } = (await add(gone)).body.data as { items: { cartItemId: string; productId: string }[] };
    expect((await remove(gone)).status).toBe(200);
    const [found, lost] = [good, gone].map(({ productId }) => items.find((item) => item.productId === productId)!.cartItemId);
    const checkout = (cartItemIds: unknown[]) => buyer.call('POST', '/storefront/v1/checkout', { cartItemIds });
    const refused = await checkout([found, lost]);
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'OUT_OF_STOCK', details: { items: [{ productId: gone.productId, optionId: gone.variantId, cartItemId: lost }] } },
    ]);
    expect((await buyer.call('GET', '/storefront/v1/cart/items')).body.data.items).toMatchObject([
      { isAvailable: true },
      { isAvailable: false },
    ]);
    expect((await checkout([found])).status).toBe(201);
  });

  test('in an open checkout is CHECKOUT_STALE with its line', async () => {
    const gone = await coloured();
    const buyer = await shop.buyer();
    const items = [{ productId: gone.productId, optionId: gone.variantId, quantity: 1 }];
    const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items })).body.data as { checkoutId: string };
    await remove(gone);
    expect((await buyer.start(checkoutId)).body.error).toMatchObject({
      code: 'CHECKOUT_STALE',
      details: { items: [{ productId: gone.productId, optionId: gone.variantId }] },
    });
  });

  test('between the start of a payment and the return charges nobody, and sells nothing', async () => {
    const gone = await coloured();
    const buyer = await shop.buyer();
    const items = [{ productId: gone.productId, optionId: gone.variantId, quantity: 1 }];
    const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items })).body.data as { checkoutId: string };
    const { paymentId, payUrl } = (await buyer.start(checkoutId)).body.data as { paymentId: string; payUrl: string };
    expect((await remove(gone)).status).toBe(200);
    await pay(payUrl).catch(() => null);
    expect((await buyer.status(paymentId)).body.data).toMatchObject({ orderId: null, result: 'FAILED' });
    const attempts = await query('SELECT status FROM payment_attempt WHERE payment_id = $1', [paymentId]);
    expect(attempts).toEqual([{ status: expect.not.stringMatching(/APPROVED|VOIDED|UNRESOLVED/) }]);
    expect(await query('SELECT 1 FROM stock_movement WHERE variant_id = $1 AND reason = $2', [gone.variantId, 'SALE'])).toEqual([]);
  });
});

test('a room that is no longer let by the night is not sold to whoever pays for nights', async () => {
  const day = (offset: number) => new Date(Date.now() + 9 * 3_600_000 + offset * 86_400_000).toISOString().slice(0, 10);
  const room = await shop.product({ inventoryMode: 'DATED', stockQuantity: undefined, fulfillment: { type: 'MANUAL' } });
  await shop.seller.call('PUT', `${product(room)}/calendar`, { variantIds: [room.variantId], from: day(1), to: day(3), stock: 2 });
  const buyer = await shop.buyer();
  const items = [{ productId: room.productId, quantity: 1, stay: { checkIn: day(1), checkOut: day(2) } }];
  const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items })).body.data as { checkoutId: string };
  const { paymentId, payUrl } = (await buyer.start(checkoutId, { shippingAddress: undefined })).body.data as {
    paymentId: string;
    payUrl: string;
  };
  expect((await shop.seller.call('PATCH', product(room), { inventoryMode: 'STANDARD' })).status).toBe(200);
  await pay(payUrl).catch(() => null);
  expect((await buyer.status(paymentId)).body.data).toMatchObject({ orderId: null, result: 'FAILED' });
});
