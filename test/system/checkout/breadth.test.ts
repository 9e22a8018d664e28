/** Options, carts, quotes, products that are provided, bulk work, and what buyers see. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, pay } from '../../../bin/dev/client.ts';
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
  test('a variant for each combination, numbered in order; one that is not named starts empty, free and sellable', async () => {
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
  test('500 combinations are taken, the 100th variant has three digits; 501 are refused', async () => {
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
  test('every problem at once, and nothing is registered', async () => {
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
  test('products on sale by page, category and keyword, one by id or number; stock counts stay hidden', async () => {
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
    expect(one.body.data).toEqual(found.items[0]);
    for (const id of [hidden.productId, '999999', 'x'])
      expect((await call(underTest.api, 'GET', `/storefront/v1/products/${id}`, { headers })).body.error?.code).toBe('PRODUCT_NOT_FOUND');
  });
});

describe('the cart', () => {
  test('one line per option with the sum; unbuyable lines stay and say why; bought lines leave at completion', async () => {
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
});

describe('delivery', () => {
  test('the quote adds the surcharge of each bundle and frees the base fee at the store’s threshold; the payment is the same', async () => {
    const own = await world();
    await own.seller.call('PATCH', '/v1/store', {
      shippingPolicy: { jejuSurcharge: 3000, isolatedSurcharge: 5000, freeThreshold: 30_000 },
    });
    const [a, b] = [await own.product(), await own.product({ fulfillment: { type: 'SHIPPING', shipping: { deliveryType: 'FREE' } } })];
    const buyer = await own.buyer();
    const open = async (quantity: number) =>
      (
        await buyer.call('POST', '/storefront/v1/checkout', {
          items: [
            { productId: a.productId, quantity },
            { productId: b.productId, quantity: 1 },
          ],
        })
      ).body.data.checkoutId as string;
    const checkoutId = await open(1);
    const quote = async (zipCode: string, id = checkoutId) =>
      (await buyer.call('POST', `/storefront/v1/checkout/${id}/delivery-quote`, { zipCode })).body;
    expect((await quote('06236')).data).toEqual({
      amounts: { productAmount: 20_000, deliveryFee: 3000, totalAmount: 23_000 },
      delivery: {
        baseFee: 3000,
        remoteSurcharge: 0,
        remoteArea: 'NONE',
        remoteAreaLabel: null,
        bundleCount: 2,
        freeByThreshold: false,
        zipCode: '06236',
      },
    });
    expect((await quote('63100')).data).toMatchObject({
      amounts: { deliveryFee: 9000 },
      delivery: { remoteArea: 'JEJU', remoteSurcharge: 6000 },
    });
    expect((await quote('63000')).data.delivery).toMatchObject({ remoteArea: 'ISOLATED', remoteSurcharge: 10_000 });
    expect((await quote('6300')).error?.fieldErrors).toMatchObject([{ field: 'zipCode' }]);
    expect((await buyer.call('GET', `/storefront/v1/checkout/${checkoutId}`)).body.data.delivery).toMatchObject({
      remoteArea: 'NONE',
      zipCode: null,
    });
    const free = await open(2);
    expect((await quote('63100', free)).data).toMatchObject({
      amounts: { deliveryFee: 6000 },
      delivery: { baseFee: 0, freeByThreshold: true },
    });
    const shippingAddress = { receiverName: 'r', phone: '010-0000-0000', zipCode: '63100', address1: 'a' };
    expect((await buyer.start(free, { shippingAddress, expectedTotalAmount: 36_000 })).body.data.amounts).toMatchObject({
      totalAmount: 36_000,
    });
  });
  test('surcharges beyond what anything may cost are refused, not a 500', async () => {
    const own = await world();
    const { productId } = await own.product();
    const buyer = await own.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    await own.seller.call('PATCH', '/v1/store', { shippingPolicy: { jejuSurcharge: 2_000_000_000 } });
    const shippingAddress = { receiverName: 'r', phone: '010-0000-0000', zipCode: '63100', address1: 'a' };
    const reply = await buyer.start(checkoutId, { shippingAddress });
    expect([reply.status, reply.body.error?.code]).toEqual([409, 'CHECKOUT_STALE']);
  });
  test('a store without guests takes no checkout and no payment', async () => {
    const own = await world();
    const { productId } = await own.product();
    const buyer = await own.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    expect((await own.seller.call('PATCH', '/v1/store', { guestCheckoutEnabled: false })).body.data.guestCheckoutEnabled).toBe(false);
    for (const refused of [await buyer.checkout(productId), await buyer.start(checkoutId)])
      expect([refused.status, refused.body.error?.code]).toEqual([403, 'GUEST_CHECKOUT_DISABLED']);
  });
  test('unknown policy keys are refused', async () => {
    const { body } = await shop.seller.call('PATCH', '/v1/store', { shippingPolicy: { fee: 1 }, refundPolicy: { free: true } });
    expect(body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual(['refundPolicy.free', 'shippingPolicy.fee']);
  });
});

describe('a product that is provided', () => {
  const manual = { fulfillment: { type: 'MANUAL' } };
  const bought = async (own: World, product: object = manual, quantity = 1) => {
    const { productId } = await own.product(product);
    const buyer = await own.buyer();
    const { checkoutId } = (await buyer.checkout(productId, quantity)).body.data as { checkoutId: string };
    const { payUrl, paymentId } = (await buyer.start(checkoutId, { shippingAddress: undefined })).body.data as Record<string, string>;
    await pay(payUrl!);
    const { orderId } = (await buyer.status(paymentId!)).body.data as { orderId: string };
    const order = (await own.seller.call('GET', `/v1/orders/${orderId}`)).body.data;
    return { order, orderId, id: order.items[0].orderItemId as string };
  };
  test('needs no address, pays no delivery, is fulfilled with a note, and is decided by the clock', async () => {
    const own = await world();
    const { order, orderId, id } = await bought(own);
    expect(order).toMatchObject({
      requiresShipping: false,
      amounts: { deliveryFee: 0, totalAmount: 10_000 },
      shippingAddress: { zipCode: '', address1: '' },
      items: [{ bundleNo: 0, fulfillmentSnapshot: { type: 'MANUAL', method: 'PROVIDED' } }],
    });
    expect((await own.act(id, 'dispatch', { deliveryMethod: 'NONE' })).body.error?.code).toBe('NOT_SHIPPABLE');
    const { body } = await own.act(id, 'fulfill', { note: '카나리아쿠폰-1234' });
    expect(body.data).toMatchObject({
      status: 'DELIVERED',
      fulfillment: { status: 'PROVIDED', note: '카나리아쿠폰-1234' },
      dispatch: null,
    });
    const events = await query<{ type: string; body: string }>('SELECT type, body FROM event WHERE body LIKE $1', [`%${orderId}%`]);
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'ORDER.DELIVERED',
      'ORDER.FLOW_STATE_CHANGED',
      'ORDER.FULFILLED',
      'ORDER.PAID',
    ]);
    const delivered = JSON.parse(events.find(({ type }) => type === 'ORDER.DELIVERED')!.body) as { data: object };
    expect(delivered.data).toMatchObject({ orderItemId: id, fulfillmentSnapshot: { type: 'MANUAL' } });
    expect(await query('SELECT 1 FROM command_text WHERE store_id = $1', [own.store.storeId])).toEqual([]);
    await own.advance('P8D');
    expect((await own.item(id)).status).toBe('PURCHASE_DECIDED');
  });
  test('may be canceled by the seller after provision: the record is REVOKED, the stock comes back', async () => {
    const own = await world();
    const { id } = await bought(own, manual, 2);
    await own.act(id, 'fulfill');
    expect((await own.act(id, 'cancel', { reason: 'OTHER', quantity: 1 })).body.data).toMatchObject({ refundAmount: 10_000 });
    expect(await own.item(id)).toMatchObject({ status: 'DELIVERED', fulfillment: { status: 'PROVIDED' } });
    expect((await own.act(id, 'cancel', { reason: 'OTHER' })).body.data).toMatchObject({
      refundAmount: 10_000,
      deliveryFeeRefundAmount: 0,
    });
    expect(await own.item(id)).toMatchObject({ status: 'CANCELED', fulfillment: { status: 'REVOKED' }, autoDecisionDate: null });
    expect(await query('SELECT stock_quantity AS n FROM variant WHERE store_id = $1', [own.store.storeId])).toEqual([{ n: 100 }]);
  });
  test('a shipped item is not fulfilled, and a checkout whose product changed its type is stale', async () => {
    const own = await world();
    const { orderItemId } = await own.order();
    expect((await own.act(orderItemId, 'fulfill')).body.error?.code).toBe('SHIPPING_REQUIRED');
    const { productId } = await own.product();
    const buyer = await own.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    await query(`UPDATE product SET fulfillment_type = 'MANUAL' WHERE product_id = $1`, [productId]);
    expect((await buyer.start(checkoutId)).body.error?.code).toBe('CHECKOUT_STALE');
  });
  test('PRODUCT.OUT_OF_STOCK once, when the last unit is sold or taken away', async () => {
    const own = await world();
    const { productId, variantId } = await own.product({ stockQuantity: 1 });
    await own.order({ productId });
    const told = () =>
      query<{ body: string }>(`SELECT body FROM event WHERE store_id = $1 AND type = 'PRODUCT.OUT_OF_STOCK'`, [own.store.storeId]);
    expect((await told()).map(({ body }) => (JSON.parse(body) as { data: object }).data)).toEqual([{ productId, variantId }]);
    const stock = (body: object) => own.seller.call('PATCH', `/v1/products/${productId}/variants/${variantId}/stock`, body);
    await stock({ stockQuantity: 2 });
    await stock({ adjustment: -2 });
    await stock({ stockQuantity: 0 });
    expect(await told()).toHaveLength(2);
  });
});

describe('bulk', () => {
  test('100 at most, a code per item, 200 for every mix, and the same key repeats nothing', async () => {
    const own = await world();
    const product = await own.product();
    const ids = (await Promise.all([1, 2, 3].map(() => own.order(product)))).map(({ orderItemId }) => orderItemId);
    await own.act(ids[0]!, 'confirm');
    const bulk = (action: string, body: object, key?: string) =>
      own.seller.call('POST', `/v1/order-items/${action}`, body, key === undefined ? {} : { 'idempotency-key': key });
    const confirm = () => bulk('confirm', { orderItemIds: [...ids, 'oit_x'] }, 'bulk');
    const first = await confirm();
    expect([first.status, first.body.data.succeeded, first.body.data.failed]).toEqual([200, 2, 2]);
    expect(first.body.data.results.map((r: { id: string; code: string }) => [r.id, r.code])).toEqual([
      [ids[0], 'INVALID_STATUS'],
      [ids[1], 'OK'],
      [ids[2], 'OK'],
      ['oit_x', 'ORDER_ITEM_NOT_FOUND'],
    ]);
    const again = await confirm();
    expect([again.body.data, again.headers.get('idempotent-replayed')]).toEqual([first.body.data, 'true']);
    const wrong = await bulk('dispatch', { items: [{ orderItemId: ids[0], deliveryMethod: 'COURIER', carrierCode: 'NOPE' }] });
    expect(wrong.body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual([
      'items[0].carrierCode',
      'items[0].trackingNumber',
    ]);
    expect((await bulk('confirm', { orderItemIds: [] })).status).toBe(400);
    expect((await bulk('confirm', { orderItemIds: Array.from({ length: 101 }, () => 'x') })).status).toBe(400);
    const items = ids.map((orderItemId) => ({ orderItemId, deliveryMethod: 'NONE' }));
    expect((await bulk('dispatch', { items })).body.data).toMatchObject({ succeeded: 3, failed: 0 });
    expect((await bulk('delivered', { orderItemIds: ids })).body.data).toMatchObject({ succeeded: 3, failed: 0 });
    expect((await bulk('fulfill', { orderItemIds: ids })).body.data.results[0]).toMatchObject({
      isSuccess: false,
      code: 'SHIPPING_REQUIRED',
    });
  });
});
