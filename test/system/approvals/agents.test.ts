/** From an agent's request to its execution and its records, over HTTP. */
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

const send = (path: string, body: unknown, key: string) =>
  call(underTest.api, 'POST', path, { body, headers: { ...agent.headers, 'idempotency-key': key } });

test('202, a repeat 202, after the decision the whole record with the secret that is the agent’s', async () => {
  const body = { url: 'https://example.com/hook', eventTypes: ['ORDER.PAID'] };
  const first = await send('/v1/webhooks', body, 'hook');
  const { approvalId } = first.body.data as { approvalId: string };
  expect([first.status, first.body.meta.code, first.headers.get('location')]).toEqual([
    202,
    'APPROVAL_REQUIRED',
    `/v1/approval-requests/${approvalId}`,
  ]);
  const again = await send('/v1/webhooks', body, 'hook');
  expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([202, 'true', first.body.data]);
  expect((await send('/v1/webhooks', { ...body, url: 'https://example.com/other' }, 'hook')).body.error?.code).toBe(
    'IDEMPOTENCY_KEY_REUSED',
  );
  expect((await desk.read(approvalId)).body.data).toMatchObject({
    preview: { operationId: 'webhooks.create', target: { type: 'WEBHOOK' } },
  });
  expect((await desk.decide(approvalId, 'approve')).body.data).toMatchObject({ status: 'SUCCEEDED', result: { data: { secret: null } } });
  const later = await send('/v1/webhooks', body, 'hook');
  expect([later.status, later.body.meta.code, later.headers.get('idempotent-replayed')]).toEqual([200, 'APPROVAL_ALREADY_DECIDED', 'true']);
  expect(later.body.data).toMatchObject({
    approvalId,
    status: 'SUCCEEDED',
    result: { data: { secret: expect.stringMatching(/^whsec_[\w-]{20}/) } },
  });
});

test('what would be refused is refused, and nobody is asked', async () => {
  const before = await query('SELECT 1 FROM approval_request WHERE store_id = $1', [desk.shop.store.storeId]);
  const reply = await send('/v1/order-items/oit_none/cancel', { reason: 'OTHER' }, 'none');
  expect(reply.body.error?.code).toBe('ORDER_ITEM_NOT_FOUND');
  expect(await query('SELECT 1 FROM approval_request WHERE store_id = $1', [desk.shop.store.storeId])).toHaveLength(before.length);
});

test('the execution has one record, whose request id is that of the result, and names agent and approver', async () => {
  const { orderItemId } = await desk.shop.order(undefined, 2);
  const { body } = await send(`/v1/order-items/${orderItemId}/cancel`, { reason: 'OUT_OF_STOCK', quantity: 1 }, 'cancel');
  const { approvalId } = body.data as { approvalId: string };
  const decided = (await desk.decide(approvalId, 'approve')).body.data as { approver: { userId: string }; result: { requestId: string } };
  expect(decided).toMatchObject({ status: 'SUCCEEDED', result: { data: { quantity: 1, refundAmount: 10_000 } } });
  const logs = await call(underTest.api, 'GET', '/v1/audit-logs?limit=100', { headers: await desk.person('owner') });
  const items = (logs.body.data as { items: Record<string, unknown>[] }).items.filter(
    ({ requestId }) => requestId === decided.result.requestId,
  );
  const records = items.filter(({ source }) => source === 'REQUEST');
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({
    action: 'orders.cancel',
    outcome: 'SUCCEEDED',
    approvalId,
    actor: { type: 'AGENT', id: agent.tokenId },
    metadata: { approvedBy: decided.approver.userId },
  });
  expect(items.filter(({ action }) => action === 'ORDER_ITEM_CANCELED')).toHaveLength(1);
});
