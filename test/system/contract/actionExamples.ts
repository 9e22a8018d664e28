/** The part of the walk (examples.ts) about items that run by a flow of their store's own: what everybody does with them. */
import { call, GUEST, type Reply } from '../../../bin/dev/client.ts';
import type { World } from '../../kernel/world.ts';

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

const state = (id: string, status: string, step: string, label: string) => ({ id, type: 'state', status, step, label });
const done = { id: 'done', type: 'end', outcome: 'COMPLETED', label: '완료' };
/** Paid, until the seller accepts it; a proof, until the buyer approves it; made, until the workshop has packed it. */
const ENGRAVED = {
  schema: 1,
  start: 'paid',
  states: [
    state('paid', 'PAID', 'SELLER_PROCESSING', '접수 대기'),
    state('proof', 'CONFIRMED', 'BUYER_ACTION', '시안 확인'),
    state('made', 'CONFIRMED', 'SELLER_PROCESSING', '각인 중'),
    done,
  ],
  actions: [
    { key: 'accept', by: 'seller', label: '접수', input: [{ key: 'madeBy', type: 'date', label: '완성 예정일', required: true }] },
    { key: 'approve', by: 'buyer', label: '승인', input: [{ key: 'text', type: 'text', label: '문구', required: true, maxLength: 20 }] },
  ],
  edges: [
    { id: 'accept', from: 'paid', to: 'proof', on: { type: 'seller.action', key: 'accept' } },
    { id: 'approve', from: 'proof', to: 'made', on: { type: 'buyer.action', key: 'approve' } },
    { id: 'packed', from: 'made', to: 'done', on: { type: 'event', name: 'custom.packed' } },
  ],
};
const ACCEPT = { input: { madeBy: '2030-01-10' } };
const APPROVE = { input: { text: '생일 축하해' } };

/** `otherFlow`: the id of one that goes another way. */
export async function engraved(shop: World, otherFlow: string, note: Note): Promise<void> {
  const { seller, store } = shop;
  const made = await seller.call('POST', '/v1/commerce-flows', { key: 'engraved', name: '각인', graph: ENGRAVED });
  const { flowId } = made.body.data as { flowId: string };
  await seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`, {});
  const ring = await shop.product({ name: '각인 반지', flowId });
  const sell = async (id: string, path: string, request?: object) =>
    note(id, request, await seller.call(request ? 'POST' : 'GET', path, request));

  const member = await shop.member();
  const buy = async (id: string, path: string, request: object) =>
    note(id, request, await member.call('POST', `/storefront/v1/me/${path}`, request));
  const { orderItemId } = await shop.order(ring, 1, member);
  const item = `/v1/order-items/${orderItemId}`;
  await sell('orders.act', `${item}/actions/accept`, ACCEPT);
  await buy('orders.actAsBuyer', `order-items/${orderItemId}/actions/approve`, APPROVE);
  await sell('orders.receiveEvent', `${item}/events/custom.packed`, { data: { parcel: { weight: 300, box: 'S' } } });
  const { items } = await sell('orders.listFlowRuns', `${item}/flow/runs`);
  await sell('orders.getFlowRun', `/v1/flow-runs/${(items as { runId: string }[])[0]!.runId}`);
  await sell('flows.replay', `/v1/commerce-flows/${otherFlow}/draft/replay`, { orderItemId });

  const { orderId, orderItemId: moved } = await shop.order(ring, 1, member);
  await sell('orders.actOnOrder', `/v1/orders/${orderId}/actions/accept`, ACCEPT);
  await buy('orders.actOnMyOrder', `orders/${orderId}/actions/approve`, APPROVE);
  await sell('orders.move', `/v1/order-items/${moved}/flow/move`, { to: 'proof', reason: '문구를 다시 확인합니다' });

  const asGuest = async (id: string, path: string) => {
    const request = { contact: GUEST.phone, orderPassword: GUEST.orderPassword, ...APPROVE };
    const headers = { 'x-store-code': store.storeCode };
    note(id, request, await call(seller.base, 'POST', `/storefront/v1/guest/orders/${path}`, { body: request, headers }));
  };
  const accepted = async () => {
    const order = await shop.order(ring);
    await shop.act(order.orderItemId, 'actions/accept', ACCEPT);
    return order;
  };
  const one = await accepted();
  await asGuest('orders.actAsGuest', `${one.orderId}/items/${one.orderItemId}/actions/approve`);
  await asGuest('orders.actOnGuestOrder', `${(await accepted()).orderId}/actions/approve`);
}
