/** No answer of a list passes 1 MiB at its largest page, with the largest values that can be stored. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { endpoints } from '../../../../api/endpoints.ts';
import { type Buyer, call } from '../../../../bin/dev/client.ts';
import { LARGEST_ANSWER } from '../../../../db/kernel/answers.ts';
import { customerIdOf } from '../../../kernel/points.ts';
import { people, storeToken, loginAs } from '../../../kernel/login.ts';
import { query, repeated, until, underTest, type World, world } from '../../../kernel/world.ts';
import { fillClaims, fillMembers, fillOrders, fillProducts, fillRuns } from './fill.ts';
import { fillLogs, fillStore } from './fillStore.ts';
import { Planter } from './plant.ts';

/** Names of what a list answers. */
const LISTS = ['items', 'rows', 'days', 'lots'];
/** Details with such a field: their sizes are in docs/performance.md. */
const DETAILS: ReadonlySet<string> = new Set(['orders.get', 'orders.getMine', 'checkout.get']);
interface Described {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
}
const propertiesOf = (data: Described | undefined) => data?.properties ?? {};
const isList = ({ route, data, id }: (typeof endpoints)[number]) =>
  route.startsWith('GET ') && !DETAILS.has(id) && LISTS.some((name) => propertiesOf(data)[name]?.type === 'array');

type Who = 'seller' | 'owner' | 'user' | 'member';
interface Largest {
  readonly path: string;
  readonly who?: Who;
  /** The least bytes of an answer whose rows are there; 0: nothing of it is anybody's text. */
  readonly min: number;
}
let ids: { readonly productId: string; readonly customerId: string };
/** The largest page of each list. */
const LARGEST: Readonly<Record<string, () => Largest>> = {
  'products.list': () => ({ path: '/v1/products?size=100', min: 100_000 }),
  'storefront.listProducts': () => ({ path: '/storefront/v1/products?size=100', who: 'member', min: 100_000 }),
  'products.readCalendar': () => ({ path: '/v1/products/prd_0/calendar?from=2026-12-01&to=2026-12-20', min: 500_000 }),
  'storefront.getCalendar': () => ({
    path: '/storefront/v1/products/prd_0/calendar?from=2026-12-01&to=2026-12-20',
    who: 'member',
    min: 500_000,
  }),
  'categories.list': () => ({ path: '/v1/categories?size=100', min: 20_000 }),
  'members.list': () => ({ path: '/v1/store/members', who: 'owner', min: 50_000 }),
  'invitations.list': () => ({ path: '/v1/store/invitations?size=100', who: 'owner', min: 30_000 }),
  'me.listStores': () => ({ path: '/me/stores', who: 'user', min: 0 }),
  'clients.list': () => ({ path: '/v1/store/api-clients?size=100', who: 'owner', min: 500_000 }),
  'apiTokens.list': () => ({ path: '/v1/store/api-tokens?size=100', who: 'owner', min: 100_000 }),
  'approvals.list': () => ({ path: '/v1/approval-requests?size=100', who: 'owner', min: 400_000 }),
  'auditLogs.list': () => ({ path: '/v1/audit-logs?limit=100', min: 400_000 }),
  'apiRequestLogs.list': () => ({ path: '/v1/api-request-logs?limit=100', who: 'owner', min: 200_000 }),
  'addresses.list': () => ({ path: '/v1/seller-addresses', min: 0 }),
  'pickupLocations.list': () => ({ path: '/v1/pickup-locations', min: 0 }),
  'storefront.listPickupLocations': () => ({ path: '/storefront/v1/pickup-locations', who: 'member', min: 0 }),
  'flows.listPresets': () => ({ path: '/v1/flow-presets', min: 0 }),
  'flows.list': () => ({ path: '/v1/commerce-flows?size=100', min: 200_000 }),
  'flows.listVersions': () => ({ path: '/v1/commerce-flows/flw_0/versions?size=100', min: 10_000 }),
  'flows.listSecrets': () => ({ path: '/v1/commerce-flows/secrets?size=100', min: 500_000 }),
  'customers.list': () => ({ path: '/v1/customers?size=100', min: 50_000 }),
  'customers.listOrders': () => ({ path: `/v1/customers/${ids.customerId}/orders?size=100`, min: 500_000 }),
  'customers.listConsents': () => ({ path: `/v1/customers/${ids.customerId}/consents?size=100`, min: 100_000 }),
  'addressBook.list': () => ({ path: '/storefront/v1/me/addresses', who: 'member', min: 0 }),
  'wishlist.list': () => ({ path: '/storefront/v1/me/wishlist?size=100', who: 'member', min: 40_000 }),
  'cart.get': () => ({ path: '/storefront/v1/cart/items', who: 'member', min: 100_000 }),
  'payments.list': () => ({ path: '/v1/payments?size=100&includeTest=true&from=2026-11-01&to=2026-12-01', min: 20_000 }),
  'points.listHistory': () => ({ path: '/v1/points/history?size=100&from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z', min: 80_000 }),
  'points.listCustomerHistory': () => ({ path: `/v1/customers/${ids.customerId}/points/history?size=100`, min: 80_000 }),
  'points.listMine': () => ({ path: '/storefront/v1/me/points/history?size=100', who: 'member', min: 10_000 }),
  'points.get': () => ({ path: `/v1/customers/${ids.customerId}/points`, min: 100_000 }),
  'points.getMine': () => ({ path: '/storefront/v1/me/points', who: 'member', min: 100_000 }),
  'orders.list': () => ({ path: '/v1/orders?size=100', min: 400_000 }),
  'orders.listItems': () => ({ path: '/v1/order-items?size=100', min: 200_000 }),
  'orders.listMine': () => ({ path: '/storefront/v1/me/orders?size=100', who: 'member', min: 500_000 }),
  'orders.listFlowRuns': () => ({ path: '/v1/order-items/oit_0_0/flow/runs', min: 300_000 }),
  'orders.carriers': () => ({ path: '/v1/carriers', min: 0 }),
  'claims.list': () => ({ path: '/v1/claims?size=100', min: 300_000 }),
  'salesReport.get': () => ({ path: '/v1/sales-report?from=2025-12-01&to=2026-12-01', min: 0 }),
  'analytics.overview': () => ({ path: '/v1/analytics/overview?from=2025-12-01&to=2026-11-30', min: 0 }),
  'analytics.products': () => ({ path: '/v1/analytics/products?size=100&from=2025-12-01&to=2026-11-30', min: 0 }),
  'analytics.sources': () => ({ path: '/v1/analytics/sources?size=100&from=2025-12-01&to=2026-11-30', min: 80_000 }),
  'reviews.list': () => ({ path: '/v1/reviews?size=100', min: 700_000 }),
  'reviews.listShown': () => ({ path: `/storefront/v1/products/${ids.productId}/reviews?size=100`, who: 'member', min: 700_000 }),
  'reviews.listMine': () => ({ path: '/storefront/v1/me/reviews?size=100', who: 'member', min: 700_000 }),
  'inquiries.list': () => ({ path: '/v1/inquiries?size=100', min: 600_000 }),
  'inquiries.listShown': () => ({ path: `/storefront/v1/products/${ids.productId}/inquiries?size=100`, who: 'member', min: 600_000 }),
  'inquiries.listMine': () => ({ path: '/storefront/v1/me/inquiries?size=100', who: 'member', min: 600_000 }),
  'settlements.list': () => ({ path: '/v1/settlements?size=100', min: 0 }),
  'webhooks.list': () => ({ path: '/v1/webhooks', min: 0 }),
  'webhooks.listDeliveries': () => ({ path: '/v1/webhooks/whk_1/deliveries?limit=100', min: 500_000 }),
  'events.list': () => ({ path: '/v1/events?size=100', min: 20_000 }),
};

let shop: World;
let member: Buyer;
let tokens: Readonly<Record<'owner' | 'user', string>>;
const bytes: Record<string, number> = {};
/** Only shown where a size has changed. */
const milliseconds: Record<string, number> = {};

async function fillCart(plant: Planter): Promise<void> {
  await member.call('POST', '/storefront/v1/cart/items', { productId: ids.productId, quantity: 1 });
  await plant.copies('cart_item', 99, (i) => ({ cart_item_id: `ci_${i}`, product_id: `prd_${i}`, variant_id: `var_prd_${i}_1` }));
}
async function fillNights(plant: Planter): Promise<void> {
  await plant.query(`UPDATE product SET inventory_mode = 'DATED' WHERE product_id = 'prd_0'`);
  await plant.query(
    `INSERT INTO variant_night SELECT v.store_id, v.variant_id, day, 1000000, 1999999000 FROM variant v,
       generate_series('2026-12-01'::date, '2026-12-25'::date, '1 day') day WHERE v.product_id = 'prd_0'`,
  );
}

beforeAll(async () => {
  shop = await world();
  await people(shop);
  const email = `owner@${shop.store.storeCode}.example`;
  tokens = { owner: await storeToken(email, shop.store.storeId), user: (await loginAs(email, null, underTest.api)).user.access_token };
  member = await shop.member();
  const product = await shop.product();
  const { orderItemId } = await shop.order(product, 1, member);
  ids = { productId: product.productId, customerId: customerIdOf(member) };
  await shop.act(orderItemId, 'confirm');
  await member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { type: 'CANCEL', reason: 'CHANGE_OF_MIND' });
  await shop.seller.call('POST', '/v1/commerce-flows', { key: 'largest', name: '가장 큰', presetKey: 'custom-made' });
  await shop.seller.call('POST', '/v1/webhooks', { url: 'https://hooks.example.com/x', eventTypes: ['ORDER.PAID'] });
  await query(`UPDATE webhook SET webhook_id = 'whk_1' WHERE store_id = $1`, [shop.store.storeId]);
  const [owner] = await query<{ user_id: string }>('SELECT user_id FROM user_account WHERE email = $1', [email]);
  await until(
    'a request is logged',
    async () => (await query('SELECT 1 FROM api_request_log WHERE store_id = $1', [shop.store.storeId])).length > 0,
  );
  const plant = await Planter.open(shop.store.storeId);
  try {
    await fillProducts(plant);
    await fillOrders(plant);
    await fillRuns(plant);
    await fillClaims(plant);
    await fillMembers(plant, ids);
    await fillLogs(plant, owner!.user_id);
    await fillStore(plant, owner!.user_id);
    await fillNights(plant);
    await fillCart(plant);
  } finally {
    await plant.close();
  }
}, 240_000);

const readOnce = ({ path, who = 'seller' }: Largest) => {
  if (who === 'seller') return shop.seller.call('GET', path);
  if (who === 'member') return member.call('GET', path);
  return call(underTest.api, 'GET', path, { headers: { authorization: `Bearer ${tokens[who]}` } });
};
/** Where many suites run, a statement may find no time at first. */
const read = (largest: Largest) => repeated(() => readOnce(largest));

test('every list is filled', () => {
  expect(Object.keys(LARGEST).toSorted()).toEqual(
    endpoints
      .filter(isList)
      .map(({ id }) => id)
      .toSorted(),
  );
});

describe('at most 1 MiB', () => {
  test.each(Object.entries(LARGEST))('%s', async (id, largest) => {
    const started = performance.now();
    const { status, body } = await read(largest());
    milliseconds[id] = Math.round(performance.now() - started);
    expect([status, body.error]).toEqual([200, null]);
    bytes[id] = Buffer.byteLength(JSON.stringify(body));
    expect(bytes[id]).toBeLessThanOrEqual(LARGEST_ANSWER);
    expect(bytes[id]).toBeGreaterThanOrEqual(largest().min);
  });
});

/** Larger answers than these are read by many at once, one list after the other. */
const LARGE = 300_000;
/** Two of a store are served at a time: the third waits. */
const READERS = Number(process.env['LARGE_READERS'] ?? 3);
test('readers of each large list at once are all answered', async () => {
  for (const [id, largest] of Object.entries(LARGEST)) {
    if (bytes[id]! < LARGE) continue;
    const replies = await Promise.all(Array.from({ length: READERS }, () => read(largest())));
    expect([id, replies.map(({ status }) => status)]).toEqual([id, replies.map(() => 200)]);
  }
}, 240_000);

test('docs/performance.md tells how large they are', async () => {
  const page = await readFile('docs/performance.md', 'utf8');
  const written = new Map(
    Array.from(page.matchAll(/^\| `([A-Za-z.]+)` \|.*\| ([0-9]+) kB \|/gm), ([, id, kilobytes]) => [id!, Number(kilobytes)]),
  );
  const measured = Object.entries(bytes).map(([id, size]) => [id, Math.max(1, Math.round(size / 1000))] as const);
  const isNear = (a: number, b: number) => Math.abs(a - b) <= Math.max(2, b / 10);
  const wrong = measured.filter(([id, size]) => !isNear(written.get(id) ?? -1, size));
  expect(wrong.map(([id, size]) => `| \`${id}\` | ${String(size)} kB | ${String(milliseconds[id])} ms |`)).toEqual([]);
});
