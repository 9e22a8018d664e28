/** REQUEST records of the audit log: one for each change of the management API that was authenticated, however it ends. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';

interface Shown {
  readonly source: string;
  readonly action: string;
  readonly outcome: string;
  readonly metadata: { readonly changes?: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[] };
}
let desk: Desk;
let agent: Headers_;
let owner: Headers_;
let admin: Headers_;
beforeAll(async () => {
  desk = await Desk.open(await world());
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [desk.shop.store.storeId]);
  const { headers } = await desk.agent();
  [agent, owner, admin] = [headers, await desk.person('owner'), await desk.person('admin')];
});
afterAll(() => desk.close());

const send = (method: string, path: string, body?: unknown, headers: Headers_ = {}): Promise<Reply> =>
  call(underTest.api, method, path, { body, headers: { ...owner, ...headers } });
const listed = async (filter: string): Promise<Shown[]> => (await send('GET', `/v1/audit-logs?${filter}`)).body.data.items as Shown[];
const recordOf = async ({ body }: Reply): Promise<Shown[]> => listed(`requestId=${body.meta.requestId}`);

describe('a change', () => {
  test('has its record, with what differs, who made it, and its key and trace', async () => {
    const trace = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const made = await send('POST', '/v1/categories', { name: '기록' }, { 'idempotency-key': 'k-1', traceparent: trace });
    const { categoryId } = made.body.data as { categoryId: string };
    expect(await recordOf(made)).toMatchObject([
      {
        source: 'REQUEST',
        action: 'categories.create',
        actor: { type: 'USER', name: 'owner' },
        target: { type: 'CATEGORY', id: categoryId },
        outcome: 'SUCCEEDED',
        statusCode: 201,
        errorCode: null,
        traceId: 'ab'.repeat(16),
        idempotencyKey: 'k-1',
        approvalId: null,
        metadata: { changes: expect.arrayContaining([{ field: 'name', before: null, after: '기록' }]) },
      },
    ]);
    // Where none was sent, or what is none, the record has the request's own.
    for (const headers of [{}, { traceparent: 'nonsense' }]) {
      const [own] = await recordOf(await send('POST', '/v1/categories', { name: '자기' }, headers));
      expect(own).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    }
    const renamed = await send('PATCH', `/v1/categories/${categoryId}`, { name: '새 기록' });
    expect((await recordOf(renamed))[0]!.metadata.changes).toContainEqual({ field: 'name', before: '기록', after: '새 기록' });
    const removed = await send('DELETE', `/v1/categories/${categoryId}`);
    expect((await recordOf(removed))[0]!.metadata.changes).toEqual([{ field: 'deleted', before: false, after: true }]);
    const again = await send('POST', '/v1/categories', { name: '기록' }, { 'idempotency-key': 'k-1' });
    expect(await recordOf(again)).toMatchObject([{ outcome: 'SUCCEEDED', statusCode: 201, metadata: { replayed: true } }]);
  });
  test('of an order is recorded by its run, once, with its key', async () => {
    const { orderItemId } = await desk.shop.order();
    const key = { 'idempotency-key': `k-${randomUUID()}` };
    const confirmed = await send('POST', `/v1/order-items/${orderItemId}/confirm`, {}, key);
    expect(await recordOf(confirmed)).toMatchObject([
      {
        action: 'orders.confirm',
        target: { type: 'ORDER_ITEM', id: orderItemId },
        idempotencyKey: key['idempotency-key'],
        metadata: { changes: [{ field: 'status', before: 'PAID', after: 'CONFIRMED' }] },
      },
    ]);
    const canceled = await send('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OUT_OF_STOCK' });
    expect((await recordOf(canceled)).map(({ source, action }) => `${source} ${action}`).toSorted()).toEqual([
      'DOMAIN ORDER_ITEM_CANCELED',
      'REQUEST orders.cancel',
    ]);
  });
  test('of many has one record, with the changes of each', async () => {
    const [one, other] = [await desk.shop.order(), await desk.shop.order()];
    const bulk = await send('POST', '/v1/order-items/confirm', { orderItemIds: [one.orderItemId, other.orderItemId, 'oit_none'] });
    const records = await recordOf(bulk);
    expect(records).toMatchObject([{ action: 'orders.confirmMany', target: { type: 'ORDER_ITEM', id: null }, statusCode: 200 }]);
    const fields = records[0]!.metadata.changes!.map(({ field }) => field).toSorted();
    expect(fields).toEqual([`${one.orderItemId}.status`, `${other.orderItemId}.status`].toSorted());
    const nothing = await send('POST', '/v1/order-items/confirm', { orderItemIds: ['oit_none'] });
    expect(await recordOf(nothing)).toMatchObject([{ action: 'orders.confirmMany', outcome: 'SUCCEEDED' }]);
  });
  test('of a buyer has none', async () => {
    const product = await desk.shop.product();
    const before = await listed('source=REQUEST&limit=100');
    await desk.shop.order(product);
    expect((await listed('source=REQUEST&limit=100')).length).toBe(before.length);
  });
});

describe('what is refused', () => {
  test.each([
    ['a validation', 'POST', '/v1/categories', {}, 'FAILED', 'VALIDATION_FAILED'],
    ['an unknown id', 'DELETE', '/v1/products/prd_none', undefined, 'FAILED', 'PRODUCT_NOT_FOUND'],
    ['a run’s refusal', 'POST', '/v1/order-items/oit_none/confirm', {}, 'FAILED', 'ORDER_ITEM_NOT_FOUND'],
  ] as const)('by %s is FAILED', async (_, method, path, body, outcome, errorCode) => {
    expect(await recordOf(await send(method, path, body))).toMatchObject([{ outcome, errorCode, metadata: {} }]);
  });
  test('by rights is DENIED, and what no token proves is in no record', async () => {
    const staff = await desk.person('staff');
    const denied = await call(underTest.api, 'PATCH', '/v1/store', { body: { autoConfirmDays: 5 }, headers: staff });
    expect(await recordOf(denied)).toMatchObject([{ outcome: 'DENIED', errorCode: 'INSUFFICIENT_SCOPE', statusCode: 403 }]);
    const agents = await call(underTest.api, 'POST', '/v1/sandbox/clock', { body: { advance: 'PT1S' }, headers: agent });
    expect(agents.body.error?.code).toMatch(/AGENT_OPERATION_DENIED|INSUFFICIENT_SCOPE/);
    expect(await recordOf(agents)).toMatchObject([{ outcome: 'DENIED', actor: { type: 'AGENT', name: 'robot' } }]);
    const unknown = await call(underTest.api, 'POST', '/v1/categories', { body: { name: 'x' }, headers: { authorization: 'Bearer x' } });
    expect([unknown.status, await recordOf(unknown)]).toEqual([401, []]);
  });
});

describe('an agent', () => {
  test('has a record of the request that waits, of its decision and of its execution, tied by the approval', async () => {
    const { productId } = await desk.shop.product();
    const path = `/v1/products/${productId}`;
    const key = { 'idempotency-key': randomUUID() };
    const waiting = await send('DELETE', path, undefined, { ...agent, ...key });
    expect([waiting.status, waiting.body.meta.code]).toEqual([202, 'APPROVAL_REQUIRED']);
    const { approvalId } = waiting.body.data as { approvalId: string };
    expect(await recordOf(waiting)).toMatchObject([
      {
        outcome: 'PENDING_APPROVAL',
        statusCode: 202,
        approvalId,
        metadata: { changes: [{ field: 'deleted', before: false, after: true }] },
      },
    ]);
    const repeated = await send('DELETE', path, undefined, { ...agent, ...key });
    expect([repeated.status, repeated.body.data.approvalId, repeated.headers.get('idempotent-replayed')]).toEqual([
      202,
      approvalId,
      'true',
    ]);
    const other = await send('DELETE', '/v1/products/prd_other', undefined, { ...agent, ...key });
    expect(other.body.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const decided = await call(underTest.api, 'POST', `/v1/approval-requests/${approvalId}/approve`, { body: {}, headers: admin });
    expect(decided.body.data).toMatchObject({ status: 'SUCCEEDED', result: { statusCode: 200 } });
    const { requestId } = decided.body.data.result as { requestId: string };
    const tied = await listed(`approvalId=${approvalId}`);
    expect(tied.map(({ source, action, outcome }) => `${source} ${action} ${outcome}`).toSorted()).toEqual([
      'DOMAIN APPROVAL_DECIDED SUCCEEDED',
      'REQUEST approvals.approve SUCCEEDED',
      'REQUEST products.remove PENDING_APPROVAL',
      'REQUEST products.remove PENDING_APPROVAL',
      'REQUEST products.remove SUCCEEDED',
    ]);
    expect(await listed(`requestId=${requestId}`)).toMatchObject([
      { actor: { type: 'AGENT', name: 'robot' }, approvalId, metadata: { approvedBy: expect.stringMatching(/^usr_/) } },
    ]);
    expect((await listed(`action=APPROVAL_DECIDED&approvalId=${approvalId}`))[0]).toMatchObject({
      actor: { type: 'USER', name: 'admin' },
      target: { type: 'APPROVAL', id: approvalId },
      metadata: { decision: 'APPROVE', via: 'CONSOLE' },
    });
    const late = await send('DELETE', path, undefined, { ...agent, ...key });
    expect([late.status, late.body.meta.code]).toEqual([200, 'APPROVAL_ALREADY_DECIDED']);
  });
  test('names itself in the header; a plain token says by what', async () => {
    const body = { name: 'ERP', scopes: ['category:rw'], purpose: 'plain' };
    const { token } = (await send('POST', '/v1/store/api-tokens', body)).body.data as { token: string };
    const plain = { authorization: `Bearer ${token}` };
    const by = async (headers: Headers_) => (await recordOf(await send('POST', '/v1/categories', { name: randomUUID() }, headers)))[0];
    expect(await by(plain)).toMatchObject({ actor: { type: 'USER', name: 'owner' }, metadata: { via: 'API_TOKEN' } });
    expect(await by({ ...plain, 'x-svc-agent': 'helper/1.0' })).toMatchObject({ actor: { type: 'AGENT', name: 'helper/1.0' } });
    expect(await by(agent)).toMatchObject({
      actor: { type: 'AGENT', name: 'robot' },
      metadata: { onBehalfOf: expect.stringMatching(/^usr_/) },
    });
  });
  test('has a record of a dry run', async () => {
    const { productId } = await desk.shop.product();
    const dry = await send('DELETE', `/v1/products/${productId}`, undefined, { ...agent, 'x-svc-dry-run': '1' });
    expect(dry.body.data).toMatchObject({ decision: 'APPROVAL_REQUIRED', reason: 'HIGH_RISK_OPERATION' });
    expect(await recordOf(dry)).toMatchObject([
      { outcome: 'DRY_RUN', statusCode: 200, metadata: { changes: [{ field: 'deleted', before: false, after: true }] } },
    ]);
  });
});
