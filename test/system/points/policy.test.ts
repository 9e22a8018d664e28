/** The store's point policy (docs/contract.md#points). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, Seller } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { adjust, joined } from '../../kernel/points.ts';
import { secondApi } from '../../kernel/secondApi.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

const PATH = '/v1/store/point-policy';
const DEFAULTS = {
  reviewReward: { enabled: false, textPoint: 0, photoPoint: 0 },
  purchaseEarn: { enabled: false, rateBp: 0 },
  use: { enabled: false, minBalance: 0, minAmount: 0, unit: 1, maxRatioBp: 10_000, includeDeliveryFee: false },
  expiryDays: null,
};
const SWITCHES = { available: true, useAvailable: true };
let shop: World;
beforeAll(async () => {
  shop = await world();
});
const put = ({ seller }: World, body: object) => seller.call('PUT', PATH, body);
const shown = async ({ seller }: World) => (await seller.call('GET', PATH)).body.data as unknown;

test('a store that never wrote one has the defaults; a change of some leaves answers the whole', async () => {
  const fresh = await world();
  expect(await shown(fresh)).toEqual({ ...DEFAULTS, ...SWITCHES });
  const { status, body } = await put(fresh, { purchaseEarn: { enabled: true, rateBp: 100 }, expiryDays: 365 });
  const earning = { ...DEFAULTS, purchaseEarn: { enabled: true, rateBp: 100 }, expiryDays: 365, ...SWITCHES };
  expect([status, body.data]).toEqual([200, earning]);
  expect((await put(fresh, { use: { unit: 10 } })).body.data).toEqual({ ...earning, use: { ...DEFAULTS.use, unit: 10 } });
  expect((await put(fresh, {})).body.data).toEqual(await shown(fresh));
});

test('parallel changes of different leaves all stand', async () => {
  const fresh = await world();
  const changes = [{ reviewReward: { textPoint: 1 } }, { reviewReward: { photoPoint: 2 } }, { use: { minBalance: 3 } }, { expiryDays: 40 }];
  for (const { status } of await Promise.all(changes.map((body) => put(fresh, body)))) expect(status).toBe(200);
  expect(await shown(fresh)).toMatchObject({
    reviewReward: { textPoint: 1, photoPoint: 2 },
    use: { minBalance: 3 },
    expiryDays: 40,
  });
});

test('what is out of bounds is refused, all at once, and changes nothing', async () => {
  const before = await shown(shop);
  const body = {
    reviewReward: { textPoint: 100_001, photoPoint: -1, enabled: null },
    purchaseEarn: { rateBp: 3001 },
    use: { unit: 5, maxRatioBp: 0, minAmount: 2_000_000_001, minBalance: 1.5 },
    expiryDays: 29,
    available: true,
  };
  const { body: answer } = await put(shop, body);
  expect(answer.error!.code).toBe('VALIDATION_FAILED');
  expect(answer.error!.fieldErrors!.map(({ field, code }) => `${field} ${code}`).toSorted()).toEqual([
    'available UNKNOWN_FIELD',
    'expiryDays OUT_OF_RANGE',
    'purchaseEarn.rateBp OUT_OF_RANGE',
    'reviewReward.enabled INVALID_TYPE',
    'reviewReward.photoPoint OUT_OF_RANGE',
    'reviewReward.textPoint OUT_OF_RANGE',
    'use.maxRatioBp OUT_OF_RANGE',
    'use.minAmount OUT_OF_RANGE',
    'use.minBalance INVALID_TYPE',
    'use.unit INVALID_VALUE',
  ]);
  expect(await shown(shop)).toEqual(before);
});

test('an earning needs an expiry, in the policy as it would be', async () => {
  const fresh = await world();
  const codes = async (...bodies: readonly object[]) => {
    const found: unknown[] = [];
    for (const body of bodies) found.push((await put(fresh, body)).body.error?.code ?? 'OK');
    return found;
  };
  expect(
    await codes(
      { purchaseEarn: { enabled: true } },
      { reviewReward: { enabled: true } },
      { use: { enabled: true } },
      { expiryDays: 30, purchaseEarn: { enabled: true } },
      { expiryDays: null },
      { expiryDays: null, purchaseEarn: { enabled: false } },
    ),
  ).toEqual(['POINT_EXPIRY_REQUIRED', 'POINT_EXPIRY_REQUIRED', 'OK', 'OK', 'POINT_EXPIRY_REQUIRED', 'OK']);
});

test('buyers see it without the operator’s switches, for a minute', async () => {
  const { headers, body } = await call(underTest.api, 'GET', '/storefront/v1/point-policy', {
    headers: { 'x-store-code': shop.store.storeCode },
  });
  const { available: _, useAvailable: __, ...policy } = (await shown(shop)) as typeof SWITCHES;
  expect(body.data).toEqual({ ...policy, review: { writeDays: 90, editDays: 30 } });
  expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['public, max-age=60', expect.stringContaining('X-Store-Code')]);
});

test('a dry run lists what would differ, leaf by leaf', async () => {
  const { body } = await shop.seller.call('PUT', PATH, { use: { unit: 100, minAmount: 500 } }, { 'x-svc-dry-run': '1' });
  expect(body.data.preview).toEqual({
    operationId: 'points.replacePolicy',
    target: { type: 'STORE', id: shop.store.storeId },
    changes: [
      { field: 'use.minAmount', before: 0, after: 500 },
      { field: 'use.unit', before: 1, after: 100 },
    ],
    facts: {},
  });
  const refused = await shop.seller.call('PUT', PATH, { purchaseEarn: { enabled: true } }, { 'x-svc-dry-run': '1' });
  expect(refused.body.error!.code).toBe('POINT_EXPIRY_REQUIRED');
});

test('agents change it by themselves until the store is live', async () => {
  const desk = await Desk.open(shop);
  const agent = await desk.agent(['promotion:rw']);
  const { status } = await call(underTest.api, 'PUT', PATH, { headers: agent.headers, body: { use: { minBalance: 7 } } });
  expect([status, await shown(shop)]).toEqual([200, expect.objectContaining({ use: expect.objectContaining({ minBalance: 7 }) })]);
  await desk.close();
});

describe('without the operator’s switches', () => {
  test('what there is stays readable, and nothing is changed', async () => {
    const fresh = await world();
    const { customerId } = await joined(fresh);
    const expiresAt = '2027-12-01T00:00:00+09:00';
    await adjust(fresh, customerId, { amount: 50, reason: '사과', expiresAt });
    const off = await secondApi(4950, { POINTS_AVAILABLE: 'false' });
    const seller = await Seller.login(off.url, fresh.store);
    const key = { 'idempotency-key': 'k' };
    const codes = [
      await seller.call('PUT', PATH, { use: { unit: 10 } }),
      await seller.call('POST', `/v1/customers/${customerId}/points/adjustments`, { amount: 5, reason: 'r', expiresAt }, key),
      await seller.call('PUT', PATH, { expiryDays: 1 }),
      await seller.call('GET', `/v1/customers/${customerId}/points`),
    ].map(({ body }) => body.error?.code ?? body.data.balance);
    expect(codes).toEqual(['POINTS_UNAVAILABLE', 'POINTS_UNAVAILABLE', 'VALIDATION_FAILED', 50]);
    expect((await seller.call('GET', PATH)).body.data).toMatchObject({ available: false, useAvailable: true });
    off.stop();
  });
  test('without use, use cannot be switched on', async () => {
    const fresh = await world();
    const off = await secondApi(4960, { POINTS_USE_AVAILABLE: 'false' });
    const seller = await Seller.login(off.url, fresh.store);
    expect((await seller.call('PUT', PATH, { use: { enabled: true } })).body.error!.code).toBe('POINTS_UNAVAILABLE');
    expect((await seller.call('PUT', PATH, { use: { unit: 10 } })).body.data).toMatchObject({ available: true, useAvailable: false });
    off.stop();
  });
});
