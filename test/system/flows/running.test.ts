/** Items that run by a flow which their store has drawn: actions, input, attachments, limits, moves, events, records. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Buyer } from '../../../bin/dev/client.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { WAKE_SIGNAL } from '../../../workflows/kernel/messages.ts';
import { query, temporalClient, until } from '../../kernel/world.ts';
import { acts, edge, end, state } from './fixtures.ts';
import { errorOf, FlowShop } from './shop.ts';

let shop: FlowShop;
let flowId: string;
let member: Buyer;
beforeAll(async () => {
  shop = await FlowShop.open();
  flowId = await shop.flow({ presetKey: 'custom-made' });
  member = await shop.world.member();
});
const ordered = async (quantity = 1) => {
  const { productId } = await shop.product(flowId);
  const bought = await shop.buy(member, [productId], quantity);
  return { ...bought, itemId: bought.itemIds[0]! };
};
const buyerActs = (itemId: string, key: string, input?: object) =>
  member.call('POST', `/storefront/v1/me/order-items/${itemId}/actions/${key}`, { ...(input && { input }) });
const accepted = async () => {
  const order = await ordered();
  await shop.act(order.itemId, 'accept', { input: { madeBy: '2027-01-10' } });
  return order;
};

test('a custom-made item from its acceptance to the purchase decision', async () => {
  const { itemId, orderId } = await ordered();
  const done = await shop.act(itemId, 'accept', { input: { madeBy: '2027-01-10' } });
  expect(done.status).toBe(200);
  expect(done.body.data).toMatchObject({ orderItemId: itemId, key: 'accept', result: 'COMPLETED', affectedOrderItemIds: [itemId] });
  expect(done.body.data.item).toMatchObject({ status: 'CONFIRMED', flowState: { key: 'designing', inputs: { madeBy: '2027-01-10' } } });
  expect(done.body.data.item.flowState.message).toContain('2027-01-10');
  const file = await shop.attachment();
  const proof = await shop.act(itemId, 'sendProof', { attachments: [file] });
  expect(proof.body.data.item.flowState).toMatchObject({ key: 'proof', attachments: [file], earlierAttachments: [] });
  const seen = (await member.call('GET', `/storefront/v1/me/orders/${orderId}`)).body.data.items[0];
  expect(seen.step).toMatchObject({ type: 'BUYER_ACTION', label: '시안 확인', attachments: [file], claimable: true });
  expect(seen.step.actions.map(({ key }: { key: string }) => key)).toEqual(['approve', 'requestChange']);
  // What the seller typed is not for buyers.
  expect([seen.flowState.inputs, seen.flowState.data]).toEqual([{}, undefined]);
  expect((await buyerActs(itemId, 'approve', { agree: true })).body.data.item.step).toMatchObject({
    type: 'SELLER_PROCESSING',
    label: '제작 중',
  });
  expect((await shop.item(itemId))['flowState']).toMatchObject({ attachments: [], earlierAttachments: [file], inputs: { agree: true } });
  const dispatched = await shop.world.act(itemId, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '1231' });
  expect(dispatched.body.data).toMatchObject({ status: 'DISPATCHED', dispatch: { trackingNumber: '1231' } });
  await shop.world.advance('P20D');
  expect(await shop.item(itemId)).toMatchObject({ status: 'PURCHASE_DECIDED', flowState: { key: 'decided' } });
  const types = (await shop.runs(itemId)).map(({ event }) => event.type).toReversed();
  expect(types).toEqual(['start', 'seller.action', 'seller.action', 'buyer.action', 'seller.action', 'event', 'elapsed']);
});

test('an action of an order is taken by each of its items, also where each goes by itself', async () => {
  const products = [(await shop.product(flowId)).productId, (await shop.product(flowId)).productId];
  const { orderId, itemIds } = await shop.buy(member, products);
  const accepted = await shop.seller('POST', `/v1/orders/${orderId}/actions/accept`, { input: { madeBy: '2027-01-10' } });
  expect(accepted.body.data).toEqual({
    results: itemIds.map((orderItemId) => ({ orderItemId, result: 'COMPLETED', code: null, reason: null })),
    completed: 2,
    skipped: 0,
    failed: 0,
  });
});

describe('input', () => {
  test('is judged whole, in the order of the form, and refused without a change', async () => {
    const { itemId } = await ordered();
    const before = await shop.item(itemId);
    const wrong = await shop.act(itemId, 'accept', { input: { madeBy: '2027-02-30', other: 1 } });
    expect(errorOf(wrong)).toEqual([
      400,
      'FLOW_ACTION_INPUT_INVALID',
      {
        issues: [
          { key: 'madeBy', name: '완성 예정일', reason: 'INVALID' },
          { key: 'other', name: 'other', reason: 'INVALID' },
        ],
      },
    ]);
    expect(await shop.item(itemId)).toEqual(before);
    // The built-in endpoint cannot carry what the graph asks for.
    expect(errorOf(await shop.world.act(itemId, 'confirm'))[1]).toBe('FLOW_ACTION_INPUT_INVALID');
    expect(await shop.runs(itemId)).toHaveLength(1);
  });
  test('of a form replaces that of the form, and is limited', async () => {
    const { itemId } = await accepted();
    for (const change of ['크게', '더 크게']) {
      await shop.act(itemId, 'sendProof', { attachments: [await shop.attachment()] });
      expect((await buyerActs(itemId, 'requestChange', { change })).status).toBe(200);
    }
    await shop.act(itemId, 'sendProof', { attachments: [await shop.attachment()] });
    expect(errorOf(await buyerActs(itemId, 'requestChange', { change: '또' })).slice(1)).toEqual([
      'ACTION_NOT_AVAILABLE',
      { reason: 'LIMIT_REACHED' },
    ]);
    const { flowState } = await shop.item(itemId);
    expect(flowState).toMatchObject({ inputs: { madeBy: '2027-01-10', change: '더 크게' } });
  });
});

test('a state that needs attachments takes only uploads of its store', async () => {
  const { itemId } = await accepted();
  const reason = async (attachments?: readonly string[]) =>
    errorOf(await shop.act(itemId, 'sendProof', { ...(attachments && { attachments }) })).slice(1);
  const file = await shop.attachment();
  expect(await reason()).toEqual(['ACTION_NOT_AVAILABLE', { reason: 'ATTACHMENTS_REQUIRED' }]);
  expect(await reason(['https://example.com/a.png'])).toEqual(['ACTION_NOT_AVAILABLE', { reason: 'ATTACHMENTS_INVALID' }]);
  expect(await reason([file, file])).toEqual(['ACTION_NOT_AVAILABLE', { reason: 'ATTACHMENTS_INVALID' }]);
  const many = Array.from({ length: 11 }, (_, i) => `https://example.com/${i}.png`);
  expect(await reason(many)).toEqual(['ACTION_NOT_AVAILABLE', { reason: 'ATTACHMENTS_INVALID' }]);
  const early = await shop.act((await ordered()).itemId, 'sendProof', { attachments: many });
  expect(errorOf(early).slice(1)).toEqual(['ACTION_NOT_AVAILABLE', { reason: 'NOT_IN_STATE' }]);
  expect((await shop.item(itemId))['flowState']).toMatchObject({ key: 'designing' });
});

test('a refusal cancels with one refund, and gives the stock back', async () => {
  const { productId } = await shop.product(flowId, { stockQuantity: 3 });
  const { itemIds } = await shop.buy(member, [productId], 2);
  const refused = await shop.act(itemIds[0]!, 'refuse', { input: { refuseReason: '재료가 없습니다' } });
  expect(refused.body.data.item).toMatchObject({ status: 'CANCELED', canceledQuantity: 2, activeQuantity: 0 });
  const product = await shop.seller('GET', `/v1/products/${productId}`);
  expect(product.body.data.stockQuantity).toBe(3);
  const [record] = await shop.runs(itemIds[0]!);
  expect(record!.steps.map(({ type, ...rest }) => ('name' in rest ? rest.name : type))).toEqual(
    expect.arrayContaining(['refund', 'stock.restore', 'ORDER.CANCELED', 'ORDER.FLOW_STATE_CHANGED']),
  );
  expect(errorOf(await shop.act(itemIds[0]!, 'accept', { input: { madeBy: '2027-01-10' } })).slice(1)).toEqual([
    'ACTION_NOT_AVAILABLE',
    { reason: 'FINISHED' },
  ]);
});

test('who does not answer in time is canceled by the clock', async () => {
  const { itemId } = await ordered();
  await shop.world.advance('P3D');
  expect(await shop.item(itemId)).toMatchObject({ status: 'CANCELED' });
  expect((await shop.runs(itemId))[0]).toMatchObject({ event: { type: 'elapsed', deadline: 'accept' }, actor: 'SYSTEM', to: ['canceled'] });
});

describe('a move', () => {
  test('takes no edge, and goes back as well as forward', async () => {
    const { itemId } = await accepted();
    const moved = await shop.seller('POST', `/v1/order-items/${itemId}/flow/move`, { to: 'delivered', reason: '직접 전달' });
    expect(moved.body.data).toMatchObject({ status: 'DELIVERED', flowState: { key: 'delivered' } });
    expect(moved.body.data.autoDecisionDate).not.toBeNull();
    const back = await shop.seller('POST', `/v1/order-items/${itemId}/flow/move`, { to: 'paid', reason: '되돌림' });
    expect(back.body.data).toMatchObject({ status: 'PAID', autoDecisionDate: null });
    expect((await shop.runs(itemId))[0]).toMatchObject({
      event: { type: 'move', to: 'paid', reason: '되돌림' },
      edges: [],
      actor: 'SELLER',
    });
  });
  test('is refused with its reason', async () => {
    const { itemId } = await accepted();
    const reason = async (to: string) =>
      errorOf(await shop.seller('POST', `/v1/order-items/${itemId}/flow/move`, { to, reason: 'x' })).slice(1);
    for (const to of ['designing', 'canceled', 'decided', 'proof', 'nowhere'])
      expect(await reason(to)).toEqual(['FLOW_MOVE_NOT_ALLOWED', { reason: 'NOT_A_TARGET' }]);
  });
});

test('an event is taken where an edge waits for it, and its data become blocks', async () => {
  const gone = { id: 'gone', type: 'end', outcome: 'CANCELED', label: '끝' };
  const states = [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: '대기' },
    { id: 'ready', type: 'state', status: 'CONFIRMED', step: 'SELLER_PROCESSING', label: '준비', message: '{{data.desk.no}}번 창구' },
    gone,
  ];
  const edges = [
    { id: 'a', from: 'paid', to: 'ready', on: { type: 'event', name: 'custom.ready' } },
    { id: 'b', from: 'ready', to: 'gone', on: { type: 'event', name: 'custom.gone' } },
  ];
  const graph = { schema: 1, start: 'paid', states, actions: [], edges };
  const { productId } = await shop.product(await shop.flow({ graph }, 'by-events'));
  const { itemIds } = await shop.buy(member, [productId]);
  const report = (name: string, body: object = {}) => shop.seller('POST', `/v1/order-items/${itemIds[0]!}/events/${name}`, body);
  expect(errorOf(await report('ready'))[1]).toBe('FLOW_EVENT_KEY_INVALID');
  expect(errorOf(await report('custom.gone')).slice(1)).toEqual(['FLOW_EVENT_NOT_ACCEPTED', { reason: 'NOT_IN_STATE' }]);
  const reported = await report('custom.ready', { data: { desk: { no: 7 } } });
  expect(reported.body.data).toMatchObject({ event: 'custom.ready', affectedOrderItemIds: itemIds });
  expect(reported.body.data.item.flowState).toMatchObject({ key: 'ready', message: '7번 창구', data: { desk: { no: 7 } } });
});

test('data of events have at most 128 KiB in all, and no numbers of hundreds of digits', async () => {
  const states = [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: '대기' },
    { id: 'gone', type: 'end', outcome: 'CANCELED', label: '끝' },
  ];
  const edges = [
    { id: 'a', from: 'paid', to: 'paid', on: { type: 'event', name: 'custom.note' }, internal: true },
    { id: 'b', from: 'paid', to: 'gone', on: { type: 'event', name: 'custom.gone' } },
  ];
  const { productId } = await shop.product(await shop.flow({ graph: { schema: 1, start: 'paid', states, actions: [], edges } }, 'noted'));
  const { itemIds } = await shop.buy(member, [productId]);
  const note = (data: object) => shop.seller('POST', `/v1/order-items/${itemIds[0]!}/events/custom.note`, { data });
  for (let i = 0; i < 8; i++) expect((await note({ [`block${i}`]: 'x'.repeat(16_200) })).status).toBe(200);
  const refused = await note({ more: 'x'.repeat(16_200) });
  expect([refused.status, refused.body.error!.fieldErrors]).toMatchObject([400, [{ field: 'data', code: 'TOO_LONG' }]]);
  expect((await note({ block0: 'x' })).status).toBe(200);
  const long = await note({ list: [1e308] });
  expect([long.status, long.body.error!.fieldErrors]).toMatchObject([400, [{ field: 'data.list[0]', code: 'OUT_OF_RANGE' }]]);
  const { data } = (await shop.item(itemIds[0]!))['flowState'] as { readonly data: object };
  expect(Object.keys(data)).toHaveLength(8);
  const graph = { schema: 1, start: 'paid', tables: { fee: [{ days: 1, value: 1e-300 }] }, states, actions: [], edges };
  const draft = await shop.seller('POST', '/v1/commerce-flows', { key: 'long', name: 'long', graph });
  expect(draft.body.error!.fieldErrors).toMatchObject([{ field: 'graph.tables.fee[0].value', code: 'OUT_OF_RANGE' }]);
});

test('the date of the decision is that of the deadline that decides: neither a hidden one nor a reminder', async () => {
  const remind = { key: 'remind', after: 'P1D' };
  const secret = { key: 'secret', after: 'P2D', hidden: true };
  const delivered = { status: 'DELIVERED', step: 'DELIVERED', label: '도착', deadlines: [remind, secret, { key: 'settle', after: 'P5D' }] };
  const graph = {
    schema: 1,
    start: 'paid',
    states: [
      { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: '대기' },
      { id: 'there', type: 'state', ...delivered },
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: '끝' },
    ],
    actions: [{ key: 'bring', by: 'seller', label: '도착' }],
    edges: [
      { id: 'bring', from: 'paid', to: 'there', on: { type: 'seller.action', key: 'bring' } },
      { id: 'remind', from: 'there', to: 'there', on: { type: 'elapsed', deadline: 'remind' }, internal: true },
      { id: 'secret', from: 'there', to: 'done', on: { type: 'elapsed', deadline: 'secret' }, when: 'item.quantity > 9' },
      { id: 'settle', from: 'there', to: 'done', on: { type: 'elapsed', deadline: 'settle' } },
    ],
  };
  const { productId } = await shop.product(await shop.flow({ graph }, 'settling'));
  const { orderId, itemIds } = await shop.buy(member, [productId]);
  await shop.act(itemIds[0]!, 'bring');
  const [of] = (await shop.runs(itemIds[0]!)) as unknown as readonly { readonly at: string }[];
  const mine = (await member.call('GET', `/storefront/v1/me/orders/${orderId}`)).body.data as { items: Record<string, unknown>[] };
  for (const item of [await shop.item(itemIds[0]!), mine.items[0]!])
    expect(Date.parse(String(item['autoDecisionDate'])) - Date.parse(of!.at)).toBe(5 * 24 * 3_600_000);
});

test('a key that was used repeats nothing', async () => {
  const { itemId } = await ordered();
  const once = () =>
    shop.world.seller.call(
      'POST',
      `/v1/order-items/${itemId}/actions/accept`,
      { input: { madeBy: '2027-01-10' } },
      { 'idempotency-key': itemId },
    );
  const [first, second] = [await once(), await once()];
  expect(second.body.data).toEqual(first.body.data);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(await shop.runs(itemId)).toHaveLength(2);
});

test('guests act on their orders with contact and password', async () => {
  const { productId } = await shop.product(flowId);
  const guest = await shop.world.buyer();
  const { orderId, itemIds } = await shop.buy(guest, [productId]);
  await shop.act(itemIds[0]!, 'accept', { input: { madeBy: '2027-01-10' } });
  await shop.act(itemIds[0]!, 'sendProof', { attachments: [await shop.attachment()] });
  const path = `/storefront/v1/guest/orders/${orderId}/items/${itemIds[0]!}/actions/approve`;
  const wrong = await guest.call('POST', path, { contact: '010-1234-5678', orderPassword: 'wrong-password', input: { agree: true } });
  expect(errorOf(wrong).slice(0, 2)).toEqual([404, 'ORDER_NOT_FOUND']);
  const right = await guest.call('POST', path, { contact: '010-1234-5678', orderPassword: 'canary-password-1', input: { agree: true } });
  expect(right.body.data.item.flowState).toMatchObject({ key: 'production', inputs: { agree: true } });
});

test('a record is found by its id, and nobody else’s item or action is', async () => {
  const { itemId } = await accepted();
  const [record] = await shop.runs(itemId);
  expect((await shop.seller('GET', `/v1/flow-runs/${record!.runId}`)).body.data).toEqual(record);
  expect(errorOf(await shop.seller('GET', '/v1/flow-runs/flr_none')).slice(0, 2)).toEqual([404, 'FLOW_RUN_NOT_FOUND']);
  const stranger = await shop.world.member();
  const reply = await stranger.call('POST', `/storefront/v1/me/order-items/${itemId}/actions/approve`, {});
  expect(errorOf(reply).slice(0, 2)).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
  await until('the run is there', async () => (await shop.item(itemId)).status === 'CONFIRMED');
});

/** As if its run were late: the row says that its deadlines fell due a while ago, and the run's timer does not know it. */
const backdate = (itemId: string, ms: number) =>
  query(
    `UPDATE order_item SET flow_state = jsonb_set(flow_state, '{positions,0,due,0,at}',
      to_jsonb((flow_state #>> '{positions,0,due,0,at}')::bigint - $2::bigint))
      WHERE order_item_id = $1`,
    [itemId, ms],
  );
describe('a run that is late', () => {
  test('does not make an action possible whose deadline has passed', async () => {
    const { itemId } = await ordered();
    await backdate(itemId, 4 * DAY);
    expect(errorOf(await shop.act(itemId, 'accept', { input: { madeBy: '2027-01-10' } })).slice(1)).toEqual([
      'ACTION_NOT_AVAILABLE',
      { reason: 'FINISHED' },
    ]);
  });
  test('makes up for any number of deadlines, some in each transaction', async () => {
    const [one, two] = ['paid', 'again'].map((id) => state(id, { deadlines: [{ key: 'on', after: 'PT20S' }] }));
    const tick = (from: string, to: string) => edge(from, to, { type: 'elapsed', deadline: 'on' });
    const graph = {
      schema: 1,
      start: 'begin',
      states: [state('begin'), one!, two!, end()],
      actions: [{ key: 'go', by: 'seller', label: 'go' }],
      edges: [edge('begin', 'paid', acts('go')), tick('paid', 'again'), tick('again', 'paid'), edge('paid', 'end', acts('go'))],
    };
    const { productId } = await shop.product(await shop.flow({ graph }, 'every-20-seconds'));
    const { itemIds, orderNo } = await shop.buy(member, [productId]);
    await shop.act(itemIds[0]!, 'go');
    await backdate(itemIds[0]!, 120 * 20_000);
    const run = (await temporalClient()).workflow.getHandle(`order-item/${shop.world.store.storeId}/${orderNo}01`);
    await run.signal(WAKE_SIGNAL);
    const counted = () =>
      query<{ n: number }>('SELECT count(*)::integer AS n FROM flow_step WHERE order_item_id = $1', [itemIds[0]!]).then(([row]) => row!.n);
    await until('120 deadlines have passed', async () => (await counted()) >= 120);
    await until('an end', async () => (await shop.act(itemIds[0]!, 'go')).status === 200);
  });
});
