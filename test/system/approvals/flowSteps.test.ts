/** What a flow decides at a step, and the jobs that it starts, are what a person approves. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent(['order:rw', 'claim:rw', 'flow:rw']);
});
afterAll(() => desk.close());

/** What the agent asks for; its id. */
const requested = (path: string, body: object = {}) => desk.requested(agent, 'POST', path, body);
interface Step {
  readonly orderItemIds: readonly string[];
  readonly edges: readonly string[];
  readonly to: readonly string[];
  readonly jobs: readonly string[];
}
const shown = async (approvalId: string) => (await desk.read(approvalId)).body.data as { preview: Preview; previewDigest: string };
interface Preview {
  readonly facts: { readonly steps: readonly Step[]; readonly stepsDigest: string };
}
/** Approves what is shown now. */
const approve = async (approvalId: string) => (await desk.approval(approvalId))();

const waiting = (id: string, more: object = {}) => ({
  id,
  type: 'state',
  status: 'CONFIRMED',
  step: 'SELLER_PROCESSING',
  label: 'the same',
  deadlines: [{ key: 'd', after: 'P30D' }],
  ...more,
});
const EARLY = 'now < order.paidAt + duration("1h")';
const notifies = (name: string) => [{ type: 'notify', name, to: 'buyer', message: name }];
const ends = (...from: readonly string[]) =>
  from.map((id) => ({ id: `${id}End`, from: id, to: 'done', on: { type: 'elapsed', deadline: 'd' } }));
const DONE = { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' };
/** Where `route` leads depends on the time alone; both ends look alike. */
const TIMED = {
  schema: 1,
  start: 'paid',
  states: [{ ...waiting('paid'), status: 'PAID' }, waiting('soon'), waiting('late'), DONE],
  actions: [{ key: 'route', by: 'seller', label: 'route' }],
  edges: [
    { id: 'toSoon', from: 'paid', to: 'soon', on: { type: 'seller.action', key: 'route' }, when: EARLY, run: notifies('inTime') },
    { id: 'toLate', from: 'paid', to: 'late', on: { type: 'seller.action', key: 'route' }, run: notifies('tooLate') },
    ...ends('paid', 'soon', 'late'),
  ],
};
const without = <T extends { readonly id: string }>(list: readonly T[]) => list.filter(({ id }) => !id.toLowerCase().includes('soon'));
const UNTIMED = { ...TIMED, states: without(TIMED.states), edges: without(TIMED.edges) };
/** `route` leads to a request to a service. */
const SERVED = {
  schema: 1,
  start: 'paid',
  states: [
    { ...waiting('paid'), status: 'PAID' },
    { id: 'ask', type: 'external', status: 'CONFIRMED', secret: 'shop', method: 'POST', path: '/', timeoutSeconds: 5 },
    waiting('asked'),
    DONE,
  ],
  actions: [{ key: 'route', by: 'seller', label: 'route' }],
  edges: [
    { id: 'toAsk', from: 'paid', to: 'ask', on: { type: 'seller.action', key: 'route' } },
    ...['success', 'failed', 'skipped'].map((value) => ({ id: value, from: 'ask', to: 'asked', on: { type: 'result', value } })),
    ...ends('paid', 'asked'),
  ],
};

async function published(graph: object, more: object = {}): Promise<string> {
  const key = `flow-${randomUUID().slice(0, 8)}`;
  const made = await desk.shop.seller.call('POST', '/v1/commerce-flows', { key, name: key, graph: { ...graph, ...more } });
  expect(made.body.error).toBeNull();
  const { flowId } = made.body.data as { flowId: string };
  expect((await desk.shop.seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`)).body.error).toBeNull();
  return flowId;
}
const bought = async (flowId: string, quantity = 1) => desk.shop.order(await desk.shop.product({ flowId }), quantity);
const stateOf = async (orderItemId: string) =>
  ((await desk.shop.seller.call('GET', `/v1/order-items/${orderItemId}`)).body.data as { flowState: { key: string } }).flowState.key;

describe('a guard that reads the time', () => {
  test.each([
    ['an action', 'ITEM', (ids: Ids) => `/v1/order-items/${ids.orderItemId}/actions/route`],
    ['an action of all items', 'ITEM', (ids: Ids) => `/v1/orders/${ids.orderId}/actions/route`],
    ['an action of a group', 'ORDER_GROUP', (ids: Ids) => `/v1/order-items/${ids.orderItemId}/actions/route`],
  ] as const)(
    '%s (%s): the request says which edge, state and jobs it would be, and is stale when they are others',
    async (_, progression, path) => {
      const ids = await bought(await published(TIMED, { requires: { progression } }));
      const { orderItemId } = ids;
      const approvalId = await requested(path(ids));
      const { facts } = (await shown(approvalId)).preview;
      expect(facts.steps).toMatchObject([{ orderItemIds: [orderItemId], edges: ['toSoon'], to: ['soon'] }]);
      expect(facts.steps[0]!.jobs).toEqual(expect.arrayContaining(['notify buyer inTime', 'timer d']));
      expect(facts).toMatchObject({ stepsDigest: expect.stringMatching(/^[0-9a-f]{64}$/), timers: [expect.stringMatching(/^d \d{4}-/)] });
      await desk.shop.advance('PT2H');
      expect(await approve(approvalId)).toEqual([409, 'APPROVAL_STALE']);
      expect([await stateOf(orderItemId), (await shown(approvalId)).preview.facts.steps]).toEqual([
        'paid',
        [expect.objectContaining({ edges: ['toLate'], to: ['late'], jobs: expect.arrayContaining(['notify buyer tooLate']) })],
      ]);
      expect(await approve(approvalId)).toEqual([200, 'SUCCEEDED']);
      expect(await stateOf(orderItemId)).toBe('late');
    },
  );
});
interface Ids {
  readonly orderId: string;
  readonly orderItemId: string;
}

test('an hour makes no approval stale: when its timers end is shown anew, and not compared', async () => {
  const { orderItemId } = await bought(await published(UNTIMED));
  const approvalId = await requested(`/v1/order-items/${orderItemId}/actions/route`);
  await desk.shop.advance('PT2H');
  expect(await approve(approvalId)).toEqual([200, 'SUCCEEDED']);
});

test('a service whose address is another by now: the request that would be sent is compared, not shown', async () => {
  const save = async (url: string) => {
    const body = { url, headerName: 'x-key', headerValue: 'canary' };
    expect((await desk.shop.seller.call('PUT', '/v1/commerce-flows/secrets/shop', body)).body.error).toBeNull();
  };
  await save('https://one.example.com');
  const { orderItemId } = await bought(await published(SERVED));
  const approvalId = await requested(`/v1/order-items/${orderItemId}/actions/route`);
  const { preview } = await shown(approvalId);
  expect(preview.facts.steps).toMatchObject([{ to: ['ask'], jobs: expect.arrayContaining(['external.call ask']) }]);
  await save('https://other.example.com');
  expect(await approve(approvalId)).toEqual([409, 'APPROVAL_STALE']);
  const { facts } = (await shown(approvalId)).preview;
  expect(facts.steps).toEqual(preview.facts.steps);
  expect(facts.stepsDigest).not.toBe(preview.facts.stepsDigest);
  expect(await approve(approvalId)).toEqual([200, 'SUCCEEDED']);
});

test('a migration is of the items that were shown, not of as many others', async () => {
  const flowId = await published(TIMED);
  const [one, other] = [await bought(flowId), await bought(flowId)].toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1));
  expect((await desk.shop.seller.call('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph: UNTIMED })).body.error).toBeNull();
  expect((await desk.shop.seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`)).body.error).toBeNull();
  const approvalId = await requested(`/v1/commerce-flows/${flowId}/versions/1/migrate`, { limit: 1 });
  const { facts } = (await shown(approvalId)).preview;
  expect(facts).toMatchObject({ migrated: 1, remaining: 1, itemsDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  // It stands now where the newer version has no state: the other one is the next.
  const routed = await desk.shop.seller.call(
    'POST',
    `/v1/order-items/${one!.orderItemId}/actions/route`,
    {},
    { 'idempotency-key': randomUUID() },
  );
  expect([routed.body.error, await stateOf(one!.orderItemId)]).toEqual([null, 'soon']);
  expect(await approve(approvalId)).toEqual([409, 'APPROVAL_STALE']);
  expect((await shown(approvalId)).preview.facts).toMatchObject({ migrated: 1, remaining: 0, skipped: 1 });
  expect(await approve(approvalId)).toEqual([200, 'SUCCEEDED']);
  const flow = async ({ orderItemId }: Ids) =>
    ((await desk.shop.seller.call('GET', `/v1/order-items/${orderItemId}/flow`)).body.data as { flow: { version: number } }).flow.version;
  expect([await flow(one!), await flow(other!)]).toEqual([1, 2]);
});
