/** What a person approves is what happens: a request whose effect has changed is shown anew and not carried out. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { hashKey } from '../../../db/runs/operations.ts';
import { digestOf } from '../../../db/kernel/digest.ts';
import { builtInGraph } from '../../../domain/flows/presets/index.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { adjust, joined } from '../../kernel/points.ts';
import { query, underTest, untilBlockedBy, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent(['product:rw', 'order:rw', 'claim:rw', 'flow:rw', 'store:rw', 'promotion:rw', 'webhook:rw', 'customer:rw']);
  // Live: nothing is skipped.
  await desk.shop.order();
  await query('UPDATE store SET first_live_order_at = now() WHERE store_id = $1', [desk.shop.store.storeId]).catch(() => []);
});
afterAll(() => desk.close());

const asAgent = (method: string, path: string, body?: object, headers: Headers_ = {}) =>
  call(underTest.api, method, path, { ...(body && { body }), headers: { ...agent.headers, ...headers } });
/** What the agent asks for; its id. */
const requested = (method: string, path: string, body?: object, headers: Headers_ = {}) =>
  desk.requested(agent, method, path, body, headers);
const recordOf = async (approvalId: string) => (await desk.read(approvalId)).body.data;
const detailsOf = ({ body }: Reply) => body.error?.details as { preview: { changes: object[]; facts: object }; previewDigest: string };
/** It is stale, still PENDING, and shows what it would do now; its new preview. */
async function expectStale(approvalId: string, reply: Reply) {
  expect([reply.status, reply.body.error?.code]).toEqual([409, 'APPROVAL_STALE']);
  const { preview, previewDigest: digest } = detailsOf(reply);
  expect(await recordOf(approvalId)).toMatchObject({ status: 'PENDING', preview, previewDigest: digest, approver: null, decidedAt: null });
  expect(digest).toBe(digestOf(preview));
  return preview;
}
const decided = async (approvalId: string) =>
  (
    await query<{ n: string }>(`SELECT count(*) AS n FROM audit_domain WHERE action = 'APPROVAL_DECIDED' AND approval_id = $1`, [
      approvalId,
    ])
  )[0]!.n;

test('a price that a person has changed meanwhile: the approver sees it before anything is done', async () => {
  const { productId } = await desk.shop.product();
  const price = async () => (await desk.shop.seller.call('GET', `/v1/products/${productId}`)).body.data as { salePrice: number };
  const approvalId = await requested('PATCH', `/v1/products/${productId}`, { salePrice: 9000 });
  await desk.shop.seller.call('PATCH', `/v1/products/${productId}`, { salePrice: 90_000 });
  const { changes } = await expectStale(approvalId, await desk.decide(approvalId, 'approve'));
  expect(changes).toContainEqual({ field: 'salePrice', before: 90_000, after: 9000 });
  expect([(await price()).salePrice, await decided(approvalId)]).toEqual([90_000, '0']);
  expect((await desk.decide(approvalId, 'approve')).body.data.status).toBe('SUCCEEDED');
  expect([(await price()).salePrice, await decided(approvalId)]).toEqual([9000, '1']);
});

test('a draft that was replaced while its publish waited is not published', async () => {
  const graph = { ...builtInGraph('manual-standard')! };
  const key = `flow-${randomUUID().slice(0, 8)}`;
  const made = await desk.shop.seller.call('POST', '/v1/commerce-flows', { key, name: key, graph });
  const { flowId } = made.body.data as { flowId: string };
  const approvalId = await requested('POST', `/v1/commerce-flows/${flowId}/draft/publish`, {});
  const shown = await recordOf(approvalId);
  expect(shown.preview.facts).toMatchObject({ version: 1, graphDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const [first, ...rest] = graph.states;
  const replaced = { ...graph, states: [{ ...first!, label: 'another' }, ...rest] };
  expect((await asAgent('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph: replaced })).status).toBe(200);
  const preview = await expectStale(approvalId, await desk.decide(approvalId, 'approve'));
  expect(preview.facts).not.toEqual(shown.preview.facts);
  expect(JSON.stringify(preview.changes)).toContain('another');
  const versions = await desk.shop.seller.call('GET', `/v1/commerce-flows/${flowId}/versions`);
  expect(versions.body.data).toMatchObject({ items: [] });
  expect((await desk.decide(approvalId, 'approve')).body.data.status).toBe('SUCCEEDED');
});

test('what comes between the dry run and the execution is not carried out either: the change waits with its row', async () => {
  const { productId } = await desk.shop.product();
  const approvalId = await requested('PATCH', `/v1/products/${productId}`, { salePrice: 9000 });
  // The dry run at the approval gives up after half a second; the execution waits for the row longer.
  const lock = await desk.lock('UPDATE product SET sale_price_won = 90000, version = version + 1 WHERE product_id = $1', [productId]);
  const reply = desk.decide(approvalId, 'approve');
  await desk.untilStatus(approvalId, 'EXECUTING');
  await lock.release('COMMIT');
  const preview = await expectStale(approvalId, await reply);
  expect(preview.changes).toContainEqual({ field: 'salePrice', before: 90_000, after: 9000 });
  const [{ price } = { price: 0 }] = await query<{ price: number }>('SELECT sale_price_won AS price FROM product WHERE product_id = $1', [
    productId,
  ]);
  expect(price).toBe(90_000);
  expect((await desk.decide(approvalId, 'approve')).body.data).toMatchObject({
    status: 'SUCCEEDED',
    result: { data: { salePrice: 9000 } },
  });
});

test('a command to a run is refused in its own transaction, when the row is another one by then', async () => {
  const { orderItemId } = await desk.shop.order(undefined, 2);
  const approvalId = await requested('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OUT_OF_STOCK' });
  const { storeId } = desk.shop.store;
  // Behind the dry run, and before all that the transition reads: its operation row.
  const lock = await desk.lock(
    `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, created_at, expires_at)
     VALUES ($1, $2, $3, 'x', 'x', now(), now() + interval '1 day')`,
    [storeId, `approval/${approvalId}`, hashKey(`approval/${approvalId}`)],
  );
  const reply = desk.decide(approvalId, 'approve');
  await untilBlockedBy(lock.pid);
  await query('UPDATE order_item SET canceled_quantity = 1 WHERE order_item_id = $1', [orderItemId]);
  await lock.release();
  const { facts } = await expectStale(approvalId, await reply);
  expect(facts).toMatchObject({ quantity: 1, canceledQuantity: 2 });
  expect(await desk.shop.item(orderItemId)).toMatchObject({ canceledQuantity: 1, status: 'PAID' });
  expect(await query('SELECT 1 FROM refund WHERE order_item_id = $1', [orderItemId])).toEqual([]);
});

test('a repeat under the same key approves nothing that its sender has not seen; a new decision takes a new key', async () => {
  const { productId } = await desk.shop.product();
  const approvalId = await requested('PATCH', `/v1/products/${productId}`, { salePrice: 9000 });
  await desk.shop.seller.call('PATCH', `/v1/products/${productId}`, { salePrice: 90_000 });
  const decide = (key: string, body = {}) => desk.decide(approvalId, 'approve', 'owner', body, { 'idempotency-key': key });
  const first = await decide('one');
  await expectStale(approvalId, first);
  const again = await decide('one');
  expect([again.status, again.body.error, again.headers.get('idempotent-replayed')]).toEqual([409, first.body.error, 'true']);
  expect((await recordOf(approvalId)).status).toBe('PENDING');
  const named = await decide('two', { previewDigest: '0'.repeat(64) });
  await expectStale(approvalId, named);
  const { previewDigest } = detailsOf(first);
  expect((await decide('three', { previewDigest })).body.data).toMatchObject({ status: 'SUCCEEDED', previewDigest });
});

test('a stale request can be rejected, and a dry run of its approval says that it is stale and leaves it', async () => {
  const { productId } = await desk.shop.product();
  const approvalId = await requested('PATCH', `/v1/products/${productId}`, { salePrice: 9000 });
  const before = await recordOf(approvalId);
  await desk.shop.seller.call('PATCH', `/v1/products/${productId}`, { salePrice: 90_000 });
  const dry = await desk.decide(approvalId, 'approve', 'owner', {}, { 'x-svc-dry-run': '1' });
  expect([dry.status, dry.body.error?.code, await recordOf(approvalId)]).toEqual([409, 'APPROVAL_STALE', before]);
  expect((await desk.decide(approvalId, 'reject')).body.data.status).toBe('REJECTED');
});

test('two approvers who saw the same: whoever comes second approves nothing that they did not see', async () => {
  for (let round = 0; round < 10; round++) {
    const { productId } = await desk.shop.product();
    const approvalId = await requested('PATCH', `/v1/products/${productId}`, { salePrice: 9000 });
    const { previewDigest } = await recordOf(approvalId);
    await desk.shop.seller.call('PATCH', `/v1/products/${productId}`, { salePrice: 90_000 });
    const replies = await Promise.all(
      (['owner', 'admin'] as const).map((role) => desk.decide(approvalId, 'approve', role, { previewDigest })),
    );
    expect(replies.map(({ body }) => body.error?.code)).toEqual(['APPROVAL_STALE', 'APPROVAL_STALE']);
    expect((await recordOf(approvalId)).status).toBe('PENDING');
  }
}, 60_000);

test('an approval of what writes stock undoes no sale; one that writes none meets no sale', async () => {
  const { productId } = await desk.shop.product();
  const shown = await desk.shop.seller.call('GET', `/v1/products/${productId}`);
  const { variants } = shown.body.data as { variants: { optionValues: string[]; stockQuantity: number }[] };
  const [variant] = variants;
  const etag = shown.headers.get('etag')!;
  const stock = async () =>
    ((await desk.shop.seller.call('GET', `/v1/products/${productId}`)).body.data as { stockQuantity: number }).stockQuantity;
  const priced = await requested('PATCH', `/v1/products/${productId}`, { salePrice: 9000 });
  const stocked = await requested(
    'PATCH',
    `/v1/products/${productId}`,
    {
      variants: [{ optionValues: variant!.optionValues, stockQuantity: variant!.stockQuantity + 5 }],
    },
    { 'if-match': etag },
  );
  await desk.shop.order({ productId });
  const left = await stock();
  expect(left).toBe(variant!.stockQuantity - 1);
  await desk
    .decide(stocked, 'approve')
    .then((reply) =>
      expect(reply.body.error?.code ?? reply.body.data.result.code).toMatch(/APPROVAL_STALE|PRECONDITION_FAILED|PRODUCT_CHANGED/),
    );
  expect(await stock()).toBe(left);
  expect((await desk.decide(priced, 'approve')).body.data.status).toBe('SUCCEEDED');
  expect(await stock()).toBe(left);
});

test('a balance that a purchase has moved is shown anew and not compared', async () => {
  const { customerId } = await joined(desk.shop);
  const path = `/v1/customers/${customerId}/points/adjustments`;
  const grant = (amount: number) => ({ amount, reason: 'x', expiresAt: '2099-01-01T00:00:00+09:00' });
  const approvalId = await requested('POST', path, grant(100), { 'idempotency-key': randomUUID() });
  expect((await adjust(desk.shop, customerId, grant(30))).status).toBe(201);
  const { status, preview } = (await desk.decide(approvalId, 'approve')).body.data;
  expect([status, preview.facts]).toEqual(['SUCCEEDED', { balance: 130 }]);
});
