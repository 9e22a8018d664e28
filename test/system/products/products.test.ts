/** Products as a seller changes them (docs/contract.md#products). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, untilBlockedBy, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: Headers_;
const send = (method: string, path: string, body?: unknown, headers: Headers_ = {}) => shop.seller.call(method, path, body, headers);
const atConsole = (method: string, path: string, body?: unknown) => call(underTest.api, method, path, { body, headers: owner });
const read = async (productId: string) => (await send('GET', `/v1/products/${productId}`)).body.data;
const WAREHOUSE = { type: 'SHIPPING', name: '창고', receiver: '이출고', mobile: '010-3333-4444', zipCode: '06236', address: '서울' };

beforeAll(async () => {
  shop = await world();
  await people(shop);
  owner = { authorization: `Bearer ${await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId)}` };
});

describe('PUT and PATCH', () => {
  test('PUT replaces a product, PATCH only what is sent', async () => {
    const shipping = { deliveryType: 'CONDITIONAL_FREE', deliveryFee: 2500, conditionalFreeAmount: 30_000 };
    const { productId } = await shop.product({
      description: 'd',
      originalPrice: 20_000,
      stockQuantity: undefined,
      optionGroups: [{ name: '색', values: ['회색', '남색'] }],
      variants: [{ optionValues: ['회색'], stockQuantity: 4 }],
      fulfillment: { type: 'SHIPPING', shipping },
      refundPolicy: { returnDeliveryFee: 3000 },
      pointEarnRateBp: 100,
    });
    const before = await read(productId);
    expect(before).toMatchObject({ refundPolicy: { returnDeliveryFee: 3000 }, pointEarnRateBp: 100, stockQuantity: 4 });
    const put = await send('PUT', `/v1/products/${productId}`, { name: '새 이름', salePrice: 12_000, categoryId: before.categoryId });
    expect(put.body.data).toMatchObject({
      name: '새 이름',
      description: null,
      originalPrice: null,
      refundPolicy: null,
      pointEarnRateBp: null,
      stockQuantity: 4,
      fulfillment: { type: 'SHIPPING', shipping },
      optionGroups: before.optionGroups,
    });
    const patched = await send('PATCH', `/v1/products/${productId}`, {
      status: 'STOPPED',
      fulfillment: { shipping: { deliveryType: 'FREE' } },
      refundPolicy: { exchangeDeliveryFee: 5000 },
    });
    expect(patched.body.data).toMatchObject({
      name: '새 이름',
      status: 'STOPPED',
      refundPolicy: { exchangeDeliveryFee: 5000 },
      fulfillment: { shipping: { deliveryType: 'FREE', deliveryFee: 0, conditionalFreeAmount: null } },
    });
    const cleared = await send('PATCH', `/v1/products/${productId}`, { refundPolicy: { exchangeDeliveryFee: null }, originalPrice: 1 });
    expect(cleared.body.data).toMatchObject({ refundPolicy: null, originalPrice: 1 });
  });
  test('what was sold keeps its type', async () => {
    const { productId } = await shop.product({ refundPolicy: { returnDeliveryFee: 3000, sellerFaultFreeShipping: false } });
    const manual = { fulfillment: { type: 'MANUAL' } };
    const refused = await send('PATCH', `/v1/products/${productId}`, { ...manual, refundPolicy: { returnDeliveryFee: 1 } });
    expect(refused.body.error?.code).toBe('REFUND_POLICY_NOT_APPLICABLE');
    expect((await read(productId)).fulfillment.type).toBe('SHIPPING');
    const changed = await send('PATCH', `/v1/products/${productId}`, manual);
    expect(changed.body.data).toMatchObject({
      refundPolicy: { sellerFaultFreeShipping: false },
      fulfillment: { type: 'MANUAL', methods: ['PROVIDED'], shipping: null },
      fulfillmentTypeLocked: false,
    });
    await shop.order({ productId });
    expect((await read(productId)).fulfillmentTypeLocked).toBe(true);
    const back = await send('PATCH', `/v1/products/${productId}`, { fulfillment: { type: 'SHIPPING' } });
    expect(back.body.error?.code).toBe('FULFILLMENT_TYPE_LOCKED');
    const dated = await send('PATCH', `/v1/products/${productId}`, { inventoryMode: 'DATED' });
    expect(dated.body.error?.code).toBe('INVENTORY_MODE_LOCKED');
    expect(
      (await send('PATCH', `/v1/products/${productId}`, { fulfillment: { methods: ['PICKUP'] } })).body.data.fulfillment,
    ).toMatchObject({
      methods: ['PICKUP'],
    });
  });
  test('of two changes of the type at once one wins', async () => {
    for (let round = 0; round < 5; round++) {
      const { productId } = await shop.product();
      const replies = await Promise.all(
        Array.from({ length: 4 }, () => send('PATCH', `/v1/products/${productId}`, { fulfillment: { type: 'MANUAL' } })),
      );
      const codes = replies.map(({ status, body }) => (status === 200 ? 'OK' : String(body.error?.code)));
      expect(codes).toContain('OK');
      expect(codes.every((code) => code === 'OK' || code === 'PRODUCT_CHANGED')).toBe(true);
    }
    // Certainly: the row is held while another change is on its way.
    const { productId } = await shop.product();
    const { Client } = await import('pg');
    const other = new Client({ connectionString: underTest.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await other.query(`UPDATE product SET fulfillment_type = 'MANUAL' WHERE product_id = $1`, [productId]);
    const waiting = send('PATCH', `/v1/products/${productId}`, { name: 'x' });
    await untilBlockedBy(rows[0]!.pid);
    await other.query('COMMIT');
    await other.end();
    expect((await waiting).body.error?.code).toBe('PRODUCT_CHANGED');
  });
  test('If-Match names the version that a change was made for', async () => {
    const { productId } = await shop.product();
    const etag = (await send('GET', `/v1/products/${productId}`)).headers.get('etag')!;
    const changed = await send('PATCH', `/v1/products/${productId}`, { name: 'a' }, { 'if-match': etag });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    for (const tag of [etag, '"x"', 'garbage']) {
      const late = await send('PATCH', `/v1/products/${productId}`, { name: 'b' }, { 'if-match': tag });
      expect([late.status, late.body.error?.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect((await send('PATCH', `/v1/products/${productId}`, { name: 'c' }, { 'if-match': '*' })).status).toBe(200);
  });
  test('all problems are reported at once', async () => {
    const { productId } = await shop.product();
    const { body } = await send('PATCH', `/v1/products/${productId}`, {
      deliveryFee: 1,
      fulfillmentType: 'MANUAL',
      returnFee: 1,
      exchangeFee: 1,
      name: ' ',
      salePrice: 9,
      refundPolicy: { couponShortfallCharge: true },
      images: ['http://elsewhere.example/x.png'],
      pointEarnRateBp: 3001,
    });
    expect(body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual([
      'deliveryFee',
      'exchangeFee',
      'fulfillmentType',
      'images[0]',
      'name',
      'pointEarnRateBp',
      'refundPolicy.couponShortfallCharge',
      'returnFee',
      'salePrice',
    ]);
    for (const [field, shipping] of [
      ['deliveryFee', { deliveryType: 'FREE', deliveryFee: 500 }],
      ['conditionalFreeAmount', { deliveryType: 'CONDITIONAL_FREE' }],
      ['conditionalFreeAmount', { deliveryType: 'PAID', conditionalFreeAmount: 1 }],
    ] as const)
      expect((await send('PATCH', `/v1/products/${productId}`, { fulfillment: { shipping } })).body.error?.fieldErrors).toMatchObject([
        { field: `fulfillment.shipping.${field}` },
      ]);
    expect((await send('PATCH', `/v1/products/${productId}`, { salePrice: 10_005 })).body.error?.code).toBe('INVALID_PRICE_UNIT');
    expect((await send('PATCH', `/v1/products/${productId}`, { flowId: 'flw_x' })).body.error?.code).toBe('FLOW_NOT_FOUND');
    expect((await send('PATCH', `/v1/products/${productId}`, { flowId: null })).status).toBe(200);
  });
  test('limits at their edge and one past it', async () => {
    const { categoryId } = await read((await shop.product()).productId);
    const product = (changes: object) => send('POST', '/v1/products', { name: 'n', salePrice: 1000, categoryId, ...changes });
    const image = 'https://example.com/i.png';
    for (const [edge, past] of [
      [{ name: 'n'.repeat(100) }, { name: 'n'.repeat(101) }],
      [{ images: Array(10).fill(image) }, { images: Array(11).fill(image) }],
      [{ salePrice: 10 }, { salePrice: 0 }],
      [{ pointEarnRateBp: 3000 }, { pointEarnRateBp: 3001 }],
      [{ optionGroups: groups(3, 2) }, { optionGroups: groups(4, 2) }],
      [{ optionGroups: groups(1, 100) }, { optionGroups: groups(1, 101) }],
      [{ optionGroups: [...groups(1, 100), { name: 'z', values: ['1', '2', '3', '4', '5'] }] }, { optionGroups: groups(3, 8) }],
    ] as const) {
      expect([edge, (await product(edge)).status]).toEqual([edge, 201]);
      expect([past, (await product(past)).body.error?.code]).toEqual([past, 'VALIDATION_FAILED']);
    }
  });
  test('a deleted product is gone everywhere but from orders', async () => {
    const { productId } = await shop.product();
    const { productNo, categoryId } = await read(productId);
    const { orderItemId } = await shop.order({ productId });
    expect((await send('DELETE', `/v1/products/${productId}`)).body).toMatchObject({ data: null });
    for (const method of ['GET', 'DELETE'])
      expect((await send(method, `/v1/products/${productId}`)).body.error?.code).toBe('PRODUCT_NOT_FOUND');
    expect((await send('GET', `/v1/products?productNo=${productNo}`)).body.data.total).toBe(0);
    expect((await shop.item(orderItemId))['productName']).toBe('양모 머플러');
    expect((await read((await shop.product()).productId)).productNo).toBeGreaterThan(productNo as number);
    expect((await send('DELETE', `/v1/categories/${categoryId}`)).status).toBe(200);
  });
});
const groups = (axes: number, values: number) =>
  Array.from({ length: axes }, (_, a) => ({ name: `a${a}`, values: Array.from({ length: values }, (__, v) => `v${v}`) }));

describe('lists', () => {
  test('filters find what they name, alone and together', async () => {
    const { productId } = await shop.product({ name: '겨울 캐시미어 스웨터' });
    const { productNo, categoryId } = await read(productId);
    const ids = async (filter: string) =>
      ((await send('GET', `/v1/products?${filter}`)).body.data.items as { productId: string }[]).map((item) => item.productId);
    const keyword = (text: string) => `keyword=${encodeURIComponent(text)}`;
    for (const text of ['캐시미어', '캐', '울 캐', '미어 스웨터', '겨울 캐시미어 스웨터'])
      expect(await ids(keyword(text))).toEqual([productId]);
    for (const text of ['캐시 미어', '캐미어', '%', '_', "'", '캐시미어어', 'CASHMERE']) expect(await ids(keyword(text))).toEqual([]);
    expect(await ids(`${keyword('스웨터')}&productNo=${productNo}&status=ON_SALE&categoryId=${categoryId}`)).toEqual([productId]);
    await send('PATCH', `/v1/products/${productId}`, { name: 'Linen {shirt}, "white"' });
    expect(await ids(keyword('캐시미어'))).toEqual([]);
    expect(await ids(keyword('{SHIRT}, "w'))).toEqual([productId]);
    for (const filter of ['productNo=a', 'status=WHAT'])
      expect((await send('GET', `/v1/products?${filter}`)).body.error?.code).toBe('INVALID_PARAMETER');
  });
  test('a bulk change of status has a result for each', async () => {
    const products = [await shop.product(), await shop.product()].map(({ productId }) => productId);
    const body = { productIds: [...products, 'prd_none'], status: 'SOLD_OUT' };
    const { data } = (await send('POST', '/v1/products/bulk/status', body)).body;
    expect(data).toMatchObject({
      succeeded: 2,
      failed: 1,
      results: [{ code: 'OK' }, { code: 'OK' }, { id: 'prd_none', code: 'PRODUCT_NOT_FOUND' }],
    });
    expect((await read(products[0]!)).status).toBe('SOLD_OUT');
    const shown = await call(underTest.api, 'GET', `/storefront/v1/products/${products[0]!}`, {
      headers: { 'x-store-code': shop.store.storeCode },
    });
    expect(shown.status).toBe(404);
    expect((await send('POST', '/v1/products/bulk/status', { productIds: Array(101).fill('x'), status: 'ENDED' })).status).toBe(400);
    expect((await send('GET', `/v1/products/${products[0]!}/flow`)).body.data).toMatchObject({
      source: 'PLATFORM',
      flow: { key: 'shipping-standard' },
    });
  });
});

describe('discounts', () => {
  const day = (offset: number) => new Date(Date.now() + 9 * 3_600_000 + offset * 86_400_000).toISOString().slice(0, 10);
  const shown = async (productId: string) =>
    (await call(underTest.api, 'GET', `/storefront/v1/products/${productId}`, { headers: { 'x-store-code': shop.store.storeCode } })).body
      .data;

  test('buyers pay the discounted price in its period', async () => {
    const { productId } = await shop.product({ salePrice: 9990 });
    expect((await send('GET', `/v1/products/${productId}/discount`)).body.error?.code).toBe('DISCOUNT_NOT_FOUND');
    const put = (body: object) => send('PUT', `/v1/products/${productId}/discount`, body);
    await put({ method: 'RATE', value: 33, startDate: day(0), endDate: day(0) });
    expect(await shown(productId)).toMatchObject({ salePrice: 9990, discountedPrice: 6694, variants: [{ price: 6694 }] });
    const { orderId } = await shop.order({ productId });
    expect((await send('GET', `/v1/orders/${orderId}`)).body.data.items[0]).toMatchObject({ unitPrice: 6694, totalPrice: 6694 });
    await put({ method: 'AMOUNT', value: 990, startDate: day(1), endDate: day(2) });
    expect(await shown(productId)).toMatchObject({ discountedPrice: null });
    expect((await read(productId)).discount).toEqual({ method: 'AMOUNT', value: 990, startDate: day(1), endDate: day(2) });
    await shop.advance('P1D');
    expect(await shown(productId)).toMatchObject({ discountedPrice: 9000 });
    expect((await put({ method: null })).body.data).toBeNull();
    expect((await read(productId)).discount).toBeNull();
  });
  test('no discount leads below the lowest price', async () => {
    const { productId } = await shop.product({ salePrice: 1000, stockQuantity: undefined, optionGroups: [{ name: 'o', values: ['a'] }] });
    const put = (value: number, method = 'RATE', more: object = {}) =>
      send('PUT', `/v1/products/${productId}/discount`, { method, value, startDate: day(0), endDate: day(1), ...more });
    for (const [value, method] of [
      [0, 'RATE'],
      [100, 'RATE'],
      [1000, 'AMOUNT'],
      [0, 'AMOUNT'],
    ] as const)
      expect([value, (await put(value, method)).body.error?.fieldErrors]).toMatchObject([value, [{ field: 'value' }]]);
    expect((await put(5, 'RATE', { endDate: day(-1) })).body.error?.fieldErrors).toMatchObject([{ field: 'endDate' }]);
    expect((await put(5, 'RATE', { startDate: '2026-02-30' })).body.error?.fieldErrors).toMatchObject([{ field: 'startDate' }]);
    expect((await send('PUT', `/v1/products/${productId}/discount`, { method: 'RATE' })).body.error?.fieldErrors).toHaveLength(3);
    expect((await put(999, 'AMOUNT')).status).toBe(200);
    const options = (additionalPrice: number) =>
      send('PUT', `/v1/products/${productId}/options`, {
        optionGroups: [{ name: 'o', values: ['a'] }],
        variants: [{ optionValues: ['a'], additionalPrice }],
      });
    expect((await options(-1)).body.error?.code).toBe('PRICE_CONFLICT');
    await put(1, 'RATE');
    expect((await options(-980)).status).toBe(200);
    expect((await options(-991)).body.error?.code).toBe('PRICE_CONFLICT');
    expect((await send('PATCH', `/v1/products/${productId}`, { salePrice: 900 })).body.error?.code).toBe('PRICE_CONFLICT');
  });
});

describe('addresses', () => {
  const add = async (changes: object = {}) => (await atConsole('POST', '/v1/seller-addresses', { ...WAREHOUSE, ...changes })).body;

  test('a type has at most ten, and one default', async () => {
    const first = (await add()).data;
    expect(first).toMatchObject({ isDefault: true, detailAddress: null });
    const more = [];
    for (let n = 1; n < 10; n++) more.push((await add({ name: `창고 ${n}` })).data);
    expect((await add()).error?.code).toBe('ADDRESS_LIMIT_EXCEEDED');
    expect((await add({ type: 'RETURN' })).data).toMatchObject({ type: 'RETURN', isDefault: true });
    const { addressId } = more[0];
    expect((await atConsole('DELETE', `/v1/seller-addresses/${first.addressId}`)).body.error?.code).toBe('DEFAULT_ADDRESS_UNDELETABLE');
    expect((await atConsole('POST', `/v1/seller-addresses/${addressId}/default`)).body.data).toMatchObject({ isDefault: true });
    const { items } = (await send('GET', '/v1/seller-addresses?type=SHIPPING')).body.data as {
      items: { addressId: string; isDefault: boolean }[];
    };
    expect([items.length, items.filter((item) => item.isDefault).map((item) => item.addressId)]).toEqual([10, [addressId]]);
    const put = (body: object) => atConsole('PUT', `/v1/seller-addresses/${addressId}`, body);
    expect((await put({ ...WAREHOUSE, type: 'RETURN' })).body.error?.code).toBe('INVALID_ADDRESS_TYPE');
    expect((await put({ ...WAREHOUSE, name: '새 창고' })).body.data).toMatchObject({ name: '새 창고', isDefault: true });
    expect((await send('GET', '/v1/seller-addresses?type=WHAT')).body.error?.code).toBe('INVALID_PARAMETER');
    expect((await send('POST', '/v1/seller-addresses', WAREHOUSE)).body.error?.code).toBe('INSUFFICIENT_ROLE');
    expect((await send('GET', `/v1/seller-addresses/${addressId}`)).status).toBe(200);
    expect((await send('GET', '/v1/seller-addresses/nothing')).body.error?.code).toBe('ADDRESS_NOT_FOUND');
    for (const { addressId: id } of more.slice(1)) expect((await atConsole('DELETE', `/v1/seller-addresses/${id}`)).status).toBe(200);
  });
  test('a product takes the defaults, its own, or none', async () => {
    const { items } = (await send('GET', '/v1/seller-addresses')).body.data as {
      items: { addressId: string; type: string; isDefault: boolean }[];
    };
    const id = (type: string) => items.find((item) => item.type === type && item.isDefault)!.addressId;
    const defaults = { shippingAddressId: id('SHIPPING'), returnAddressId: id('RETURN') };
    const { productId } = await shop.product();
    expect((await read(productId)).fulfillment.shipping).toMatchObject(defaults);
    const patch = (shipping: object) => send('PATCH', `/v1/products/${productId}`, { fulfillment: { shipping } });
    expect((await patch({ shippingAddressId: id('RETURN') })).body.error?.code).toBe('INVALID_ADDRESS_TYPE');
    expect((await patch({ returnAddressId: 'adr_none' })).body.error?.code).toBe('ADDRESS_NOT_FOUND');
    expect((await patch({ shippingAddressId: null })).body.data.fulfillment.shipping).toMatchObject({
      ...defaults,
      shippingAddressId: null,
    });
    const own = (await add({ name: '전용' })).data.addressId as string;
    await patch({ shippingAddressId: own });
    expect((await atConsole('DELETE', `/v1/seller-addresses/${own}`)).body.error?.code).toBe('ADDRESS_IN_USE');
    await send('DELETE', `/v1/products/${productId}`);
    expect((await atConsole('DELETE', `/v1/seller-addresses/${own}`)).status).toBe(200);
  });
  test('goods of two origins travel in two bundles', async () => {
    const other = (await add({ name: '둘째' })).data.addressId as string;
    const paid = { type: 'SHIPPING', shipping: { deliveryType: 'PAID', deliveryFee: 3000 } };
    const here = await shop.product({ fulfillment: paid });
    const there = await shop.product({ fulfillment: { ...paid, shipping: { ...paid.shipping, shippingAddressId: other } } });
    const buyer = await shop.buyer();
    const both = [here, there].map(({ productId }) => ({ productId, quantity: 1 }));
    const open = async () => (await buyer.call('POST', '/storefront/v1/checkout', { items: both })).body.data;
    expect((await open()).delivery).toMatchObject({ bundleCount: 2, baseFee: 6000 });
    const { orderItemId } = await shop.order(there);
    await atConsole('PUT', `/v1/seller-addresses/${other}`, { ...WAREHOUSE, name: '이사한 창고' });
    expect(await shop.item(orderItemId)).toMatchObject({
      shipFrom: { addressId: other, name: '둘째' },
      returnTo: { mobile: WAREHOUSE.mobile },
    });
    await send('PATCH', `/v1/products/${there.productId}`, { fulfillment: { shipping: { shippingAddressId: null } } });
    expect((await open()).delivery).toMatchObject({ bundleCount: 1, baseFee: 3000 });
  });
});

test('the refund policy of an item is that of its payment', async () => {
  const { productId } = await shop.product({ refundPolicy: { returnDeliveryFee: 4000, sellerFaultFreeShipping: false } });
  await send('PATCH', '/v1/store', { refundPolicy: { returnDeliveryFee: 1000, exchangeDeliveryFee: 2000 } });
  const { orderItemId } = await shop.order({ productId });
  await send('PATCH', `/v1/products/${productId}`, { refundPolicy: null });
  const [row] = await query<{ refund_policy: object }>('SELECT refund_policy FROM order_item WHERE order_item_id = $1', [orderItemId]);
  expect(row!.refund_policy).toMatchObject({ returnDeliveryFee: 4000, exchangeDeliveryFee: 2000, sellerFaultFreeShipping: false });
});
