/** No way of writing leaves a price below what it may be: sale price, discount, options and nights, whichever is written last. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
const day = (offset: number) => new Date(Date.now() + 9 * 3_600_000 + offset * 86_400_000).toISOString().slice(0, 10);
const request = (method: string, path: string, body?: unknown) => shop.seller.call(method, path, body);
interface Made {
  readonly productId: string;
  readonly variantId: string;
}
const room = () => shop.product({ inventoryMode: 'DATED', stockQuantity: undefined, fulfillment: { type: 'MANUAL' }, salePrice: 50_000 });
const writeNights = ({ productId, variantId }: Made, price: number | null, from = 3, to = 3) =>
  request('PUT', `/v1/products/${productId}/calendar`, { variantIds: [variantId], from: day(from), to: day(to), stock: 5, price });

/** Every way in which a seller writes the additional price of the one option. */
const WAYS: readonly (readonly [string, (made: Made, additionalPrice: number) => Promise<{ status: number; code: string | undefined }>])[] =
  [
    [
      'PUT of the options',
      (made, more) => sent(made, 'PUT', '/options', { optionGroups: [], variants: [{ optionValues: [], additionalPrice: more }] }),
    ],
    ['PATCH of the product', (made, more) => sent(made, 'PATCH', '', { variants: [{ optionValues: [], additionalPrice: more }] })],
    [
      'PUT of the product',
      async (made, more) => {
        const { name, salePrice, categoryId } = (await request('GET', `/v1/products/${made.productId}`)).body.data;
        return sent(made, 'PUT', '', { name, salePrice, categoryId, variants: [{ optionValues: [], additionalPrice: more }] });
      },
    ],
  ];
async function sent({ productId }: Made, method: string, path: string, body: object) {
  const { status, body: reply } = await request(method, `/v1/products/${productId}${path}`, body);
  return { status, code: reply.error?.code };
}
const CONFLICT = { status: 409, code: 'PRICE_CONFLICT' };

beforeAll(async () => {
  shop = await world();
});

describe.each(WAYS)('%s', (_, write) => {
  test('leaves no coming night below 10 won', async () => {
    const made = await room();
    expect((await writeNights(made, 1000)).status).toBe(200);
    expect(await write(made, -991)).toEqual(CONFLICT);
    expect((await write(made, -990)).status).toBe(200);
    // The other order.
    expect((await writeNights(made, 999)).body.error?.code).toBe('PRICE_CONFLICT');
    expect((await writeNights(made, null)).status).toBe(200);
    expect((await write(made, -49_990)).status).toBe(200);
    expect((await writeNights(made, 49_999)).body.error?.code).toBe('PRICE_CONFLICT');
  });
  test('is not bound by nights that are past', async () => {
    const made = await room();
    await query('INSERT INTO variant_night (store_id, variant_id, night, stock, price_won) VALUES ($1, $2, $3, 1, 1000)', [
      shop.store.storeId,
      made.variantId,
      day(-1),
    ]);
    expect((await write(made, -5000)).status).toBe(200);
  });
  test('is bound by a discount until its last day has passed', async () => {
    const made = await room();
    const discount = (value: number, from: number, to: number) =>
      request('PUT', `/v1/products/${made.productId}/discount`, { method: 'AMOUNT', value, startDate: day(from), endDate: day(to) });
    expect((await discount(40_000, 1, 2)).status).toBe(200);
    expect(await write(made, -10_000)).toEqual(CONFLICT);
    expect((await discount(40_000, -2, -1)).status).toBe(200);
    expect((await write(made, -10_000)).status).toBe(200);
    expect((await discount(40_000, 0, 0)).body.error?.code).toBe('PRICE_CONFLICT');
  });
});

test('a discount that is over bounds no sale price', async () => {
  const { productId } = await shop.product({ salePrice: 10_000 });
  await request('PUT', `/v1/products/${productId}/discount`, { method: 'AMOUNT', value: 9000, startDate: day(-3), endDate: day(-1) });
  expect((await request('PATCH', `/v1/products/${productId}`, { salePrice: 500 })).status).toBe(200);
});

test('the tables refuse it too, whoever writes', async () => {
  const made = await room();
  await writeNights(made, 1000);
  const refused = { code: '23514' };
  const [{ variantId }, { storeId }] = [made, shop.store];
  const set = 'UPDATE variant SET additional_price_won = $3 WHERE store_id = $1 AND variant_id = $2';
  await expect(query(set, [storeId, variantId, -49_991])).rejects.toMatchObject(refused);
  await expect(
    query(
      `WITH origin AS (SELECT set_config('app.origin', json_build_object('at', $4::bigint)::text, true))
      UPDATE variant SET additional_price_won = $3 FROM origin WHERE store_id = $1 AND variant_id = $2`,
      [storeId, variantId, -991, Date.now()],
    ),
  ).rejects.toMatchObject(refused);
  await query(set, [storeId, variantId, -100]);
  await expect(query('UPDATE product SET sale_price_won = 100 WHERE product_id = $1', [made.productId])).rejects.toMatchObject(refused);
  await expect(query('UPDATE variant_night SET price_won = 109 WHERE variant_id = $1', [variantId])).rejects.toMatchObject(refused);
  await expect(
    query(`INSERT INTO variant_night (store_id, variant_id, night, stock, price_won) VALUES ($1, $2, '2030-01-01', 1, 109)`, [
      storeId,
      variantId,
    ]),
  ).rejects.toMatchObject(refused);
  await query('UPDATE variant_night SET price_won = 110, stock = 2 WHERE variant_id = $1', [variantId]);
});

test('a night that was written below a won before is sold to nobody', async () => {
  const made = await room();
  await writeNights(made, 10);
  const buyer = await shop.buyer();
  const line = { productId: made.productId, quantity: 1, stay: { checkIn: day(3), checkOut: day(4) } };
  const checkout = (body: object) => buyer.call('POST', '/storefront/v1/checkout', body);
  const { checkoutId } = (await checkout({ items: [line] })).body.data as { checkoutId: string };
  const added = await buyer.call('POST', '/storefront/v1/cart/items', line);
  const [{ cartItemId }] = added.body.data.items as [{ cartItemId: string }];
  // As it could be left before the tables refused it.
  await query('UPDATE variant SET additional_price_won = -10 WHERE variant_id = $1', [made.variantId]);
  const item = { productId: made.productId, optionId: made.variantId };
  const refusal = { code: 'OUT_OF_STOCK', details: { items: [item] } };
  expect((await checkout({ items: [line] })).body.error).toMatchObject(refusal);
  expect((await checkout({ cartItemIds: [cartItemId] })).body.error).toMatchObject({
    ...refusal,
    details: { items: [{ ...item, cartItemId }] },
  });
  expect((await buyer.start(checkoutId)).body.error).toMatchObject({ code: 'CHECKOUT_STALE', details: { items: [item] } });
  expect((await buyer.call('POST', '/storefront/v1/cart/items', line)).body.error?.code).toBe('OUT_OF_STOCK');
  expect((await buyer.call('GET', '/storefront/v1/cart/items')).body.data.items).toMatchObject([
    { isAvailable: false, unavailableReason: 'NOT_ON_SALE' },
  ]);
  const shown = await call(underTest.api, 'GET', `/storefront/v1/products/${made.productId}/calendar?from=${day(3)}&to=${day(3)}`, {
    headers: { 'x-store-code': shop.store.storeCode },
  });
  expect(shown.body.data.days).toMatchObject([{ isAvailable: false, price: 0 }]);
});
