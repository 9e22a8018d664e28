/**
 * Ids and numbers of another store in every path and every query, generated from the endpoint list: answered exactly as
 * what nobody has. Bodies: foreignIds.test.ts.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { exampleOf } from '../../../api/documents/examples.ts';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';
import { plantReview } from '../reviews/plant.ts';

let shop: World;
let asOwner: Headers_;
let asBuyer: Headers_;
let asMember: Headers_;
/** What the other store has, by the name of the path parameter. */
let theirs: Readonly<Record<string, string>>;
/** Numbers and words that a query may ask for. */
let theirNumbers: readonly string[];

const owner = ({ store }: World) => storeToken(`owner@${store.storeCode}.example`, store.storeId);
const one = async (column: string, table: string, { store }: World): Promise<string> =>
  until(`${column} of the other store`, async () => {
    const [row] = await query<{ value: string | null }>(
      `SELECT ${column} AS value FROM ${table} WHERE store_id = $1 AND ${column} IS NOT NULL LIMIT 1`,
      [store.storeId],
    );
    return row?.value ?? null;
  });

beforeAll(async () => {
  const [ours, rival] = await Promise.all([world(), world()]);
  shop = ours;
  await Promise.all([people(ours), people(rival)]);
  asOwner = { authorization: `Bearer ${await owner(ours)}` };
  asBuyer = (await ours.buyer()).headers;
  asMember = (await ours.member()).headers;
  await fill(rival);
  theirs = Object.fromEntries(
    await Promise.all(
      Object.entries(SOURCES).map(async ([name, [table, column]]) => [name, await one(column ?? snake(name), table, rival)] as const),
    ),
  );
  theirNumbers = [...Object.values(theirs), await one('order_no', 'orders', rival), await one('product_no', 'product', rival)];
}, 60_000);

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Where an id of each path parameter is kept; a parameter that is not here fails its tests. */
const SOURCES: Readonly<Record<string, readonly [table: string, column?: string]>> = {
  tokenId: ['api_token'],
  clientId: ['client'],
  userId: ['member'],
  invitationId: ['invitation'],
  productId: ['product'],
  variantId: ['variant'],
  orderId: ['orders'],
  orderItemId: ['order_item'],
  claimId: ['claim'],
  reviewId: ['review'],
  inquiryId: ['inquiry'],
  customerId: ['customer'],
  paymentId: ['payment'],
  refundId: ['refund'],
  webhookId: ['webhook'],
  deliveryId: ['webhook_delivery'],
  // There are none: an id is as good as any.
  settlementId: ['orders', 'order_id'],
  cartItemId: ['cart_item'],
  checkoutId: ['checkout'],
  categoryId: ['category'],
  addressId: ['seller_address'],
  pickupLocationId: ['pickup_location'],
  approvalId: ['approval_request'],
  auditId: ['audit_request'],
  flowId: ['commerce_flow'],
  runId: ['flow_step'],
};

/** One of everything that has an id. */
async function fill(rival: World): Promise<void> {
  const as = { authorization: `Bearer ${await owner(rival)}` };
  await call(underTest.api, 'POST', '/v1/store/api-tokens', { body: { name: 'n', scopes: ['order:r'] }, headers: as });
  await call(underTest.api, 'POST', '/v1/store/invitations', { body: { email: 'i@rival.example', role: 'STAFF' }, headers: as });
  const address = { type: 'SHIPPING', name: 'n', receiver: 'r', mobile: '010-1111-2222', zipCode: '06236', address: 'a' };
  await call(underTest.api, 'POST', '/v1/seller-addresses', { body: address, headers: as });
  await call(underTest.api, 'POST', '/v1/pickup-locations', { body: { name: 'n', address: 'a', contact: 'c' }, headers: as });
  const desk = await Desk.open(rival);
  await desk.created(await desk.agent(), { id: 'categories.create', body: { name: 'n' } });
  await desk.close();
  const product = await rival.product();
  (await rival.receiver()).close();
  const buyer = await rival.buyer();
  await buyer.call('POST', '/storefront/v1/cart/items', { productId: product.productId, quantity: 1 });
  const { orderItemId } = await rival.order(product);
  await rival.act(orderItemId, 'cancel', { reason: 'OTHER', holdRefund: true });
  const member = await rival.member();
  const { orderItemId: claimed } = await rival.order(product, 1, member);
  await member.call('POST', `/storefront/v1/me/order-items/${claimed}/claims`, { type: 'CANCEL', reason: 'OTHER' });
  await member.call('POST', `/storefront/v1/products/${product.productId}/inquiries`, { content: 'n' });
  await plantReview(rival.store.storeId);
}

/** Words of a list, names that a client gives and numbers are no ids. */
const WORDS = new Set(['provider', 'environment', 'key', 'name', 'version']);
const named = (endpoint: Endpoint) => [...endpoint.route.matchAll(/{(\w+)}/g)].map(([, name]) => name!).filter((name) => !WORDS.has(name));
/** Whoever may call all of it. */
const headersOf = ({ access }: Endpoint): Headers_ => {
  if (access === 'store') return asOwner;
  if (access === 'customer') return asMember;
  return access === 'buyer' ? asBuyer : { 'x-store-code': shop.store.storeCode };
};
/** The name of an event, which is judged before the item. */
const EVENT = ['/events/{name}', '/events/custom.packed'] as const;
const send = async (endpoint: Endpoint, ids: Readonly<Record<string, string>>) => {
  const [method = '', path = ''] = endpoint.route.split(' ');
  const url =
    path.replace(...EVENT).replaceAll(/{(\w+)}/g, (_, name: string) => ids[name]!) +
    (path.endsWith('/calendar') ? '?from=2030-01-01&to=2030-01-02' : '');
  const body = endpoint.body && (exampleOf(endpoint).request ?? {});
  const key = endpoint.needsKey ? { 'idempotency-key': randomUUID() } : {};
  const reply = await call(underTest.api, method, url, { body, headers: { ...headersOf(endpoint), ...key } });
  const text = JSON.stringify([reply.body.data, reply.body.error]);
  return { status: reply.status, code: String(reply.body.error?.code), text: Object.values(ids).reduce(mask, text) };
};
const mask = (text: string, id: string) => text.replaceAll(id, '<id>');

const withIds = endpoints.filter((endpoint) => named(endpoint).length > 0);
describe('in paths', () => {
  test.each(withIds.map((endpoint) => [endpoint.id, endpoint] as const))('%s', async (_, endpoint) => {
    expect(named(endpoint).filter((name) => theirs[name] === undefined)).toEqual([]);
    const foreign = await send(endpoint, theirs);
    // As docs/contract.md#clients has it: a client of another store is told as such.
    if (endpoint.id.startsWith('clients.')) return expect(foreign.code).toBe('TENANT_MISMATCH');
    const nobodys = Object.fromEntries(Object.entries(theirs).map(([name, id]) => [name, unused(id)]));
    expect(foreign).toEqual(await send(endpoint, nobodys));
    expect(foreign).toMatchObject({ status: 404, code: expect.stringMatching(/_NOT_FOUND$/) });
  });
});
/** An id of the same shape that nobody has. */
const unused = (id: string) => id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));

const withQuery = endpoints.flatMap((endpoint) => {
  const { properties } = (endpoint.query ?? {}) as { properties?: object };
  const names = Object.keys(properties ?? {}).filter((name) => !['page', 'size', 'limit'].includes(name));
  return names.map((name) => [endpoint, name] as const);
});
/** FOREIGN_VALUES=all: each value in each query. Else the value of the query's own name, the numbers, and a fifth of the others. */
const ALL_VALUES = process.env['FOREIGN_VALUES'] === 'all';
const valuesOf = (name: string, position: number): readonly string[] =>
  theirNumbers.filter((value, i) => ALL_VALUES || (i + position) % 5 === 0 || value === theirs[name] || /^\d+$/.test(value));
describe('in queries', () => {
  test.each(withQuery.map(([endpoint, name], i) => [endpoint.id, name, endpoint, i] as const))('%s ?%s', async (_, name, endpoint, i) => {
    const [, path = ''] = endpoint.route.split(' ');
    if (path.includes('{')) return;
    for (const value of valuesOf(name, i)) {
      const reply = await call(underTest.api, 'GET', `${path}?${name}=${encodeURIComponent(value)}`, { headers: headersOf(endpoint) });
      expect([200, 400]).toContain(reply.status);
      // A short number may be part of this store's own e-mails.
      if (endpoint.id === 'customers.list' && /^\d{1,8}$/.test(value)) continue;
      const items = reply.status === 200 ? (reply.body.data.items as { statusCode?: number }[]) : [];
      // The audit log has this store's own requests that named a foreign id, and were refused.
      expect(items.filter((item) => endpoint.id !== 'auditLogs.list' || item.statusCode! < 400)).toEqual([]);
    }
  });
});
