/** Delivery fees, and the store settings that checkouts follow. */
import { describe, expect, test } from '@jest/globals';
import { world } from '../../kernel/world.ts';

describe('delivery', () => {
  test('a payment charges the delivery fee of its quote', async () => {
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
  test('surcharges beyond what anything may cost are refused', async () => {
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
    const shop = await world();
    const { body } = await shop.seller.call('PATCH', '/v1/store', { shippingPolicy: { fee: 1 }, refundPolicy: { free: true } });
    expect(body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual(['refundPolicy.free', 'shippingPolicy.fee']);
  });
});
