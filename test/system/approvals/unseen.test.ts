/** What no line of a preview shows is compared all the same: what a person approves is what happens. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { adjust, joined } from '../../kernel/points.ts';
import { query, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent(['product:rw', 'order:rw', 'flow:rw', 'customer:rw']);
  // Live: nothing is skipped.
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [desk.shop.store.storeId]);
});
afterAll(() => desk.close());

/** What the agent asks for; its id. */
const requested = (method: string, path: string, body: object) => desk.requested(agent, method, path, body);
const shown = async (approvalId: string) => (await desk.read(approvalId)).body.data as { preview: Preview; previewDigest: string };
interface Preview {
  readonly changes: readonly object[];
  readonly facts: Readonly<Record<string, unknown>>;
}
const approve = (approvalId: string) => desk.approval(approvalId);

const OPTIONS = [
  { name: 'A', values: Array.from({ length: 20 }, (_, i) => `a${i}`) },
  { name: 'B', values: Array.from({ length: 20 }, (_, i) => `b${i}`) },
] as const;
const variants = (made: (n: number) => object) =>
  OPTIONS[0].values.flatMap((a, i) => OPTIONS[1].values.map((b, j) => ({ optionValues: [a, b], ...made(i * 20 + j) })));

test('a price beyond the lines that are shown: the request says how many there are, and is stale when a person has changed one', async () => {
  const plain = variants(() => ({ stockQuantity: 5, additionalPrice: 0 }));
  const { productId } = await desk.shop.product({ salePrice: 100_000, stockQuantity: undefined, optionGroups: OPTIONS, variants: plain });
  const wanted = variants((n) => ({ stockQuantity: 5, sku: `S${n}`, barcode: `B${n}`, additionalPrice: n === 399 ? -90_000 : 0 }));
  const approvalId = await requested('PUT', `/v1/products/${productId}/options`, { optionGroups: OPTIONS, variants: wanted });
  const { preview } = await shown(approvalId);
  expect(preview.changes).toHaveLength(500);
  expect(preview.facts).toMatchObject({ changedFields: expect.any(Number), changesDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const decide = await approve(approvalId);
  const raised = variants((n) => ({ additionalPrice: n === 398 ? 50_000 : 0, stockQuantity: 5 }));
  await desk.shop.seller.call('PATCH', `/v1/products/${productId}`, { variants: raised });
  expect(await decide()).toEqual([409, 'APPROVAL_STALE']);
  const { body } = await desk.shop.seller.call('GET', `/v1/products/${productId}`);
  expect([body.data.variants[398].additionalPrice, body.data.variants[399].additionalPrice]).toEqual([50_000, 0]);
  expect(await (await approve(approvalId))()).toEqual([200, 'SUCCEEDED']);
});

const waiting = (id: string) => ({
  id,
  type: 'state',
  status: 'CONFIRMED',
  step: 'SELLER_PROCESSING',
  label: 'the same',
  deadlines: [{ key: 'd', after: 'P30D' }],
});
/** Where `route` leads depends on what the buyer has put in. */
const GRAPH = {
  schema: 1,
  start: 'paid',
  states: [
    { ...waiting('paid'), status: 'PAID' },
    waiting('one'),
    waiting('other'),
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
  ],
  actions: [
    {
      key: 'edit',
      by: 'buyer',
      label: 'edit',
      mode: 'form',
      input: [{ key: 'account', type: 'text', label: 'account', required: true, maxLength: 100 }],
    },
    { key: 'route', by: 'seller', label: 'route' },
  ],
  edges: [
    { id: 'edited', from: 'paid', to: 'paid', on: { type: 'buyer.action', key: 'edit' }, internal: true },
    { id: 'toOther', from: 'paid', to: 'other', on: { type: 'seller.action', key: 'route' }, when: "item.inputs.account == 'b'" },
    { id: 'toOne', from: 'paid', to: 'one', on: { type: 'seller.action', key: 'route' } },
    ...['paid', 'one', 'other'].map((from) => ({ id: `${from}End`, from, to: 'done', on: { type: 'elapsed', deadline: 'd' } })),
  ],
};

test('a step of a flow whose inputs the buyer has changed meanwhile is shown anew', async () => {
  const key = `flow-${randomUUID().slice(0, 8)}`;
  const made = await desk.shop.seller.call('POST', '/v1/commerce-flows', { key, name: key, graph: GRAPH });
  expect(made.body.error).toBeNull();
  const { flowId } = made.body.data as { flowId: string };
  expect((await desk.shop.seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`)).body.error).toBeNull();
  const buyer = await desk.shop.member();
  const { orderItemId } = await desk.shop.order(await desk.shop.product({ flowId }), 1, buyer);
  const edit = async (account: string) => {
    const path = `/storefront/v1/me/order-items/${orderItemId}/actions/edit`;
    expect((await buyer.call('POST', path, { input: { account } })).body.error).toBeNull();
  };
  await edit('a');
  const approvalId = await requested('POST', `/v1/order-items/${orderItemId}/actions/route`, {});
  expect((await shown(approvalId)).preview.facts['contents']).toEqual(expect.stringMatching(/^[0-9a-f]{64}$/));
  const decide = await approve(approvalId);
  await edit('b');
  expect(await decide()).toEqual([409, 'APPROVAL_STALE']);
  const state = async () =>
    ((await desk.shop.seller.call('GET', `/v1/order-items/${orderItemId}`)).body.data as { flowState: { key: string } }).flowState.key;
  expect(await state()).toBe('paid');
  expect(await (await approve(approvalId))()).toEqual([200, 'SUCCEEDED']);
  expect(await state()).toBe('other');
});

test('a discount is of the prices that were shown, those of options too', async () => {
  const optionGroups = [{ name: 'A', values: ['a', 'b'] }];
  const options = (additionalPrice: number) => ({
    optionGroups,
    variants: [
      { optionValues: ['a'], stockQuantity: 5, additionalPrice: 0 },
      { optionValues: ['b'], stockQuantity: 5, additionalPrice },
    ],
  });
  const { productId } = await desk.shop.product({ salePrice: 10_000, stockQuantity: undefined, ...options(0) });
  const discount = { method: 'RATE', value: 50, startDate: '2026-01-01', endDate: '2099-12-31' };
  const approvalId = await requested('PUT', `/v1/products/${productId}/discount`, discount);
  expect((await shown(approvalId)).preview.facts).toEqual({ salePrice: 10_000, lowestAdditionalPrice: 0 });
  const decide = await approve(approvalId);
  expect((await desk.shop.seller.call('PUT', `/v1/products/${productId}/options`, options(-4000))).body.error).toBeNull();
  expect(await decide()).toEqual([409, 'APPROVAL_STALE']);
  expect((await shown(approvalId)).preview.facts).toEqual({ salePrice: 10_000, lowestAdditionalPrice: -4000 });
});

test('a withdrawal shows the points that are lost with it', async () => {
  const email = `member-${randomUUID()}@example.com`;
  const { customerId } = await joined(desk.shop, email);
  const approvalId = await requested('POST', `/v1/customers/${customerId}/withdraw`, { reason: 'OTHER', confirmation: email });
  expect((await shown(approvalId)).preview.facts).toEqual({ points: 0 });
  const decide = await approve(approvalId);
  expect((await adjust(desk.shop, customerId, { amount: 500, reason: 'x', expiresAt: '2099-01-01T00:00:00+09:00' })).status).toBe(201);
  expect(await decide()).toEqual([409, 'APPROVAL_STALE']);
  expect((await shown(approvalId)).preview.facts).toEqual({ points: 500 });
});

test.each([
  ['a sale price', 'PATCH', '', { salePrice: 50_000 }],
  [
    'an addition',
    'PUT',
    '/options',
    { optionGroups: [{ name: 'A', values: ['a'] }], variants: [{ optionValues: ['a'], additionalPrice: -40_000 }] },
  ],
])('%s is stale when a person has put a discount on the product: buyers would pay what nobody was shown', async (_, method, part, body) => {
  const options = { optionGroups: [{ name: 'A', values: ['a'] }], variants: [{ optionValues: ['a'], stockQuantity: 5 }] };
  const { productId } = await desk.shop.product({ salePrice: 100_000, stockQuantity: undefined, ...options });
  const approvalId = await requested(method, `/v1/products/${productId}${part}`, body);
  expect((await shown(approvalId)).preview.facts).toMatchObject({ discount: null });
  const decide = await approve(approvalId);
  const discount = { method: 'AMOUNT', value: 45_000, startDate: '2026-01-01', endDate: '2099-01-01' };
  expect((await desk.shop.seller.call('PUT', `/v1/products/${productId}/discount`, discount)).status).toBe(200);
  expect(await decide()).toEqual([409, 'APPROVAL_STALE']);
  expect((await shown(approvalId)).preview.facts).toMatchObject({ discount: { value: 45_000 } });
});
