/** Two requests never look alike to the person who decides: a preview names what was sent. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { joined } from '../../kernel/points.ts';
import { query, underTest, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
let ids: { readonly orderItemId: string; readonly orderId: string };
let customerId: string;
let productId: string;
const EMAIL = `canary-${randomUUID()}@example.com`;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent(['product:rw', 'order:rw', 'flow:rw', 'customer:rw', 'promotion:rw', 'webhook:rw']);
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [desk.shop.store.storeId]);
  ids = await desk.shop.order(await desk.shop.product({ flowId: await published() }), 2);
  ({ customerId } = await joined(desk.shop, EMAIL));
  ({ productId } = await desk.shop.product());
});
afterAll(() => desk.close());

const state = (id: string, status = 'CONFIRMED') => ({
  id,
  type: 'state',
  status,
  step: 'SELLER_PROCESSING',
  label: 'the same',
  permissions: { sellerForcedCancel: true, sellerCancelHoldRefund: true },
  deadlines: [{ key: 'd', after: 'P30D' }],
});
const stays = (id: string, on: object) => ({ id, from: 'paid', to: 'paid', on, internal: true });
/** Nothing that one of them does is seen in a difference. */
const GRAPH = {
  schema: 1,
  start: 'paid',
  states: [state('paid', 'PAID'), state('one'), state('other'), { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' }],
  actions: ['first', 'second'].map((key) => ({
    key,
    by: 'seller',
    label: 'the same',
    mode: 'form',
    input: [{ key: 'account', type: 'text', label: 'account', maxLength: 100 }],
  })),
  edges: [
    stays('a', { type: 'seller.action', key: 'first' }),
    stays('b', { type: 'seller.action', key: 'second' }),
    stays('c', { type: 'event', name: 'custom.one' }),
    stays('d', { type: 'event', name: 'custom.two' }),
    { id: 'toOne', from: 'paid', to: 'one', on: { type: 'event', name: 'custom.go' } },
    { id: 'toOther', from: 'one', to: 'other', on: { type: 'event', name: 'custom.go' } },
    ...['paid', 'one', 'other'].map((from) => ({ id: `${from}End`, from, to: 'done', on: { type: 'elapsed', deadline: 'd' } })),
  ],
};
async function published(): Promise<string> {
  const key = `flow-${randomUUID().slice(0, 8)}`;
  const made = await desk.shop.seller.call('POST', '/v1/commerce-flows', { key, name: key, graph: GRAPH });
  expect(made.body.error).toBeNull();
  const { flowId } = made.body.data as { flowId: string };
  expect((await desk.shop.seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`)).body.error).toBeNull();
  return flowId;
}

type Sent = readonly [method: string, path: string, body?: object];
/** What the agent asks for; its id. */
const requested = ([method, path, body = {}]: Sent) => desk.requested(agent, method, path, body, { 'idempotency-key': randomUUID() });
interface Shown {
  readonly preview: {
    readonly facts: object;
    readonly request?: { readonly body: object; readonly params: object; readonly unshown: string[] };
  };
  readonly previewDigest: string;
}
const shown = async (approvalId: string) => (await desk.read(approvalId)).body.data as Shown;

const item = () => `/v1/order-items/${ids.orderItemId}`;
const points = (more: object) => ({ amount: 10, reason: 'r', expiresAt: '2099-01-01T00:00:00+09:00', ...more });
/** Each with another one that differs in one thing, and what of it is shown. */
const PAIRS: readonly (readonly [string, () => readonly [Sent, Sent], object])[] = [
  [
    'the key of an action',
    () => [
      ['POST', `${item()}/actions/first`],
      ['POST', `${item()}/actions/second`],
    ],
    { params: { key: 'second' } },
  ],
  [
    'the key of an action of an order',
    () => [
      ['POST', `/v1/orders/${ids.orderId}/actions/first`],
      ['POST', `/v1/orders/${ids.orderId}/actions/second`],
    ],
    { params: { key: 'second' } },
  ],
  [
    'the input of an action',
    () => [
      ['POST', `${item()}/actions/first`, { input: { account: 'a' } }],
      ['POST', `${item()}/actions/first`, { input: { account: 'canary' } }],
    ],
    { unshown: ['input'] },
  ],
  [
    'the name of an event',
    () => [
      ['POST', `${item()}/events/custom.one`],
      ['POST', `${item()}/events/custom.two`],
    ],
    { params: { name: 'custom.two' } },
  ],
  [
    'the data of an event',
    () => [
      ['POST', `${item()}/events/custom.one`, { data: { a: 'canary' } }],
      ['POST', `${item()}/events/custom.one`, { data: { a: 'canary 2' } }],
    ],
    { unshown: ['data'] },
  ],
  [
    'the target of a move',
    () => [
      ['POST', `${item()}/flow/move`, { to: 'one', reason: 'r' }],
      ['POST', `${item()}/flow/move`, { to: 'other', reason: 'r' }],
    ],
    { body: { to: 'other', reason: 'r' } },
  ],
  [
    'whether a refund is held',
    () => [
      ['POST', `${item()}/cancel`, { reason: 'OUT_OF_STOCK' }],
      ['POST', `${item()}/cancel`, { reason: 'OUT_OF_STOCK', holdRefund: true }],
    ],
    { body: { holdRefund: true } },
  ],
  [
    'what is noted of a cancel',
    () => [
      ['POST', `${item()}/cancel`, { reason: 'OUT_OF_STOCK', detail: 'canary' }],
      ['POST', `${item()}/cancel`, { reason: 'OUT_OF_STOCK', detail: 'canary 2' }],
    ],
    { unshown: ['detail'] },
  ],
  [
    'when points expire',
    () => [
      ['POST', `/v1/customers/${customerId}/points/adjustments`, points({})],
      ['POST', `/v1/customers/${customerId}/points/adjustments`, points({ expiresAt: '2098-01-01T00:00:00+09:00' })],
    ],
    { body: { amount: 10, expiresAt: '2098-01-01T00:00:00+09:00' }, unshown: ['reason'] },
  ],
  [
    'why points are given',
    () => [
      ['POST', `/v1/customers/${customerId}/points/adjustments`, points({})],
      ['POST', `/v1/customers/${customerId}/points/adjustments`, points({ reason: 'canary' })],
    ],
    { unshown: ['reason'] },
  ],
  [
    'why a customer is withdrawn',
    () => [
      ['POST', `/v1/customers/${customerId}/withdraw`, { reason: 'a', confirmation: EMAIL }],
      ['POST', `/v1/customers/${customerId}/withdraw`, { reason: 'b', confirmation: EMAIL }],
    ],
    { body: { reason: 'b' }, unshown: ['confirmation'] },
  ],
];
test.each(PAIRS)('%s: the other request has another preview', async (_, pair, expected) => {
  const [one, other] = pair();
  const [first, second] = [await shown(await requested(one)), await shown(await requested(other))];
  expect(second.preview.request).toMatchObject(expected);
  expect(second.previewDigest).not.toBe(first.previewDigest);
});

test('what is secret or personal is in no preview, record or list', async () => {
  const { storeId } = desk.shop.store;
  const rows = await query('SELECT preview::text, listed::text FROM approval_request WHERE store_id = $1', [storeId]);
  expect(rows.length).toBeGreaterThan(10);
  expect(JSON.stringify(rows)).not.toContain('canary');
  const records = await query('SELECT metadata::text FROM audit_request WHERE store_id = $1', [storeId]);
  expect(JSON.stringify(records)).not.toContain('canary');
});
test('of what is long there is the name, and the digest of the whole', async () => {
  const eventTypes = ['ORDER.PAID'];
  const urls = ['a', 'b'].map((end) => `https://example.com/${'x'.repeat(300)}${end}`);
  const [one, other] = [
    await requested(['POST', '/v1/webhooks', { url: urls[0], eventTypes }]),
    await requested(['POST', '/v1/webhooks', { url: urls[1], eventTypes }]),
  ];
  const [first, second] = [await shown(one), await shown(other)];
  expect(second.preview.request).toMatchObject({ body: { eventTypes }, unshown: ['url'] });
  expect(second.previewDigest).not.toBe(first.previewDigest);
});
test('a dry run is answered as before: its sender knows what was sent', async () => {
  const headers = { ...agent.headers, 'x-svc-dry-run': '1' };
  const { body } = await call(underTest.api, 'POST', `${item()}/actions/first`, { body: {}, headers });
  expect(Object.keys((body.data as { preview: object }).preview)).toEqual(['operationId', 'target', 'changes', 'facts']);
});

describe('a request that was made by the version before', () => {
  const price = async () =>
    ((await desk.shop.seller.call('GET', `/v1/products/${productId}`)).body.data as { salePrice: number }).salePrice;
  const before = (approvalId: string, facts = 'preview') =>
    query(`UPDATE approval_request SET preview = ${facts} - 'request' WHERE approval_id = $1`, [approvalId]);
  test('is approved as it is shown', async () => {
    const approvalId = await requested(['PATCH', `/v1/products/${productId}`, { salePrice: 7000 }]);
    await before(approvalId);
    const { previewDigest } = await shown(approvalId);
    expect((await desk.decide(approvalId, 'approve', 'owner', { previewDigest })).body.data.status).toBe('SUCCEEDED');
    expect(await price()).toBe(7000);
  });
  test('and whose preview lacks what a flow would decide is shown anew, and approved then', async () => {
    const approvalId = await requested(['POST', `${item()}/events/custom.go`]);
    await before(approvalId, `jsonb_set(preview, '{facts}', (preview -> 'facts') - '{steps,stepsDigest,timers}'::text[])`);
    const stale = await desk.decide(approvalId, 'approve');
    expect([stale.status, stale.body.error?.code]).toEqual([409, 'APPROVAL_STALE']);
    expect((await shown(approvalId)).preview).toMatchObject({
      facts: { steps: [{ to: ['one'] }] },
      request: { params: { name: 'custom.go' } },
    });
    expect((await desk.decide(approvalId, 'approve')).body.data.status).toBe('SUCCEEDED');
  });
});
