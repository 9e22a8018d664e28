/** Agents: what is not theirs to do directly is refused or waits, and changes nothing. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { policyOf } from '../../../api/declare/agents.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { loginAs, people, registerApp, storeToken } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: string;
let agent: Headers_;
let plain: Headers_;
const request = (method: string, path: string, body?: unknown, headers: Headers_ = {}) =>
  call(underTest.api, method, path, { body, headers: { ...agent, ...headers } });
const SCOPES = [
  'product:rw',
  'category:rw',
  'order:rw',
  'claim:rw',
  'flow:rw',
  'settlement:r',
  'webhook:rw',
  'store:rw',
  'customer:rw',
  'member:rw',
];

beforeAll(async () => {
  shop = await world();
  await people(shop);
  // Before that, most approvals are skipped.
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [shop.store.storeId]);
  owner = await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId);
  const issue = async (purpose: string): Promise<Headers_> => {
    const body = { name: purpose, scopes: SCOPES, purpose };
    const issued = await call(underTest.api, 'POST', '/v1/store/api-tokens', { body, headers: { authorization: `Bearer ${owner}` } });
    return { authorization: `Bearer ${issued.body.data.token as string}` };
  };
  [agent, plain] = [await issue('agent'), await issue('plain')];
});

const changes = endpoints.filter(({ access, route }) => access === 'store' && !route.startsWith('GET '));
const send = (endpoint: Endpoint, headers: Headers_, body: unknown) => {
  const [method = '', path = ''] = endpoint.route.split(' ');
  return call(underTest.api, method, path.replaceAll(/{\w+}/g, 'x'), { body: endpoint.body && body, headers });
};

describe.each(changes.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  test('answers an agent as its policy says', async () => {
    const policy = policyOf(endpoint);
    const { status, body } = await send(endpoint, agent, { zz: 1 });
    if (endpoint.console && !endpoint.agentAccess) return expect([status, body.error?.code]).toEqual([403, 'INSUFFICIENT_ROLE']);
    if (policy === 'denied') {
      expect([status, body.error?.code]).toEqual([403, 'AGENT_OPERATION_DENIED']);
      expect(body.error?.details).toEqual({ operationId: endpoint.id, reason: 'RESERVED_TO_PEOPLE' });
    } else expect([policy, body.error?.code === 'AGENT_OPERATION_DENIED']).toEqual([policy, false]);
    // A plain token knows no policy.
    expect((await send(endpoint, plain, { zz: 1 })).body.error?.code).not.toBe('AGENT_OPERATION_DENIED');
  });
});

/** Every row of the store but what requests leave by themselves. */
async function everything(): Promise<unknown> {
  const tables = ['product', 'variant', 'store', 'webhook', 'order_item', 'refund', 'event', 'command_text'];
  const known = await query<{ name: string }>(`SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relname = ANY($1)`, [
    tables,
  ]);
  return Promise.all(
    known.map(({ name }) =>
      query(`SELECT to_jsonb(t) - 'last_used_at' AS row FROM ${name} t WHERE store_id = $1 ORDER BY 1`, [shop.store.storeId]),
    ),
  );
}
type RequestArguments = readonly [method: string, path: string, body?: unknown, headers?: Headers_];
async function unchanged(...sent: RequestArguments): Promise<Reply> {
  const before = await everything();
  const reply = await request(...sent);
  expect(await everything()).toEqual(before);
  return reply;
}
async function expectDenied(...sent: RequestArguments): Promise<void> {
  const { status, body } = await unchanged(...sent);
  expect([sent[0], sent[1], status, body.error?.code]).toEqual([sent[0], sent[1], 403, 'AGENT_OPERATION_DENIED']);
}
/** It waits for a person from now on. */
async function expectPending(...sent: RequestArguments): Promise<void> {
  const { status, headers, body } = await unchanged(...sent);
  expect([sent[0], sent[1], status, body.meta.code]).toEqual([sent[0], sent[1], 202, 'APPROVAL_REQUIRED']);
  const { approvalId, approvalUrl } = body.data as { approvalId: string; approvalUrl: string };
  expect([headers.get('etag'), headers.get('location')]).toEqual([null, `/v1/approval-requests/${approvalId}`]);
  expect(approvalUrl).toContain(approvalId);
}

describe('what needs an approval', () => {
  test('waits for a person and changes nothing', async () => {
    const { productId } = await shop.product();
    const { categoryId } = (await request('GET', `/v1/products/${productId}`)).body.data as { categoryId: string };
    await shop.order();
    const orders = (await request('GET', '/v1/orders')).body.data.items as { items: { orderItemId: string }[] }[];
    const orderItemId = orders[0]!.items[0]!.orderItemId;
    const product = `/v1/products/${productId}`;
    const hook = { url: 'https://example.com/hook', eventTypes: ['ORDER.PAID'] };
    const { webhookId } = (await shop.seller.call('POST', '/v1/webhooks', hook)).body.data as { webhookId: string };
    await expectPending('PUT', product, { name: 'n', salePrice: 12_000, categoryId });
    await expectPending('DELETE', product);
    await expectPending('PUT', `${product}/options`, { optionGroups: [{ name: '색', values: ['회색'] }] });
    await expectPending('PUT', `${product}/discount`, { method: 'RATE', value: 10, startDate: '2026-01-01', endDate: '2029-12-31' });
    await expectPending('POST', '/v1/webhooks', hook, { 'idempotency-key': 'by an agent' });
    await expectPending('PUT', `/v1/webhooks/${webhookId}`, hook);
    await expectPending('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OUT_OF_STOCK', detail: 'kept nowhere' });
    // The operation's own refusals come first, and are the same.
    expect((await request('POST', '/v1/order-items/oit_none/cancel', { reason: 'OUT_OF_STOCK' })).body.error?.code).toBe(
      'ORDER_ITEM_NOT_FOUND',
    );
    expect((await request('DELETE', '/v1/products/prd_none')).body.error?.code).toBe('PRODUCT_NOT_FOUND');
    expect((await request('POST', '/v1/webhooks', { ...hook, url: 'x' })).body.error?.code).toBe('VALIDATION_FAILED');
  });
  test('of a product is whatever changes what it costs, and its options', async () => {
    const shipping = { deliveryType: 'PAID', deliveryFee: 2500 };
    const { productId } = await shop.product({ salePrice: 10_000, fulfillment: { type: 'SHIPPING', shipping } });
    const product = `/v1/products/${productId}`;
    for (const body of [
      { salePrice: 12_000 },
      { name: 'n', salePrice: 9000 },
      { fulfillment: { shipping: { deliveryFee: 0 } } },
      { fulfillment: { shipping: { deliveryType: 'FREE' } } },
      { fulfillment: { shipping: { deliveryType: 'CONDITIONAL_FREE', conditionalFreeAmount: 30_000 } } },
      { optionGroups: [], variants: [] },
      { variants: [] },
    ]) {
      const reply = await request('PATCH', product, body);
      if (reply.body.error?.code !== 'VALIDATION_FAILED') await expectPending('PATCH', product, body);
    }
    const same = { name: '이름만', salePrice: 10_000, fulfillment: { shipping: { deliveryFee: 2500 } } };
    const direct = await request('PATCH', product, same);
    expect([direct.status, direct.body.data]).toEqual([200, expect.objectContaining({ name: '이름만', salePrice: 10_000 })]);
    expect(direct.headers.get('etag')).toMatch(/^"\d+-[\w-]{12}"$/);
    expect((await request('PATCH', product, { description: null, stockQuantity: 3 })).status).toBe(200);
  });
  test('a price that meanwhile was changed by a person is not changed back by an agent that sends the old one', async () => {
    const { productId } = await shop.product({ salePrice: 10_000 });
    const product = `/v1/products/${productId}`;
    for (let round = 0; round < 5; round++) {
      const wanted = 11_000 + round * 10;
      const old = (await request('GET', product)).body.data.salePrice as number;
      await Promise.all([
        shop.seller.call('PATCH', product, { salePrice: wanted }),
        request('PATCH', product, { salePrice: old, name: 'by an agent' }),
      ]);
      expect((await request('GET', product)).body.data.salePrice).toBe(wanted);
    }
  });
  test('of the store’s settings is any change', async () => {
    await expectPending('PATCH', '/v1/store', { autoConfirmDays: 11 });
    await expectDenied('PATCH', '/v1/store', { termsVersion: 'by an agent' });
    await expectPending('PATCH', '/v1/store', { refundPolicy: { returnDeliveryFee: 4321 } });
    const { autoConfirmDays, termsVersion, shippingPolicy, refundPolicy } = (await request('GET', '/v1/store')).body.data as Record<
      string,
      unknown
    >;
    const same = await request('PATCH', '/v1/store', { autoConfirmDays, termsVersion, shippingPolicy, refundPolicy });
    expect(same.status).toBe(200);
    expect((await request('PATCH', '/v1/store', {})).status).toBe(200);
  });
});

test('what is direct is carried out for an agent', async () => {
  const { categoryId } = (await request('GET', `/v1/products/${(await shop.product()).productId}`)).body.data as { categoryId: string };
  const made = await request('POST', '/v1/products', { name: 'n', salePrice: 1000, categoryId, stockQuantity: 1 });
  expect(made.status).toBe(201);
  expect((await request('POST', '/v1/categories', { name: 'by an agent' })).status).toBe(201);
});

describe('the header x-svc-agent', () => {
  const named = { 'x-svc-agent': 'helper/1.0' };
  test('makes an agent’s request of any token’s', async () => {
    const { productId } = await shop.product();
    const headers = { ...plain, ...named };
    const refused = await call(underTest.api, 'DELETE', `/v1/products/${productId}`, { headers });
    expect([refused.status, refused.body.meta.code]).toEqual([202, 'APPROVAL_REQUIRED']);
    const direct = await call(underTest.api, 'PATCH', `/v1/products/${productId}`, { headers, body: { name: '이름만' } });
    expect(direct.status).toBe(200);
    const console = { authorization: `Bearer ${owner}`, ...named };
    const issue = { name: 'x', scopes: ['order:r'], purpose: 'plain' };
    const denied = await call(underTest.api, 'POST', '/v1/store/api-tokens', { headers: console, body: issue });
    expect(denied.body.error?.code).toBe('AGENT_OPERATION_DENIED');
  });
  test.each(['', 'é', 'x'.repeat(101)])('%j is refused', async (value) => {
    const headers = { ...plain, 'x-svc-agent': encodeURIComponent(value) === value ? value : Buffer.from(value).toString('latin1') };
    const { status, body } = await call(underTest.api, 'POST', '/v1/categories', { headers, body: { name: 'n' } });
    expect([status, body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([400, ['x-svc-agent']]);
    // A read is an agent's request, too; but dry runs are of changes only.
    const read = await call(underTest.api, 'GET', '/v1/categories', { headers: { ...headers, 'x-svc-dry-run': 'x' } });
    expect([read.status, read.body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([400, ['x-svc-agent']]);
    const { user } = await loginAs(`owner@${shop.store.storeCode}.example`);
    const ofPeople = await call(underTest.api, 'GET', '/me/stores', {
      headers: { ...headers, authorization: `Bearer ${user.access_token}` },
    });
    expect([ofPeople.status, ofPeople.body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([400, ['x-svc-agent']]);
    const storefront = { 'x-store-code': shop.store.storeCode, 'x-svc-agent': headers['x-svc-agent'] };
    expect((await call(underTest.api, 'GET', '/storefront/v1/products', { headers: storefront })).status).toBe(200);
  });
  test('has keys of its own', async () => {
    await shop.order();
    const orders = (await request('GET', '/v1/orders')).body.data.items as { items: { orderItemId: string }[] }[];
    const path = `/v1/order-items/${orders[0]!.items[0]!.orderItemId}/confirm`;
    const key = { 'idempotency-key': 'the same' };
    expect((await call(underTest.api, 'POST', path, { headers: { ...plain, ...key }, body: {} })).status).toBe(200);
    const other = await call(underTest.api, 'POST', path, { headers: { ...plain, ...key, ...named }, body: {} });
    expect(other.body.error?.code).toBe('INVALID_STATUS');
    expect((await request('POST', path, {}, key)).body.error?.code).toBe('INVALID_STATUS');
    const again = await call(underTest.api, 'POST', path, { headers: { ...plain, ...key }, body: {} });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  });
});

test('an agent registers no client', async () => {
  const refused = await registerApp(agent['authorization']!.slice(7));
  expect(refused).toMatchObject({ error: 'access_denied' });
});
