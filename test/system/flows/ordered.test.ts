/**
 * An action of the order is done for every item that has it by one request, whoever sends it. Each request is sent once: one that is
 * repeated under its key goes on where the one before ended, and would hide that it stopped.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call, type Buyer, GUEST, type Reply } from '../../../bin/dev/client.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest, until } from '../../kernel/world.ts';
import { acts, edge, end, state } from './fixtures.ts';
import { FlowShop } from './shop.ts';

const LINES = 3;
const NOTE = { input: { text: '리본' } };
const noting = (key: string, by: 'seller' | 'buyer') =>
  ({ key, by, label: key, input: [{ key: 'text', type: 'text', label: '문구' }] }) as const;
/** Each item by itself: paid → (make) → made → (accept, by the buyer) → end. */
const alone: Graph = {
  schema: 1,
  start: 'paid',
  states: [state('paid'), state('made', { status: 'CONFIRMED', step: 'BUYER_ACTION' }), end()],
  actions: [noting('make', 'seller'), noting('accept', 'buyer')],
  edges: [edge('paid', 'made', acts('make')), edge('made', 'end', { type: 'buyer.action', key: 'accept' })],
};
let shop: FlowShop;
let desk: Desk;
let flowId: string;
beforeAll(async () => {
  shop = await FlowShop.open();
  desk = await Desk.open(shop.world);
  flowId = await shop.flow({ graph: alone }, 'alone');
}, 60_000);
afterAll(() => desk.close());

async function ordered(buyer: Buyer, made: boolean) {
  const products: string[] = [];
  for (let i = 0; i < LINES; i++) products.push((await shop.product(flowId)).productId);
  const order = await shop.buy(buyer, products);
  if (made) for (const id of order.itemIds) await shop.act(id, 'make', NOTE);
  return order;
}
const summary = (itemIds: readonly string[]) => ({
  results: itemIds.map((orderItemId) => ({ orderItemId, result: 'COMPLETED', code: null, reason: null })),
  completed: LINES,
  skipped: 0,
  failed: 0,
});
const expectAll = ({ status, body }: Reply, itemIds: readonly string[]) => expect([status, body.data]).toEqual([200, summary(itemIds)]);
const keys = async (itemIds: readonly string[]) =>
  Promise.all(itemIds.map(async (id) => ((await shop.item(id))['flowState'] as { key: string }).key));

test('a seller’s; one audit record tells what changed of each item', async () => {
  const { orderId, itemIds } = await ordered(await shop.world.member(), false);
  const reply = await shop.seller('POST', `/v1/orders/${orderId}/actions/make`, NOTE);
  expectAll(reply, itemIds);
  const records = await query<{ outcome: string; changes: { field: string }[] }>(
    `SELECT outcome, metadata -> 'changes' AS changes FROM audit_request WHERE store_id = $1 AND request_id = $2`,
    [shop.world.store.storeId, reply.body.meta.requestId],
  );
  expect(records.map(({ outcome }) => outcome)).toEqual(['SUCCEEDED']);
  const fields = records[0]!.changes.map(({ field }) => field);
  for (const id of itemIds) expect(fields).toContain(`${id}.status`);
});

test('a customer’s', async () => {
  const member = await shop.world.member();
  const { orderId, itemIds } = await ordered(member, true);
  expectAll(await member.call('POST', `/storefront/v1/me/orders/${orderId}/actions/accept`, NOTE), itemIds);
});

test('a guest’s', async () => {
  const guest = await shop.world.buyer();
  const { orderId, itemIds } = await ordered(guest, true);
  const body = { contact: GUEST.phone, orderPassword: GUEST.orderPassword, ...NOTE };
  expectAll(await guest.call('POST', `/storefront/v1/guest/orders/${orderId}/actions/accept`, body), itemIds);
});

test('an agent’s, once it is approved', async () => {
  const { orderId, itemIds } = await ordered(await shop.world.member(), false);
  const agent = await desk.agent();
  const filed = await call(underTest.api, 'POST', `/v1/orders/${orderId}/actions/make`, { body: NOTE, headers: agent.headers });
  expect([filed.status, await keys(itemIds)]).toEqual([202, itemIds.map(() => 'paid')]);
  const { approvalId } = filed.body.data as { approvalId: string };
  await desk.decide(approvalId, 'approve');
  const done = await until('carried out', async () => {
    const { data } = (await desk.read(approvalId)).body;
    return (data['status'] === 'SUCCEEDED' || data['status'] === 'FAILED' || data['status'] === 'UNKNOWN') && data;
  });
  expect(done).toMatchObject({ status: 'SUCCEEDED' });
  expect(await keys(itemIds)).toEqual(itemIds.map(() => 'made'));
});
