/** The part of the walk (examples.ts) about points: each operation of theirs once. */
import { Buyer, type Reply } from '../../../bin/dev/client.ts';
import { customerIdOf } from '../../kernel/points.ts';
import type { World } from '../../kernel/world.ts';

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

export async function points({ seller, store }: World, note: Note): Promise<void> {
  const sell = async (id: string, method: string, path: string, request?: object, headers = {}) =>
    note(id, request, await seller.call(method, path, request, headers));
  await sell('points.replacePolicy', 'PUT', '/v1/store/point-policy', {
    purchaseEarn: { enabled: true, rateBp: 100 },
    reviewReward: { enabled: true, textPoint: 500, photoPoint: 1000 },
    use: { enabled: true, minAmount: 1000, unit: 10 },
    expiryDays: 365,
  });
  await sell('points.getPolicy', 'GET', '/v1/store/point-policy');
  const member = await Buyer.join(seller.base, store.storeCode);
  const as = async (id: string, path: string) => note(id, undefined, await member.call('GET', path));
  const path = `/v1/customers/${customerIdOf(member)}/points`;
  const adjustment = { amount: 3000, reason: '배송이 늦어 드리는 사과' };
  await sell('points.adjust', 'POST', `${path}/adjustments`, adjustment, { 'idempotency-key': 'late-delivery-1' });
  await sell('points.get', 'GET', path);
  await sell('points.listCustomerHistory', 'GET', `${path}/history`);
  await sell('points.listHistory', 'GET', '/v1/points/history?type=ADJUST');
  await as('points.getShownPolicy', '/storefront/v1/point-policy');
  await as('points.getMine', '/storefront/v1/me/points');
  await as('points.listMine', '/storefront/v1/me/points/history');
}
