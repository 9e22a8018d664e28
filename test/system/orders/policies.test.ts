/**
 * Refund policies of a seller's cancel: frozen per item at payment, mixed in one bundle, several bundles in one order
 * (docs/contract.md#cancel).
 */
import { beforeAll, expect, test } from '@jest/globals';
import { pay } from '../../../bin/dev/client.ts';
import { until, type World, world } from '../../kernel/world.ts';

let shop: World;
const policy = (refundPolicy: object) => shop.seller.call('PATCH', '/v1/store', { refundPolicy });
const product = (salePrice: number, shipping: object, refundPolicy?: object) =>
  shop.product({ salePrice, fulfillment: { type: 'SHIPPING', shipping }, ...(refundPolicy && { refundPolicy }) });
const PAID = { deliveryType: 'PAID', deliveryFee: 2500 };

async function order(...products: readonly { readonly productId: string }[]): Promise<{ total: number; items: string[] }> {
  const buyer = await shop.buyer();
  const lines = products.map(({ productId }) => ({ productId, quantity: 1 }));
  const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items: lines })).body.data as { checkoutId: string };
  const { paymentId, payUrl } = (await buyer.start(checkoutId)).body.data as { paymentId: string; payUrl: string };
  await pay(payUrl);
  const orderId = await until('paid', async () => (await buyer.status(paymentId)).body.data.orderId as string | null);
  const { items, payment } = (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data;
  return { total: payment.totalAmount, items: items.map((item: { orderItemId: string }) => item.orderItemId) };
}
/** What is given back, and what of the delivery fee is given back or charged. */
async function cancel(orderItemId: string): Promise<number[]> {
  const { body } = await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
  return [body.data.refundAmount, body.data.deliveryFeeRefundAmount, body.data.deliveryFeeChargeAmount];
}
beforeAll(async () => {
  shop = await world();
  await policy({ sellerFaultFreeShipping: false, conditionalFreeShortfallCharge: true });
});

test('an order keeps the policies of its payment', async () => {
  const conditional = { deliveryType: 'CONDITIONAL_FREE', deliveryFee: 3000, conditionalFreeAmount: 30_000 };
  const [first, second] = [await product(20_000, conditional), await product(20_000, conditional, { preShipmentDeliveryFeeRefund: false })];
  const other = await product(10_000, PAID, { sellerFaultFreeShipping: true });
  const { total, items } = await order(first, second, other);
  expect(total).toBe(52_500);
  await policy({ sellerFaultFreeShipping: true, conditionalFreeShortfallCharge: false });
  await shop.seller.call('PATCH', `/v1/products/${other.productId}`, { refundPolicy: { sellerFaultFreeShipping: false } });
  const refunds = [await cancel(items[0]!), await cancel(items[1]!), await cancel(items[2]!)];
  expect(refunds).toEqual([
    [17_000, 0, 3000],
    [23_000, 0, 0],
    [12_500, 2500, 0],
  ]);
  await policy({ sellerFaultFreeShipping: false, conditionalFreeShortfallCharge: true });
});

test('in a bundle of mixed policies the item that leaves last decides about its fee', async () => {
  const generous = await product(10_000, PAID);
  const strict = await product(10_000, PAID, { preShipmentDeliveryFeeRefund: false });
  const [one, two] = [await order(generous, strict), await order(generous, strict)];
  expect([one.total, two.total]).toEqual([22_500, 22_500]);
  expect([await cancel(one.items[0]!), await cancel(one.items[1]!)]).toEqual([
    [10_000, 0, 0],
    [10_000, 0, 0],
  ]);
  expect([await cancel(two.items[1]!), await cancel(two.items[0]!)]).toEqual([
    [10_000, 0, 0],
    [12_500, 2500, 0],
  ]);
});
