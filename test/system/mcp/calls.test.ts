/** `api_search` and `api_call`: the management API as an agent. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { beginSession, callBare, connect, emailOf, type McpClient, mcpToken, post } from '../../kernel/mcp.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: string;
let client: McpClient;
let login: { readonly token: string; readonly clientId: string };
beforeAll(async () => {
  shop = await world();
  await people(shop);
  owner = await storeToken(emailOf(shop, 'owner'), shop.store.storeId);
  login = await mcpToken(shop, owner, 'owner');
  client = await connect('2025-11-25', login.token);
});
afterAll(() => client.close());
const api = async (input: object) => (await client.call('api_call', input)).structuredContent;
const asOwner = () => ({ headers: { authorization: `Bearer ${owner}` } });

test('a search finds operations by words, with what an agent may do', async () => {
  const { structuredContent, content, isError } = await client.call('api_search', { query: 'cancel item' });
  expect(isError).toBeUndefined();
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  expect(structuredContent.operations).toContainEqual({
    operationId: 'orders.cancel',
    method: 'POST',
    path: '/v1/order-items/{orderItemId}/cancel',
    summary: expect.any(String),
    agentPolicy: 'approval',
  });
  const policyOf = async (operationId: string) =>
    (await client.call('api_search', { query: operationId })).structuredContent.operations.find(
      (one: { operationId: string }) => one.operationId === operationId,
    ).agentPolicy;
  expect([await policyOf('products.patch'), await policyOf('apiTokens.create'), await policyOf('approvals.list')]).toEqual([
    'conditional',
    'denied',
    'denied',
  ]);
});

test('a call answers the envelope that the API answers, by full and short address, with a query in either form', async () => {
  const { structuredContent, content } = await client.call('api_call', { method: 'GET', path: '/v1/store' });
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  expect(structuredContent).toMatchObject({
    meta: { status: 200, code: 'OK', isSuccess: true, requestId: expect.stringMatching(/^req_/) },
    data: { storeId: shop.store.storeId },
    error: null,
  });
  await shop.product();
  for (const request of [{ path: '/v1/products', query: { page: 1, size: 1 } }, { path: '/v1/products?page=1&size=1' }])
    expect((await api({ method: 'GET', ...request })).data).toMatchObject({ page: 1, size: 1, total: 1 });
  expect((await api({ method: 'GET', path: '/webhooks' })).error.code).toBe('INSUFFICIENT_SCOPE');
  expect((await api({ method: 'GET', path: '/v1/store/' })).meta.status).toBe(200);
  expect((await api({ method: 'GET', path: '/V1/Store' })).error.code).toBe('NOT_FOUND');
});

test('a change is made as the agent: direct, once under its key, counted, and recorded with client and person', async () => {
  const before = (await call(underTest.api, 'GET', '/v1/store/subscription', asOwner())).body.data.aiActionsUsed as number;
  const request = { method: 'POST', path: '/v1/categories', body: { name: '가방' }, idempotencyKey: 'bag' };
  const made = await api(request);
  expect(made.meta.status).toBe(201);
  expect((await api(request)).data).toEqual(made.data);
  expect((await call(underTest.api, 'GET', '/v1/store/subscription', asOwner())).body.data.aiActionsUsed).toBe(before + 1);
  const { items } = (await call(underTest.api, 'GET', '/v1/audit-logs?action=categories.create&limit=100', asOwner())).body.data;
  const [{ user_id: userId }] = (await query('SELECT user_id FROM user_account WHERE email = $1', [emailOf(shop, 'owner')])) as [
    { user_id: string },
  ];
  expect(items.find(({ requestId }: { requestId: string }) => requestId === made.meta.requestId)).toMatchObject({
    actor: { type: 'AGENT', id: login.clientId, name: 'app' },
    outcome: 'SUCCEEDED',
    idempotencyKey: 'bag',
    metadata: { via: 'MCP', onBehalfOf: userId },
  });
});

test('its keys are those of this person through this client', async () => {
  const other = await mcpToken(shop, owner, 'owner');
  const body = (name: string) => ({ method: 'POST', path: '/v1/categories', body: { name }, idempotencyKey: 'mine' });
  const mine = await api(body('모자'));
  const theirs = (await callBare(other.token, 'api_call', body('신발'))).body.result.structuredContent;
  expect([mine.meta.status, theirs.meta.status]).toEqual([201, 201]);
  expect((await api(body('신발'))).error.code).toBe('IDEMPOTENCY_KEY_REUSED');
});

test('a dry run tells what would change and changes nothing', async () => {
  const { productId } = await shop.product();
  const request = { method: 'PATCH', path: `/v1/products/${productId}`, body: { salePrice: 12_000 }, dryRun: true };
  expect(await api(request)).toMatchObject({
    meta: { code: 'DRY_RUN' },
    data: {
      dryRun: true,
      preview: { operationId: 'products.patch', changes: expect.arrayContaining([{ field: 'salePrice', before: 10_000, after: 12_000 }]) },
    },
  });
  expect((await shop.seller.call('GET', `/v1/products/${productId}`)).body.data.salePrice).toBe(10_000);
});

test('what needs a person is filed, and the client may read it', async () => {
  const { orderItemId } = await shop.order();
  const filed = await client.call('api_call', {
    method: 'POST',
    path: `/v1/order-items/${orderItemId}/cancel`,
    body: { reason: 'OUT_OF_STOCK' },
  });
  expect(filed.isError).toBeUndefined();
  expect(filed.structuredContent.meta).toMatchObject({ status: 202, code: 'APPROVAL_REQUIRED', isSuccess: true });
  const { approvalId } = filed.structuredContent.data;
  expect((await api({ method: 'GET', path: `/v1/approval-requests/${approvalId}` })).data).toMatchObject({
    approvalId,
    requestedBy: { type: 'AGENT', id: login.clientId, name: 'app' },
  });
});

test('refusals are envelopes: denied, for people only, unknown, malformed', async () => {
  const refused = async (input: object) => {
    const { structuredContent, isError } = await client.call('api_call', input);
    expect([isError, structuredContent.data, structuredContent.meta.isSuccess]).toEqual([true, null, false]);
    return [structuredContent.meta.status, structuredContent.error.code];
  };
  expect(await refused({ method: 'POST', path: '/v1/sandbox/clock', body: { advance: 'P1D' } })).toEqual([403, 'AGENT_OPERATION_DENIED']);
  expect(await refused({ method: 'GET', path: '/v1/approval-requests' })).toEqual([403, 'AGENT_OPERATION_DENIED']);
  expect(await refused({ method: 'GET', path: '/v1/store/api-tokens' })).toEqual([403, 'INSUFFICIENT_ROLE']);
  expect(await refused({ method: 'GET', path: '/v1/nothing' })).toEqual([404, 'NOT_FOUND']);
  expect(await refused({ method: 'GET', path: '/storefront/v1/products' })).toEqual([404, 'NOT_FOUND']);
  expect(await refused({ method: 'GET', path: '/v1/products/%ff' })).toEqual([404, 'NOT_FOUND']);
  expect(await refused({ method: 'DELETE', path: '/v1/store' })).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(await refused({ method: 'POST', path: '/v1/categories', body: { title: 1 } })).toEqual([400, 'VALIDATION_FAILED']);
  expect(await refused({ method: 'POST', path: '/v1/categories', body: { name: 'x' }, idempotencyKey: 'é' })).toEqual([
    400,
    'VALIDATION_FAILED',
  ]);
  expect(await refused({ method: 'FETCH', path: '/v1/store' })).toEqual([400, 'VALIDATION_FAILED']);
  expect(await refused({ path: '/v1/store' })).toEqual([400, 'VALIDATION_FAILED']);
});

test('scopes are those that role, client and login share now', async () => {
  const staff = await mcpToken(shop, owner, 'staff', 'store:rw order:rw');
  const code = async (input: object) => (await callBare(staff.token, 'api_call', input)).body.result.structuredContent.meta.code;
  expect(await code({ method: 'GET', path: '/v1/store' })).toBe('OK');
  expect(await code({ method: 'PATCH', path: '/v1/store', body: {} })).toBe('INSUFFICIENT_SCOPE');
  expect(await code({ method: 'GET', path: '/v1/products' })).toBe('INSUFFICIENT_SCOPE');
  await query(`UPDATE member SET role = 'ADMIN' WHERE store_id = $1 AND role = 'STAFF'`, [shop.store.storeId]);
  expect(await code({ method: 'PATCH', path: '/v1/store', body: {} })).toBe('OK');
});

test('every call is in the store’s request log, a refused one too', async () => {
  const { meta } = await api({ method: 'GET', path: '/v1/nothing' });
  const log = await until('the log', async () => {
    const { body } = await call(underTest.api, 'GET', `/v1/api-request-logs?requestId=${meta.requestId}`, asOwner());
    return body.data.items[0];
  });
  expect(log).toMatchObject({ method: 'GET', path: '/v1/nothing', statusCode: 404, errorCode: 'NOT_FOUND', actor: { id: login.clientId } });
});

test('bare HTTP does what the official clients do, in a session with a stream for each answer', async () => {
  const headers = { 'mcp-session-id': await beginSession(login.token), 'mcp-protocol-version': '2025-11-25' };
  expect((await post(login.token, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202);
  const params = { name: 'api_call', arguments: { method: 'GET', path: '/v1/store' } };
  const response = await post(login.token, { jsonrpc: '2.0', id: 9, method: 'tools/call', params }, headers);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const data = /^data: (.*)$/m.exec(await response.text())?.[1];
  expect(JSON.parse(data!)).toMatchObject({ id: 9, result: { structuredContent: { data: { storeId: shop.store.storeId } } } });
});
