/** What a person approves is what happens: a request whose effect has changed is shown anew and not carried out (G51). */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { digestOf } from '../../../db/kernel/digest.ts';
import { builtInGraph } from '../../../domain/flows/presets/index.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';

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
async function asked(method: string, path: string, body?: object, headers: Headers_ = {}): Promise<string> {
  const { status, body: answer } = await asAgent(method, path, body, headers);
  expect([status, answer.error]).toEqual([202, null]);
  return (answer.data as { approvalId: string }).approvalId;
}
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
  const approvalId = await asked('PATCH', `/v1/products/${productId}`, { salePrice: 9000 });
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
  const approvalId = await asked('POST', `/v1/commerce-flows/${flowId}/draft/publish`, {});
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
