/** Courier shipments by the sandbox clock, with the development courier (D72, D75). */
import { expect, test } from '@jest/globals';
import { type World, until, world } from '../kernel/world.ts';

async function dispatched(shop: World, trackingNumber: string, deliveryMethod = 'COURIER'): Promise<string> {
  const { orderItemId } = await shop.order();
  await shop.act(orderItemId, 'confirm');
  const { status, body } = await shop.act(orderItemId, 'dispatch', { deliveryMethod, carrierCode: 'CJ', trackingNumber });
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  return orderItemId;
}
const tracking = async (shop: World, id: string) => (await shop.seller.call('GET', `/v1/order-items/${id}/dispatch/tracking`)).body.data;
const correct = (shop: World, id: string, trackingNumber: string, carrierCode = 'HANJIN') =>
  shop.seller.call('PUT', `/v1/order-items/${id}/dispatch/tracking`, { carrierCode, trackingNumber });
const stage = (shop: World, id: string, wanted: string | null) =>
  until(`stage ${wanted}`, async () => {
    const { stage: is, lastCheckedAt } = await tracking(shop, id);
    return is === wanted && lastCheckedAt !== null;
  });

test('a parcel is looked for every four hours, and what the courier delivered is delivered when the courier says', async () => {
  const shop = await world();
  const id = await dispatched(shop, '5551');
  await stage(shop, id, 'ACCEPTED');
  for (const [gap, wanted] of [
    ['PT4H', 'ACCEPTED'],
    ['PT4H', 'IN_TRANSIT'],
    ['PT12H', 'OUT_FOR_DELIVERY'],
    ['PT3H', 'OUT_FOR_DELIVERY'],
    ['PT1H', 'DELIVERED'],
  ] as const) {
    expect(await shop.advance(gap)).toMatchObject({ settled: true });
    expect((await tracking(shop, id)).stage).toBe(wanted);
  }
  const item = await shop.item(id);
  const { dispatchedAt, deliveredAt } = item['dispatch'] as { dispatchedAt: string; deliveredAt: string };
  expect(item.status).toBe('DELIVERED');
  expect(Date.parse(deliveredAt) - Date.parse(dispatchedAt)).toBe(24 * 3_600_000);
  expect(Date.parse(String(item['autoDecisionDate'])) - Date.parse(deliveredAt)).toBe(7 * 86_400_000);
  const { stages, carrierCode } = await tracking(shop, id);
  expect(stages.map((one: { stage: string }) => one.stage)).toEqual(['ACCEPTED', 'IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED']);
  expect(carrierCode).toBe('CJ');
});
