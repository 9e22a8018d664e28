/** Scenarios and records through a draft, over HTTP: nothing real changes (docs/contract.md#authoring). */
import { beforeAll, expect, test } from '@jest/globals';
import { shippingStandard } from '../../../domain/flows/presets/shippingStandard.ts';
import { query, world } from '../../kernel/world.ts';
import { Author, edge, end, state, twoSteps } from './fixtures.ts';

let author: Author;
beforeAll(async () => {
  author = new Author(await world());
});
const simulate = (flowId: string, body: unknown) => author.send('POST', `/v1/commerce-flows/${flowId}/draft/simulate`, body);
const replay = (flowId: string, orderItemId: string) => author.send('POST', `/v1/commerce-flows/${flowId}/draft/replay`, { orderItemId });
const start = { event: { type: 'start' } };
const act = (key: string) => ({ event: { type: 'seller.action', key } });

test('a parcel by the default flow: times, edges, jobs, deadlines and permissions of each step', async () => {
  const flowId = await author.standard('SHIPPING');
  const at = '2026-12-01T09:00:00+09:00';
  const steps = [start, act('dispatch'), act('confirm'), act('dispatch'), { advance: 'P20D' }];
  const context = { at, settings: { autoDeliverDays: 7, autoConfirmDays: 7 }, item: { quantity: 2 }, claim: { quantity: 1 } };
  const { status, body } = await simulate(flowId, { steps, context });
  expect(status).toBe(200);
  const answers = body.data.steps as Record<string, unknown>[];
  expect(answers).toHaveLength(5);
  expect(answers[0]).toMatchObject({
    at,
    accepted: true,
    refusal: null,
    state: { key: 'paid', name: '결제 완료' },
    branches: [],
    status: 'PAID',
    done: null,
    edges: [],
    jobs: [],
    deadlines: [],
    permissions: {
      buyerCancel: { allowed: true, reason: null, until: null, deduct: 0 },
      returnRequest: { allowed: false, reason: 'NOT_IN_STATE' },
    },
  });
  expect(answers[1]).toMatchObject({
    accepted: false,
    refusal: { code: 'ACTION_NOT_AVAILABLE', reason: 'NOT_IN_STATE' },
    state: { key: 'paid' },
  });
  expect(answers[3]).toMatchObject({
    edges: ['preparing:dispatch'],
    jobs: [
      { type: 'tracking.start', at },
      { type: 'event', name: 'ORDER.FLOW_STATE_CHANGED', at },
      { type: 'event', name: 'ORDER.DISPATCHED', at },
    ],
    deadlines: [{ key: 'autoDeliver', at: '2026-12-08T09:00:00+09:00' }],
  });
  expect(answers[4]).toMatchObject({
    at: '2026-12-21T09:00:00+09:00',
    edges: ['shipping:@autoDeliver', 'delivered:@autoDecide'],
    status: 'PURCHASE_DECIDED',
    done: 'COMPLETED',
  });
});

test('all problems of a scenario are told at once', async () => {
  const flowId = await author.standard('SHIPPING');
  const steps = [
    { advance: 'P401D' },
    { advance: 'P1M' },
    {},
    { event: { type: 'seller.action', leaves: true } },
    { event: { type: 'jump' } },
    { event: { type: 'start' }, advance: 'P1D' },
  ];
  const { status, body } = await simulate(flowId, { steps, context: { item: { quantity: 0 } }, more: 1 });
  expect(status).toBe(400);
  expect(body.error!.fieldErrors!.map(({ field }) => field).toSorted()).toEqual([
    'context.item.quantity',
    'more',
    'steps[0]',
    'steps[0].advance',
    'steps[1].advance',
    'steps[2]',
    'steps[3].event.key',
    'steps[3].event.leaves',
    'steps[4].event.type',
    'steps[5]',
  ]);
  expect((await simulate(flowId, { steps: [] })).status).toBe(400);
  expect((await simulate(flowId, { steps: Array.from({ length: 101 }, () => start) })).status).toBe(400);
  expect((await simulate('flw_none', { steps: [start] })).body.error!.code).toBe('FLOW_NOT_FOUND');
});

test('the draft is played, the newest version where there is none, and never one with problems', async () => {
  const drawn = twoSteps({ deadlines: [{ key: 'late', after: 'P1D' }] });
  const graph = { ...drawn, edges: drawn.edges.map((one) => (one.id === 'late' ? { ...one, to: 'gone' } : one)) };
  const flowId = await author.create('rehearsed', { graph });
  const body = { steps: [start, { advance: 'P2D' }] };
  const last = async () => ((await simulate(flowId, body)).body.data.steps as object[]).at(-1);
  const canceled = {
    edges: ['late'],
    done: 'CANCELED',
    jobs: ['refund', 'stock.restore', 'event', 'event'].map((type) => expect.objectContaining({ type })),
  };
  expect(await last()).toMatchObject(canceled);
  await author.publishes(flowId);
  expect(await last()).toMatchObject(canceled);
  await author.saveDraft(flowId, twoSteps());
  expect(await last()).toMatchObject({ edges: [], state: { key: 'paid' } });
  await author.saveDraft(flowId, { ...graph, states: [...graph.states, state('island')] });
  const { error } = (await simulate(flowId, body)).body;
  expect(error).toMatchObject({
    code: 'PUBLISH_BLOCKED',
    details: { blocking: expect.arrayContaining([expect.objectContaining({ nodeId: 'island' })]) },
  });
  const rows = await query(`SELECT 1 FROM flow_step WHERE store_id = $1`, [author.shop.store.storeId]);
  expect(rows).toEqual([]);
});

test('an item’s records go the same way through its own flow, and part where a draft differs', async () => {
  const { orderItemId: itemId } = await author.shop.order();
  await author.shop.act(itemId, 'confirm');
  await author.shop.act(itemId, 'dispatch', { deliveryMethod: 'DIRECT' });
  await author.shop.act(itemId, 'delivered');
  expect((await replay(await author.standard('SHIPPING'), itemId)).body.data).toEqual({
    orderItemId: itemId,
    version: 1,
    records: 4,
    divergedAt: null,
    truncated: null,
  });
  const states = shippingStandard.states.map((one) =>
    one.id === 'shipping' ? state('shipping', { label: '배송', status: 'DISPATCHED', step: 'IN_DELIVERY' }) : one,
  );
  const edges = shippingStandard.edges.filter(({ from }) => from !== 'shipping');
  const other = {
    ...shippingStandard,
    states: [...states, end('lost', 'CANCELED')],
    edges: [
      ...edges,
      edge('shipping', 'lost', { type: 'event', name: 'custom.lost' }),
      edge('shipping', 'delivered', { type: 'event', name: 'courier.delivered' }),
    ],
  };
  const flowId = await author.create('without-hand', { graph: other });
  expect((await replay(flowId, itemId)).body).toMatchObject({
    data: {
      records: 4,
      divergedAt: {
        record: 4,
        event: { type: 'seller.action', key: 'delivered' },
        recorded: { edges: ['shipping:delivered'], to: ['delivered'] },
        replayed: { edges: [], to: ['shipping'], code: 'ACTION_NOT_AVAILABLE', reason: 'NOT_IN_STATE' },
      },
    },
  });
  expect((await replay(flowId, 'oit_none')).body.error!.code).toBe('ORDER_ITEM_NOT_FOUND');
});

test('the store’s days arm a deadline of the start with the payment; a later change moves neither it nor its replay', async () => {
  const days = (autoConfirmDays: number) => author.send('PATCH', '/v1/store', { autoConfirmDays });
  await days(3);
  const flowId = await author.published('settled', twoSteps({ deadlines: [{ key: 'late', setting: 'autoConfirmDays' }] }));
  const { orderItemId: itemId } = await author.shop.order(await author.shop.product({ flowId }));
  await days(9);
  const { flowState } = (await author.get(`/v1/order-items/${itemId}/flow`)) as { flowState: { key: string; deadlineAt: string | null } };
  expect([flowState.key, flowState.deadlineAt === null]).toEqual(['paid', false]);
  await author.shop.advance('P4D');
  expect((await replay(flowId, itemId)).body.data).toMatchObject({ records: 2, divergedAt: null });
  expect((await author.shop.item(itemId)).status).toBe('DELIVERED');
});
