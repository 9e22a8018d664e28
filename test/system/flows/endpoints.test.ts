/** Built-in actions that ask for their own fields are met by their endpoints, singly and in bulk. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Buyer } from '../../../bin/dev/client.ts';
import type { Action, Graph } from '../../../domain/flows/graph/graph.ts';
import { acts, edge, end, state } from './fixtures.ts';
import { errorOf, FlowShop } from './shop.ts';

let shop: FlowShop;
let member: Buyer;
beforeAll(async () => {
  shop = await FlowShop.open();
  member = await shop.world.member();
});
/** paid → (give) → given → end. */
const graphOf = (give: Partial<Action>, status: 'DISPATCHED' | 'DELIVERED'): Graph => ({
  schema: 1,
  start: 'paid',
  states: [state('paid'), state('given', { status }), end()],
  actions: [
    { key: 'give', by: 'seller', label: '전달', ...give },
    { key: 'finish', by: 'seller', label: '완료' },
  ],
  edges: [edge('paid', 'given', acts('give')), edge('given', 'end', acts('finish'))],
});
const MANUAL = { fulfillment: { type: 'MANUAL' } };
const bought = async (flowId: string, lines: number, change: object) => {
  const products: string[] = [];
  for (let i = 0; i < lines; i++) products.push((await shop.product(flowId, change)).productId);
  return shop.buy(member, products);
};

describe('a provision that asks for its note', () => {
  let flowId: string;
  beforeAll(async () => {
    const input = [{ key: 'note', type: 'text', label: '전달 메모', required: true, maxLength: 10 }] as const;
    flowId = await shop.flow({ graph: graphOf({ platform: 'fulfill', input }, 'DELIVERED') }, 'noted');
  });
  test('takes that of its endpoint', async () => {
    const { itemIds } = await bought(flowId, 3, MANUAL);
    const one = await shop.world.act(itemIds[0]!, 'fulfill', { note: '창구' });
    expect([one.status, one.body.data.fulfillment?.note, one.body.data.flowState?.inputs]).toEqual([200, '창구', { note: '창구' }]);
    const many = await shop.seller('POST', '/v1/order-items/fulfill', { orderItemIds: itemIds.slice(1), note: '문 앞' });
    expect(many.body.data).toMatchObject({ succeeded: 2, failed: 0 });
    for (const id of itemIds.slice(1)) expect(await shop.item(id)).toMatchObject({ fulfillment: { note: '문 앞' } });
  });
  test.each([
    ['none', {}, 'REQUIRED'],
    ['one over the length of the form', { note: '가'.repeat(11) }, 'TOO_LONG'],
  ])('refuses %s with its own reason', async (_, body, reason) => {
    const { itemIds } = await bought(flowId, 1, MANUAL);
    const reply = await shop.world.act(itemIds[0]!, 'fulfill', body);
    expect(errorOf(reply)).toEqual([400, 'FLOW_ACTION_INPUT_INVALID', { issues: [{ key: 'note', name: '전달 메모', reason }] }]);
    expect(await shop.item(itemIds[0]!)).toMatchObject({ status: 'PAID', fulfillment: null });
  });
});

test('a dispatch that asks for all of its shipment takes that of its endpoint', async () => {
  const input = [
    { key: 'deliveryMethod', type: 'select', label: '방법', required: true, options: ['COURIER', 'DIRECT'] },
    { key: 'carrierCode', type: 'select', label: '택배사', required: true, options: ['CJ', 'LOTTE'] },
    { key: 'trackingNumber', type: 'text', label: '번호', required: true, maxLength: 6 },
  ] as const;
  const flowId = await shop.flow({ graph: graphOf({ platform: 'dispatch', input }, 'DISPATCHED') }, 'carried');
  const { itemIds } = await bought(flowId, 3, {});
  const shipment = { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '5501' };
  const long = await shop.world.act(itemIds[0]!, 'dispatch', { ...shipment, trackingNumber: '5501550', carrierCode: 'EPOST' });
  const { issues } = long.body.error!.details as { issues: { key: string; reason: string }[] };
  expect(issues.map(({ key, reason }) => [key, reason])).toEqual([
    ['carrierCode', 'INVALID'],
    ['trackingNumber', 'TOO_LONG'],
  ]);
  const one = await shop.world.act(itemIds[0]!, 'dispatch', shipment);
  expect([one.status, one.body.data.flowState?.inputs]).toEqual([200, shipment]);
  const items = itemIds.slice(1).map((orderItemId) => ({ orderItemId, ...shipment }));
  expect((await shop.seller('POST', '/v1/order-items/dispatch', { items })).body.data).toMatchObject({ succeeded: 2, failed: 0 });
  for (const id of itemIds) expect(await shop.item(id)).toMatchObject({ status: 'DISPATCHED', dispatch: shipment });
});
