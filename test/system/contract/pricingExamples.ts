/** The part of the walk (examples.ts) in which a member sees what a checkout costs with points. */
import { randomUUID } from 'node:crypto';
import { Buyer, type Reply } from '../../../bin/dev/client.ts';
import { customerIdOf } from '../../kernel/points.ts';
import type { World } from '../../kernel/world.ts';

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

export async function pricing(shop: World, note: Note): Promise<void> {
  const member = await Buyer.join(shop.seller.base, shop.store.storeCode);
  const use = { enabled: true, unit: 100, maxRatioBp: 5000 };
  await shop.seller.call('PUT', '/v1/store/point-policy', { use, expiryDays: 365 });
  const grant = { amount: 3000, reason: '환영합니다' };
  await shop.seller.call('POST', `/v1/customers/${customerIdOf(member)}/points/adjustments`, grant, { 'idempotency-key': randomUUID() });
  const { checkoutId } = (await member.checkout((await shop.product()).productId)).body.data as { checkoutId: string };
  const request = { pointAmount: 2500, zipCode: '63100' };
  note('checkout.price', request, await member.call('POST', `/storefront/v1/checkout/${checkoutId}/pricing`, request));
}
