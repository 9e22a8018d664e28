/** Stock and price by the night, and stays (docs/contract.md#nights). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { call, type Headers_, pay } from '../../../bin/dev/client.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
const ROUNDS = Number(process.env['STOCK_ROUNDS'] ?? 3);
const day = (offset: number) => new Date(Date.now() + 9 * 3_600_000 + offset * 86_400_000).toISOString().slice(0, 10);
const request = (method: string, path: string, body?: unknown) => shop.seller.call(method, path, body);
const room = (changes: object = {}) =>
  shop.product({ inventoryMode: 'DATED', stockQuantity: undefined, fulfillment: { type: 'MANUAL' }, salePrice: 50_000, ...changes });
const write = async ({ productId, variantId }: { productId: string; variantId: string }, changes: object) =>
  request('PUT', `/v1/products/${productId}/calendar`, { variantIds: [variantId], from: day(1), to: day(10), ...changes });
const calendar = async (productId: string, from = day(1), to = day(10)) =>
  (await request('GET', `/v1/products/${productId}/calendar?from=${from}&to=${to}`)).body.data.days as {
    date: string;
    stock: number;
    price: number | null;
  }[];
const stocks = async (productId: string) => Object.fromEntries((await calendar(productId)).map(({ date, stock }) => [date, stock]));
const stay = (from: number, to: number) => ({ checkIn: day(from), checkOut: day(to) });
const buy = async (items: object[]) => {
  const buyer = await shop.buyer();
  const opened = await buyer.call('POST', '/storefront/v1/checkout', { items });
  if (opened.status !== 201) return { opened, status: null };
  const { checkoutId } = opened.body.data as { checkoutId: string };
  const started = await buyer.start(checkoutId, { shippingAddress: undefined });
  // Sold to somebody else since it was opened.
  if (started.status !== 200) return { opened, status: null };
  const { paymentId, payUrl } = started.body.data as { paymentId: string; payUrl: string };
  await pay(payUrl).catch(() => null);
  return { opened, status: (await buyer.status(paymentId)).body.data as { status: string; orderId: string } };
};
/** Σ movements of each night is its stock. */
const differences = () =>
  query(
    `SELECT n.variant_id, n.night FROM variant_night n LEFT JOIN night_movement m USING (store_id, variant_id, night)
     WHERE n.store_id = $1 GROUP BY n.store_id, n.variant_id, n.night, n.stock HAVING n.stock <> coalesce(sum(m.quantity), 0)`,
    [shop.store.storeId],
  );

beforeAll(async () => {
  shop = await world();
});

describe('the calendar', () => {
  test('takes back what it shows, also where units came back beyond the largest stock', async () => {
    const max = 100_000_000;
    const one = await room();
    const night = { from: day(3), to: day(3) };
    await write(one, { stock: max });
    const { status } = await buy([{ productId: one.productId, quantity: 1, stay: stay(3, 4) }]);
    await write(one, { stock: max });
    const order = (await request('GET', `/v1/orders/${status!.orderId}`)).body.data;
    await shop.act(order.items[0].orderItemId as string, 'cancel', { reason: 'OTHER' });
    expect((await stocks(one.productId))[day(3)]).toBe(max + 1);
    const refused = { code: 'VALIDATION_FAILED', fieldErrors: [{ field: 'stock', code: 'OUT_OF_RANGE' }] };
    expect((await write(one, { ...night, stock: max + 2 })).body.error).toMatchObject(refused);
    expect((await write(one, { stock: max + 1 })).body.error).toMatchObject(refused);
    expect((await write(one, { ...night, stock: max + 1 })).status).toBe(200);
    expect((await write(one, { ...night, stock: max })).status).toBe(200);
    expect((await write(one, { ...night, stock: max + 1 })).body.error).toMatchObject(refused);
  });

  test('writes stock and price of the days that it names', async () => {
    const one = await room();
    expect((await write(one, { stock: 3 })).body.data).toEqual({ updatedDays: 10 });
    expect((await write(one, { price: 70_000, daysOfWeek: [6] })).body.data.updatedDays).toBeLessThanOrEqual(2);
    const days = await calendar(one.productId);
    expect(days.every(({ date, price, stock }) => stock === 3 && (price === 70_000) === (new Date(date).getUTCDay() === 6))).toBe(true);
    await write(one, { price: null });
    expect((await calendar(one.productId)).every(({ price, stock }) => price === null && stock === 3)).toBe(true);
    const shown = await call(underTest.api, 'GET', `/storefront/v1/products/${one.productId}/calendar?from=${day(0)}&to=${day(12)}`, {
      headers: { 'x-store-code': shop.store.storeCode },
    });
    expect(shown.body.data.days).toHaveLength(13);
    expect(shown.body.data.days[0]).toEqual({ date: day(0), variantId: one.variantId, isAvailable: false, price: 50_000 });
    expect(shown.body.data.days[1]).toMatchObject({ isAvailable: true, price: 50_000 });
    expect(JSON.stringify(shown.body.data)).not.toContain('stock');
  });
  test('is bounded', async () => {
    const one = await room();
    const span = (days: number) => ({ from: day(1), to: day(days) });
    expect((await write(one, { ...span(400), stock: 1 })).body.data).toEqual({ updatedDays: 400 });
    for (const [changes, field] of [
      [{ ...span(401), stock: 1 }, 'to'],
      [{ ...span(400), stock: 1, variantIds: Array.from({ length: 26 }, (_, i) => `var_${i}`) }, 'to'],
      [{ from: day(3), to: day(2), stock: 1 }, 'to'],
      [{ from: day(-1), stock: 1 }, 'from'],
      [{}, 'stock'],
      [{ from: '2026-02-30', stock: 1 }, 'from'],
      [{ daysOfWeek: [7], stock: 1 }, 'daysOfWeek[0]'],
      [{ stock: -1 }, 'stock'],
    ] as const)
      expect([changes, (await write(one, changes)).body.error?.fieldErrors?.map((error) => error.field)]).toEqual([changes, [field]]);
    expect((await write({ ...one, variantId: 'var_none' }, { stock: 1 })).body.error?.code).toBe('VARIANT_NOT_FOUND');
    expect((await write(await shop.product(), { stock: 1 })).body.error?.code).toBe('INVENTORY_MODE_MISMATCH');
    const shown = (to: number) =>
      call(underTest.api, 'GET', `/storefront/v1/products/${one.productId}/calendar?from=${day(1)}&to=${day(to)}`, {
        headers: { 'x-store-code': shop.store.storeCode },
      });
    expect([(await shown(120)).status, (await shown(121)).status]).toEqual([200, 400]);
    const path = `/v1/products/${one.productId}/variants/${one.variantId}/stock`;
    expect((await request('PATCH', path, { stockQuantity: 1 })).body.error?.code).toBe('INVENTORY_MODE_MISMATCH');
    expect(
      (await request('POST', '/v1/products', { name: 'n', salePrice: 1000, categoryId: 'c', inventoryMode: 'DATED', stockQuantity: 1 }))
        .body.error,
    ).toMatchObject({
      fieldErrors: [{ field: 'stockQuantity' }],
    });
  });
});

describe('stays', () => {
  test('are sold at payment for the sum of their nights', async () => {
    const one = await room();
    await write(one, { stock: 2 });
    await write(one, { from: day(3), to: day(3), price: 80_000 });
    const item = { productId: one.productId, quantity: 2, stay: stay(2, 5) };
    const { opened, status } = await buy([item]);
    const nights = [
      { date: day(2), price: 50_000 },
      { date: day(3), price: 80_000 },
      { date: day(4), price: 50_000 },
    ];
    expect(opened.body.data.items[0]).toMatchObject({ unitPrice: 180_000, totalPrice: 360_000, stay: { ...item.stay, nights } });
    expect(await stocks(one.productId)).toMatchObject({ [day(1)]: 2, [day(2)]: 0, [day(3)]: 0, [day(4)]: 0, [day(5)]: 2 });
    const order = (await request('GET', `/v1/orders/${status!.orderId}`)).body.data;
    expect(order.items[0]).toMatchObject({ stay: { ...item.stay, nights }, totalPrice: 360_000 });
    const id = order.items[0].orderItemId as string;
    expect((await shop.act(id, 'cancel', { reason: 'OTHER', quantity: 1 })).body.data).toMatchObject({ refundAmount: 180_000 });
    expect(await stocks(one.productId)).toMatchObject({ [day(2)]: 1, [day(3)]: 1, [day(4)]: 1 });
    await shop.act(id, 'cancel', { reason: 'OTHER' });
    expect(await stocks(one.productId)).toMatchObject({ [day(2)]: 2, [day(5)]: 2 });
    expect(await differences()).toEqual([]);
  });
  test('have at most 30 nights, and only where there are nights', async () => {
    const one = await room();
    const plain = await shop.product();
    await write(one, { stock: 5, to: day(60) });
    const checkout = async (line: object) => (await buy([{ quantity: 1, ...line }])).opened;
    const cart = async (line: object) => (await shop.buyer()).call('POST', '/storefront/v1/cart/items', { quantity: 1, ...line });
    for (const put of [checkout, cart]) {
      expect((await put({ productId: one.productId })).body.error?.code).toBe('STAY_REQUIRED');
      expect((await put({ productId: plain.productId, stay: stay(1, 2) })).body.error?.code).toBe('STAY_NOT_APPLICABLE');
      const missing = await put({ productId: one.productId, stay: stay(59, 62) });
      expect(missing.body.error).toMatchObject({ code: 'DATES_UNAVAILABLE', details: { dates: [day(61)] } });
      expect((await put({ productId: one.productId, stay: stay(-1, 1) })).body.error?.code).toBe('DATES_UNAVAILABLE');
      expect((await put({ productId: one.productId, stay: stay(1, 31) })).status).toBe(201);
      for (const wrong of [stay(1, 32), stay(2, 2), stay(3, 2)])
        expect((await put({ productId: one.productId, stay: wrong })).body.error?.code).toBe('VALIDATION_FAILED');
      expect((await put({ productId: one.productId, stay: { checkIn: '2026-02-30', checkOut: day(3) } })).status).toBe(400);
    }
  });
  test('a cart line is one stay, at its present price', async () => {
    const one = await room();
    await write(one, { stock: 2 });
    const buyer = await shop.buyer();
    const add = (at: object) => buyer.call('POST', '/storefront/v1/cart/items', { productId: one.productId, quantity: 1, stay: at });
    await add(stay(1, 3));
    await add(stay(1, 3));
    const { items } = (await add(stay(2, 3))).body.data;
    expect(items).toMatchObject([
      { quantity: 2, unitPrice: 100_000, stay: stay(1, 3), isAvailable: true },
      { quantity: 1, unitPrice: 50_000, stay: stay(2, 3), isAvailable: true },
    ]);
    // Together they want three of a night of which there are two.
    const both = await buyer.call('POST', '/storefront/v1/checkout', {
      cartItemIds: items.map((item: { cartItemId: string }) => item.cartItemId),
    });
    expect(both.body.error).toMatchObject({ code: 'DATES_UNAVAILABLE', details: { dates: [day(2)] } });
    await write(one, { stock: 0, price: 60_000 });
    const seen = (await buyer.call('GET', '/storefront/v1/cart/items')).body.data;
    expect(seen).toMatchObject({
      items: [{ unitPrice: 120_000, isAvailable: false, unavailableReason: 'DATES_UNAVAILABLE' }, { isAvailable: false }],
      amounts: { productAmount: 0 },
    });
  });
  test('a guest’s stays become the customer’s', async () => {
    const one = await room();
    await write(one, { stock: 5 });
    const shopHeaders = { 'x-store-code': shop.store.storeCode };
    const person = {
      email: `stay${Date.now()}@example.com`,
      password: 'long enough',
      name: '이구매',
      phone: '010-1111-2222',
      consents: [{ kind: 'TERMS' }, { kind: 'PRIVACY' }],
    };
    const { accessToken } = (await call(underTest.api, 'POST', '/storefront/v1/auth/signup', { body: person, headers: shopHeaders })).body
      .data as {
      accessToken: string;
    };
    const customer = { ...shopHeaders, authorization: `Bearer ${accessToken}` };
    const add = (headers: Headers_, at: object) =>
      call(underTest.api, 'POST', '/storefront/v1/cart/items', { body: { productId: one.productId, quantity: 1, stay: at }, headers });
    await add(customer, stay(1, 3));
    const guest = await shop.buyer();
    await add(guest.headers, stay(1, 3));
    await add(guest.headers, stay(2, 4));
    const { email, password } = person;
    const body = { email, password, cartToken: guest.headers['x-cart-token'] };
    await call(underTest.api, 'POST', '/storefront/v1/auth/login', { body, headers: shopHeaders });
    const { items } = (await call(underTest.api, 'GET', '/storefront/v1/cart/items', { headers: customer })).body.data;
    expect(items).toMatchObject([
      { quantity: 2, stay: stay(1, 3) },
      { quantity: 1, stay: stay(2, 4) },
    ]);
  });
  test('nights that went meanwhile make a checkout stale', async () => {
    const one = await room();
    await write(one, { stock: 1 });
    const buyer = await shop.buyer();
    const items = [{ productId: one.productId, quantity: 1, stay: stay(1, 2) }];
    const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items })).body.data as { checkoutId: string };
    await buy(items);
    expect((await buyer.start(checkoutId)).body.error).toMatchObject({ code: 'CHECKOUT_STALE', details: { dates: [day(1)] } });
  });
  test('parallel stays that overlap from both ends sell no night twice', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [one, two] = [await room(), await room()];
      for (const each of [one, two]) await write(each, { stock: 3 });
      const lines = (first: typeof one, second: typeof one, from: number, to: number) => [
        { productId: first.productId, quantity: 1, stay: stay(from, to) },
        { productId: second.productId, quantity: 1, stay: stay(from, to) },
      ];
      const results = await Promise.all(
        Array.from({ length: 16 }, (_, i) => buy(i % 2 === 0 ? lines(one, two, 1, 4) : lines(two, one, 3, 6))),
      );
      const paid = results.filter(({ status }) => status?.status === 'completed').length;
      // Night 3 belongs to every stay.
      expect([paid, (await stocks(one.productId))[day(3)]]).toEqual([3, 0]);
      expect(await differences()).toEqual([]);
    }
  }, 120_000);
});

test('a night’s stock is the sum of its movements in whatever order', async () => {
  const one = await room();
  await write(one, { stock: 5 });
  type Step = { do: 'write'; stock: number; from: number } | { do: 'buy'; from: number; quantity: number } | { do: 'cancel' };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constant('write' as const), stock: fc.nat(6), from: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ do: fc.constant('buy' as const), from: fc.integer({ min: 1, max: 5 }), quantity: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ do: fc.constant('cancel' as const) }),
  );
  const sold: string[] = [];
  const take = async (one_: Step) => {
    if (one_.do === 'write') await write(one, { stock: one_.stock, from: day(one_.from), to: day(one_.from + 2) });
    else if (one_.do === 'buy') {
      const { status } = await buy([{ productId: one.productId, quantity: one_.quantity, stay: stay(one_.from, one_.from + 2) }]);
      if (status?.orderId) sold.push((await request('GET', `/v1/orders/${status.orderId}`)).body.data.items[0].orderItemId as string);
    } else if (sold.length > 0) await shop.act(sold.pop()!, 'cancel', { reason: 'OTHER' });
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
      await Promise.all(steps.map(take));
      expect(await differences()).toEqual([]);
    }),
    { numRuns: ROUNDS * 3, endOnFailure: true },
  );
}, 120_000);
