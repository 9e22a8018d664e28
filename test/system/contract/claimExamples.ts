/** The part of the walk (examples.ts) in which members claim and their seller handles it: each operation of claims once. */
import { Buyer, type Reply } from '../../../bin/dev/client.ts';
import type { World } from '../../kernel/world.ts';

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

export async function claims(shop: World, note: Note): Promise<void> {
  const member = await Buyer.join(shop.seller.base, shop.store.storeCode);
  const scarf = await shop.product();
  const sell = async (id: string, path: string, request?: object) =>
    note(id, request, await shop.seller.call(request ? 'POST' : 'GET', path, request));
  const buy = async (id: string, path: string, request: object) => note(id, request, await member.call('POST', path, request));
  const bought = async (...actions: readonly (readonly [string, object])[]): Promise<string> => {
    const { orderItemId } = await shop.order(scarf, 2, member);
    for (const [action, body] of actions) await shop.act(orderItemId, action, body);
    return `/storefront/v1/me/order-items/${orderItemId}/claims`;
  };
  const [confirm, dispatch] = [['confirm', {}] as const, ['dispatch', { deliveryMethod: 'DIRECT' }] as const];
  const at = ({ claimId }: { readonly claimId: string }) => `/v1/claims/${claimId}`;

  const exchanged = at(
    await buy('claims.create', await bought(confirm, dispatch), { type: 'EXCHANGE', reason: 'WRONG_ITEM', quantity: 1 }),
  );
  await sell('claims.collect', `${exchanged}/collect`, { method: 'BUYER_SEND' });
  await sell('claims.completeCollection', `${exchanged}/collect/complete`, {});
  await sell('claims.redeliver', `${exchanged}/redelivery`, { carrierCode: 'CJ', trackingNumber: '123456789012' });
  await sell('claims.completeExchange', `${exchanged}/complete-exchange`, {});

  const canceled = await bought(confirm);
  const cancel = { type: 'CANCEL', reason: 'ORDER_MISTAKE', quantity: 1 };
  const rejected = at(await buy('claims.create', canceled, cancel));
  await sell('claims.reject', `${rejected}/reject`, { reason: 'OTHER', explanation: '이미 포장을 마쳐 오늘 보내 드립니다.' });
  const { claimId } = await buy('claims.create', canceled, cancel);
  note('claims.getMine', undefined, await member.call('GET', `/storefront/v1/me/claims/${claimId}`));
  await buy('claims.withdraw', `/storefront/v1/me/claims/${claimId}/withdraw`, {});

  const sentBack = await bought(confirm, dispatch);
  const images = ['https://images.example.com/claims/loose-thread.png'];
  const request = { type: 'RETURN', reason: 'DEFECTIVE', detail: '올이 풀려 있습니다', quantity: 1, images };
  await buy('claims.preview', `${sentBack}/preview`, request);
  const returned = at(await buy('claims.create', sentBack, request));
  await sell('claims.hold', `${returned}/hold`, { reason: '사진을 확인하고 있습니다' });
  await sell('claims.release', `${returned}/release`, {});
  const pickup = { method: 'SELLER_PICKUP', carrierCode: 'CJ', trackingNumber: '123456789013' };
  await sell('claims.collect', `${returned}/collect`, pickup);
  const inspection = { soundQuantity: 0, damagedQuantity: 1, missingQuantity: 0, note: '올 풀림을 확인했습니다' };
  await sell('claims.completeCollection', `${returned}/collect/complete`, inspection);
  await sell('claims.list', '/v1/claims?status=REQUESTED,COLLECTED');
  await sell('claims.approve', `${returned}/approve`, { holdRefund: true });
  await sell('claims.get', returned);
}

/** What a guest does with an item that has arrived. */
export async function guestClaims(
  order: { readonly orderId: string; readonly orderItemId: string },
  guest: { readonly contact: string; readonly orderPassword: string },
  send: (id: string, method: string, path: string, request: object) => Promise<Reply['body']['data']>,
): Promise<void> {
  const at = `/storefront/v1/guest/orders/${order.orderId}`;
  const request = { ...guest, type: 'RETURN', reason: 'CHANGE_OF_MIND', quantity: 1 };
  await send('claims.previewAsGuest', 'POST', `${at}/items/${order.orderItemId}/claims/preview`, request);
  const { claimId } = await send('claims.createAsGuest', 'POST', `${at}/items/${order.orderItemId}/claims`, request);
  await send('claims.lookUp', 'POST', `${at}/claims/${claimId}`, guest);
  await send('claims.withdrawAsGuest', 'POST', `${at}/claims/${claimId}/withdraw`, guest);
}
