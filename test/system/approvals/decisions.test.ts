/** Approval requests, decided and carried out (docs/contract.md#approvals). */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent();
});
afterAll(() => desk.close());

test('an approved request is carried out once, as the agent, and its record tells the result', async () => {
  const { productId } = await desk.shop.product();
  const approvalId = await desk.created(agent, { id: 'products.remove', params: { productId } });
  expect((await desk.read(approvalId)).body.data).toMatchObject({ status: 'PENDING', result: null, approver: null });
  const { status, body } = await desk.decide(approvalId, 'approve', 'admin', { note: 'go' });
  expect([status, body.error]).toEqual([200, null]);
  expect(body.data).toMatchObject({
    approvalId,
    status: 'SUCCEEDED',
    operationId: 'products.remove',
    requestedBy: { type: 'AGENT', id: agent.tokenId, name: 'robot' },
    decisionNote: 'go',
    approver: { name: expect.any(String) },
    request: { method: 'DELETE', path: `/v1/products/${productId}`, query: {}, body: null },
    result: { statusCode: 200, code: 'OK', requestId: expect.stringMatching(/^req_\w{22}$/), data: null, error: null },
  });
  expect((await desk.shop.seller.call('GET', `/v1/products/${productId}`)).status).toBe(404);
});

test('a command to a run is carried out through the run', async () => {
  const { orderItemId } = await desk.shop.order(undefined, 2);
  const body = { reason: 'OUT_OF_STOCK', quantity: 1, detail: 'sold out' };
  const approvalId = await desk.created(agent, { id: 'orders.cancel', params: { orderItemId }, body });
  const decided = await desk.decide(approvalId, 'approve');
  expect(decided.body.data).toMatchObject({
    status: 'SUCCEEDED',
    result: { statusCode: 200, data: { quantity: 1, refundAmount: 10_000 } },
  });
  expect(await desk.shop.item(orderItemId)).toMatchObject({ canceledQuantity: 1 });
});

test('what is refused then is FAILED with the refusal', async () => {
  const { productId } = await desk.shop.product();
  const approvalId = await desk.created(agent, { id: 'products.remove', params: { productId } });
  await desk.shop.seller.call('DELETE', `/v1/products/${productId}`);
  const { status, body } = await desk.decide(approvalId, 'approve');
  expect([status, body.data]).toMatchObject([
    200,
    { status: 'FAILED', result: { statusCode: 404, code: 'PRODUCT_NOT_FOUND', data: null, error: { code: 'PRODUCT_NOT_FOUND' } } },
  ]);
});

test('a dead token is 401, a scope that the token lacks by then is 403', async () => {
  const { productId } = await desk.shop.product();
  const dying = await desk.agent();
  const wanted = { id: 'products.remove', params: { productId } };
  const [orphan, narrow] = [await desk.created(dying, wanted), await desk.created(agent, wanted)];
  await call(underTest.api, 'DELETE', `/v1/store/api-tokens/${dying.tokenId}`, { headers: await desk.person('owner') });
  expect((await desk.read(orphan)).body.data.status).toBe('PENDING');
  expect((await desk.decide(orphan, 'approve')).body.data).toMatchObject({
    status: 'FAILED',
    result: { statusCode: 401, code: 'UNAUTHORIZED' },
  });
  await query(`UPDATE api_token SET scopes = '{category:rw}' WHERE token_id = $1`, [agent.tokenId]);
  const refused = await desk.decide(narrow, 'approve');
  await query(`UPDATE api_token SET scopes = '{product:rw,category:rw,order:rw,webhook:rw}' WHERE token_id = $1`, [agent.tokenId]);
  expect(refused.body.data).toMatchObject({ status: 'FAILED', result: { statusCode: 403, code: 'INSUFFICIENT_SCOPE' } });
  expect((await desk.shop.seller.call('GET', `/v1/products/${productId}`)).status).toBe(200);
});

test('a once-shown secret is for the requesting principal only, for a day', async () => {
  const body = { url: 'https://example.com/hook', eventTypes: ['ORDER.PAID'] };
  const approvalId = await desk.created(agent, { id: 'webhooks.create', body });
  const decided = await desk.decide(approvalId, 'approve');
  expect(decided.body.data).toMatchObject({ status: 'SUCCEEDED', result: { statusCode: 201, data: { url: body.url, secret: null } } });
  const own = async () => (await desk.read(approvalId, agent.headers)).body.data.result as { data: { secret: string | null } };
  expect((await own()).data.secret).toMatch(/^whsec_/);
  expect((await desk.read(approvalId)).body.data.result.data.secret).toBeNull();
  const listed = await call(underTest.api, 'GET', '/v1/approval-requests', { headers: await desk.person('owner') });
  expect(JSON.stringify(listed.body)).not.toMatch(/whsec_[\w-]{8}/);
  await desk.shop.advance('P1D');
  expect((await own()).data.secret).toBeNull();
  const stored = await query('SELECT to_jsonb(a) - $2 AS row FROM approval_request a WHERE approval_id = $1', [
    approvalId,
    'result_sealed',
  ]);
  expect(JSON.stringify(stored)).not.toMatch(/whsec_[\w-]{8}/);
});
