/** What the items of an order do together: who moves, who is answered, what is handed over, and repeated requests (F11, F21, F26, F32, F33). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Buyer } from '../../../bin/dev/client.ts';
import type { Graph } from '../../../domain/flows/graph.ts';
import { onEvent, onSeller } from '../../../domain/flows/presets/parts.ts';
import { end, state } from './fixtures.ts';
import { errorOf, FlowShop } from './shop.ts';

let shop: FlowShop;
let member: Buyer;
beforeAll(async () => {
  shop = await FlowShop.open();
  member = await shop.world.member();
});
const statuses = async (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await shop.item(id)).status));
const claim = async (id: string) => {
  const filed = await member.call('POST', `/storefront/v1/me/order-items/${id}/claims`, { type: 'CANCEL', reason: 'CHANGE_OF_MIND' });
  expect(filed.body.data).toMatchObject({ status: 'REQUESTED' });
};

describe('a group', () => {
  /** `note` and `custom.ping` store what they bring, and change nothing else; the condition of `go` fails at run time. */
  const graph: Graph = {
    schema: 1,
    start: 'paid',
    requires: { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' },
    states: [state('paid', { permissions: { cancelRequest: true } }), state('made', { status: 'CONFIRMED' }), end()],
    actions: [
      { key: 'note', by: 'seller', label: '메모', maxUses: 1, input: [{ key: 'memo', type: 'text', label: '메모' }] },
      { key: 'go', by: 'seller', label: '제작' },
      { key: 'finish', by: 'seller', label: '완료' },
    ],
    edges: [
      onSeller('paid', 'note', 'paid', { internal: true }),
      onEvent('paid', 'custom.ping', 'paid', { internal: true }),
      { ...onSeller('paid', 'go', 'made', { when: '1 / (item.activeQuantity - 1) > 0' }), id: 'failing' },
      onSeller('paid', 'go', 'made'),
      onSeller('made', 'finish', 'end'),
    ],
  };
  let products: readonly string[];
  beforeAll(async () => {
    const flowId = await shop.flow({ graph }, 'quiet');
    products = [(await shop.product(flowId)).productId, (await shop.product(flowId)).productId, (await shop.product(flowId)).productId];
  });
  const NOTE = { input: { memo: '리본' } };

  test('is affected by what only stores input or data', async () => {
    const { itemIds } = await shop.buy(member, products);
    expect((await shop.act(itemIds[1]!, 'note', NOTE)).body.data.affectedOrderItemIds).toEqual(itemIds);
    const event = await shop.seller('POST', `/v1/order-items/${itemIds[2]!}/events/custom.ping`, { data: { a: {} } });
    expect(event.body.data.affectedOrderItemIds).toEqual(itemIds);
  });
  test('takes a limited action of the order once, for all', async () => {
    const { orderId, itemIds } = await shop.buy(member, products);
    const noted = await shop.seller('POST', `/v1/orders/${orderId}/actions/note`, NOTE);
    expect(noted.body.data).toEqual({
      results: itemIds.map((orderItemId) => ({ orderItemId, result: 'COMPLETED', code: null, reason: null })),
      completed: 3,
      skipped: 0,
      failed: 0,
    });
  });
  test('leaves out the item that stands still, whatever fails at run time; the others may be moved', async () => {
    const { itemIds } = await shop.buy(member, products);
    await claim(itemIds[0]!);
    const targets = async (id: string) => (await shop.seller('GET', `/v1/order-items/${id}/flow`)).body.data.moveTargets as string[];
    expect([await targets(itemIds[0]!), await targets(itemIds[1]!)]).toEqual([[], ['made']]);
    const move = (id: string, to: string) => shop.seller('POST', `/v1/order-items/${id}/flow/move`, { to, reason: 'x' });
    expect(errorOf(await move(itemIds[0]!, 'made')).slice(1)).toEqual(['FLOW_MOVE_NOT_ALLOWED', { reason: 'CLAIM_IN_PROGRESS' }]);
    expect((await move(itemIds[1]!, 'made')).body.data).toMatchObject({ status: 'CONFIRMED' });
    expect(await statuses(itemIds)).toEqual(['PAID', 'CONFIRMED', 'CONFIRMED']);
    await move(itemIds[1]!, 'paid');
    expect((await shop.act(itemIds[1]!, 'go')).body.data.affectedOrderItemIds).toEqual(itemIds.slice(1));
  });
});
