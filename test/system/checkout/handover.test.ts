/** How goods change hands: carrier, pickup, provided (docs/contract.md#checkout); what a shop may know of its store. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Headers_, pay } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: Headers_;
const atConsole = (method: string, path: string, body?: unknown) => call(underTest.api, method, path, { body, headers: owner });
const shown = async (path: string) =>
  (await call(underTest.api, 'GET', `/storefront/v1${path}`, { headers: { 'x-store-code': shop.store.storeCode } })).body.data;
const PICKUP = { name: '강남점', address: '서울 강남구', contact: '02-555-0000' };

beforeAll(async () => {
  shop = await world();
  await people(shop);
  owner = { authorization: `Bearer ${await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId)}` };
});

describe('pickup', () => {
  test('a place is chosen where something is fetched and one is registered', async () => {
    const both = await shop.product({ fulfillment: { type: 'SHIPPING', methods: ['CARRIER', 'PICKUP'] } });
    const shipped = await shop.product();
    const buyer = await shop.buyer();
    const open = (more: object, ...products: { productId: string }[]) =>
      buyer.call('POST', '/storefront/v1/checkout', { items: products.map(({ productId }) => ({ productId, quantity: 1 })), ...more });
    const pickup = { fulfillmentMethod: 'PICKUP' };
    expect((await open(pickup, both)).body.data).toMatchObject({ requiresShipping: false, delivery: { bundleCount: 0, baseFee: 0 } });
    expect((await open(pickup, both, shipped)).body.error).toMatchObject({
      code: 'FULFILLMENT_METHOD_NOT_ALLOWED',
      details: { productIds: [shipped.productId] },
    });
    const { pickupLocationId } = (await atConsole('POST', '/v1/pickup-locations', PICKUP)).body.data as { pickupLocationId: string };
    const codes = [
      (await open(pickup, both)).body.error,
      (await open({ ...pickup, pickupLocationId: 'pul_none' }, both)).body.error,
      (await open({ pickupLocationId }, both)).body.error,
    ].map((error) => error?.code);
    expect(codes).toEqual(['PICKUP_LOCATION_REQUIRED', 'PICKUP_LOCATION_NOT_FOUND', 'PICKUP_LOCATION_NOT_APPLICABLE']);
    expect((await open({ ...pickup, pickupLocationId: 'pul_none' }, both)).status).toBe(400);
    expect((await atConsole('PUT', '/v1/pickup-locations/pul_none', PICKUP)).status).toBe(404);

    const { checkoutId } = (await open({ ...pickup, pickupLocationId }, both)).body.data as { checkoutId: string };
    const { paymentId, payUrl } = (await buyer.start(checkoutId, { shippingAddress: undefined })).body.data as {
      paymentId: string;
      payUrl: string;
    };
    await pay(payUrl);
    const { orderId } = (await buyer.status(paymentId)).body.data as { orderId: string };
    await atConsole('PUT', `/v1/pickup-locations/${pickupLocationId}`, { ...PICKUP, name: '서초점' });
    const order = (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data;
    expect(order).toMatchObject({
      requiresShipping: false,
      items: [{ fulfillmentSnapshot: { type: 'SHIPPING', method: 'PICKUP', pickupLocation: { pickupLocationId, name: '강남점' } } }],
    });
    // It is handed over, not sent.
    const id = order.items[0].orderItemId as string;
    expect((await shop.act(id, 'dispatch', { deliveryMethod: 'NONE' })).body.error?.code).toBe('NOT_SHIPPABLE');
    expect((await shop.act(id, 'fulfill', { note: '수령' })).body.data).toMatchObject({ status: 'DELIVERED' });

    const next = (await open({ ...pickup, pickupLocationId }, both)).body.data as { checkoutId: string };
    expect(await shown('/pickup-locations')).toMatchObject({ items: [{ pickupLocationId, name: '서초점', availableHours: null }] });
    await atConsole('PUT', `/v1/pickup-locations/${pickupLocationId}`, { ...PICKUP, isActive: false });
    expect(await shown('/pickup-locations')).toEqual({ items: [] });
    expect((await buyer.start(next.checkoutId, { shippingAddress: undefined })).body.error?.code).toBe('CHECKOUT_STALE');
    expect((await atConsole('DELETE', `/v1/pickup-locations/${pickupLocationId}`)).body.data).toBeNull();
  });
  test('a product that is sold another way since makes the checkout stale', async () => {
    const { productId } = await shop.product({ fulfillment: { type: 'SHIPPING', methods: ['CARRIER', 'DIRECT'] } });
    const buyer = await shop.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    await shop.seller.call('PATCH', `/v1/products/${productId}`, { fulfillment: { methods: ['DIRECT'] } });
    expect((await buyer.start(checkoutId)).body.error?.code).toBe('CHECKOUT_STALE');
  });
  test('at most twenty places', async () => {
    const other = await world();
    await people(other);
    const bearer = await storeToken(`owner@${other.store.storeCode}.example`, other.store.storeId);
    const add = () => call(underTest.api, 'POST', '/v1/pickup-locations', { body: PICKUP, headers: { authorization: `Bearer ${bearer}` } });
    for (let n = 0; n < 20; n++) expect((await add()).status).toBe(201);
    expect((await add()).body.error?.code).toBe('PICKUP_LOCATION_LIMIT_EXCEEDED');
  });
});

describe('store settings', () => {
  test('only what is sent changes, and only what may be', async () => {
    const { body: before } = await shop.seller.call('GET', '/v1/store');
    const patch = (body: object) => shop.seller.call('PATCH', '/v1/store', body);
    const sent = {
      termsVersion: '2026-11-01',
      termsUrl: 'https://shop.example.com/terms',
      analyticsAllowedOrigins: ['https://shop.example.com', 'http://localhost:5173'],
    };
    expect((await patch(sent)).body.data).toEqual({ ...before.data, ...sent });
    expect((await patch({ termsUrl: null })).body.data).toEqual({ ...before.data, ...sent, termsUrl: null });
    const bad = await patch({
      storefrontUrl: 'https://x.example',
      storeCode: 'x',
      autoDeliverDays: 31,
      termsUrl: 'http://x.example',
      analyticsAllowedOrigins: ['https://shop.example.com/path'],
      shippingPolicy: { what: 1, jejuSurcharge: -1 },
      refundPolicy: { who: true },
    });
    expect(bad.body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual([
      'analyticsAllowedOrigins[0]',
      'autoDeliverDays',
      'refundPolicy.who',
      'shippingPolicy.jejuSurcharge',
      'shippingPolicy.what',
      'storeCode',
      'storefrontUrl',
      'termsUrl',
    ]);
    expect(await shown('/store')).toEqual({
      storeCode: shop.store.storeCode,
      name: '시험 상점',
      checkoutAvailable: true,
      guestCheckout: true,
      termsVersion: '2026-11-01',
      privacyVersion: null,
      termsUrl: null,
      privacyUrl: null,
    });
  });
});
