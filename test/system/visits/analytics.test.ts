/** Visits of a shop, from its pages to the reports of its seller (docs/contract.md#analytics). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { DAY, korean, koreanDate } from '../../../domain/kernel/time.ts';
import { type World, world } from '../../kernel/world.ts';
import { analytics, buy, clockOf, PAGE, report, visited, viewOf, visitOf } from './shop.ts';

let shop: World;
let scarf: string;
let hat: string;
/** The first and the second day of the story. */
let first: string;
let second: string;

const NOTHING = {
  visitors: 0,
  sessions: 0,
  pageViews: 0,
  productViews: 0,
  cartAdds: 0,
  paymentStarts: 0,
  purchases: 0,
  purchaseAmount: 0,
};

beforeAll(async () => {
  shop = await world();
  [scarf, hat] = [(await shop.product({ name: '머플러' })).productId, (await shop.product({ name: '모자', salePrice: 5000 })).productId];
  // A minute before a Korean midnight.
  const midnight = Date.parse(`${koreanDate((await clockOf(shop)) + 2 * DAY)}T00:00:00+09:00`);
  [first, second] = [koreanDate(midnight - 1), koreanDate(midnight)];
  const to = async (at: number) => expect((await shop.seller.call('POST', '/v1/sandbox/clock', { to: korean(at) })).status).toBe(200);
  await to(midnight - 300_000);
  const search = { ...PAGE, utmSource: 'Naver', utmMedium: 'cpc', utmCampaign: 'winter' };
  await visited(shop, visitOf('ann', 'ann-1'), [search, viewOf(scarf)]);
  await visited(shop, visitOf('ben', 'ben-1'), [{ ...PAGE, referrer: 'https://www.blog.example/post' }]);
  await to(midnight + 1000);
  // The session goes on after midnight, from where it came.
  await visited(shop, visitOf('ann', 'ann-1'), [{ ...viewOf(scarf), utmSource: 'other' }, viewOf(hat)]);
  await visited(shop, visitOf('cat', 'cat-1'), [viewOf('prd_unknown')]);
  await buy(await shop.buyer(), scarf, visitOf('ann', 'ann-1'), { quantity: 2 });
  await buy(await shop.buyer(), hat, visitOf('ben', 'ben-2'), { isLeft: true });
  expect(await shop.advance('PT10M')).toMatchObject({ settled: true });
}, 120_000);

describe('the overview', () => {
  test('counts visitors and sessions once a day, and once in all, on both sides of Korean midnight', async () => {
    const { days, totals, ...head } = await analytics(shop, `overview?from=${first}&to=${second}`);
    expect(head).toMatchObject({ from: first, to: second });
    expect(days).toEqual([
      { ...NOTHING, date: first, visitors: 2, sessions: 2, pageViews: 3, productViews: 1 },
      { ...NOTHING, date: second, visitors: 2, sessions: 2, pageViews: 3, productViews: 2, cartAdds: 2 },
    ]);
    expect(totals).toEqual({ ...NOTHING, visitors: 3, sessions: 3, pageViews: 6, productViews: 3, cartAdds: 2 });
  });
  test('has purchases and starts in sandbox mode when they are wanted, cash at the approval', async () => {
    const { totals } = await analytics(shop, `overview?from=${first}&to=${second}&includeTest=true`);
    expect(totals).toMatchObject({ cartAdds: 2, paymentStarts: 2, purchases: 1, purchaseAmount: 23_000 });
  });
  test('is of the last thirty days with today, each listed, as of the last computation', async () => {
    const { days, lastComputedAt, from, to } = await analytics(shop, 'overview');
    const today = koreanDate(await clockOf(shop));
    expect([days.length, from, to, days.at(-1).date]).toEqual([30, koreanDate(Date.parse(today) - 29 * DAY), today, today]);
    expect(Date.parse(lastComputedAt as string)).toBeLessThanOrEqual(await clockOf(shop));
  });
});

test('products are listed by their views, with what came of them', async () => {
  const list = await analytics(shop, `products?from=${first}&to=${second}&includeTest=true`);
  expect(list).toMatchObject({ page: 1, size: 20, total: 2, from: first, to: second });
  expect(list.items).toEqual([
    { productId: scarf, productName: '머플러', productViews: 2, visitors: 1, cartAdds: 1, purchaseQuantity: 2, purchaseAmount: 20_000 },
    { productId: hat, productName: '모자', productViews: 1, visitors: 1, cartAdds: 1, purchaseQuantity: 0, purchaseAmount: 0 },
  ]);
  const { items, total } = await analytics(shop, `products?from=${first}&to=${second}&size=1&page=2`);
  expect([total, items.map(({ productId }: { productId: string }) => productId)]).toEqual([2, [hat]]);
  expect(await analytics(shop, `products?from=${first}&to=${second}&page=9`)).toMatchObject({ items: [], total: 2 });
});

test('sources are listed by their sessions, each of which stays where its first event put it', async () => {
  const { items } = await analytics(shop, `sources?from=${first}&to=${second}&includeTest=true`);
  const none = { purchases: 0, purchaseAmount: 0 };
  expect(items).toEqual([
    { source: 'blog.example', medium: 'referral', visitors: 1, sessions: 1, pageViews: 1, ...none },
    { source: 'direct', medium: 'none', visitors: 1, sessions: 1, pageViews: 1, ...none },
    { source: 'naver', medium: 'cpc', visitors: 1, sessions: 1, pageViews: 4, purchases: 1, purchaseAmount: 23_000 },
  ]);
  const day = await analytics(shop, `sources?from=${second}&to=${second}`);
  expect(day.items).toEqual([
    { source: 'direct', medium: 'none', visitors: 1, sessions: 1, pageViews: 1, ...none },
    { source: 'naver', medium: 'cpc', visitors: 1, sessions: 1, pageViews: 2, ...none },
  ]);
});

test('a shop without visits has zeros, and no time before the first computation', async () => {
  const empty = await world();
  const { lastComputedAt, totals } = await analytics(empty, 'overview');
  expect([lastComputedAt, totals]).toEqual([null, NOTHING]);
  expect(await analytics(empty, 'products')).toMatchObject({ items: [], total: 0, lastComputedAt: null });
  expect(await analytics(empty, 'sources')).toMatchObject({ items: [], total: 0, lastComputedAt: null });
  await empty.advance('P1D');
  expect((await analytics(empty, 'sources')).lastComputedAt).toMatch(/^\d{4}-/);
  // What happens later is not in before it is computed.
  await visited(empty, visitOf('dan'), [PAGE]);
  expect((await analytics(empty, 'overview')).totals.visitors).toBe(0);
  await empty.advance('PT1S');
  expect((await analytics(empty, 'overview')).totals.visitors).toBe(1);
});

test('a purchase whose session is seen only later is of the source that it is then seen to have', async () => {
  const late = await world();
  const { productId } = await late.product();
  await buy(await late.buyer(), productId, visitOf('eve'));
  await late.advance('PT10M');
  expect((await analytics(late, 'sources?includeTest=true')).items).toEqual([]);
  await visited(late, visitOf('eve'), [{ ...PAGE, utmSource: 'mail' }]);
  await late.advance('PT10M');
  expect((await analytics(late, 'sources?includeTest=true')).items).toMatchObject([
    { source: 'mail', medium: 'none', sessions: 1, purchases: 1, purchaseAmount: 13_000 },
  ]);
});

test('periods are as those of the sales report; short forms are answered', async () => {
  for (const search of ['from=2026-01-02&to=2026-01-01', 'from=2025-01-01&to=2026-01-02', 'from=x', 'includeTest=maybe'])
    for (const name of ['overview', 'products', 'sources']) {
      const { status, body } = await shop.seller.call('GET', `/v1/analytics/${name}?${search}`);
      expect([status, body.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
  const headers = { authorization: `Bearer ${shop.seller.bearer}` };
  for (const name of ['overview', 'products', 'sources'])
    expect((await call(shop.seller.base, 'GET', `/analytics/${name}`, { headers })).status).toBe(200);
});

test('a store sees its own visits only', async () => {
  const [one, other] = [await world(), await world()];
  await visited(one, visitOf('fay'), [PAGE, viewOf((await other.product()).productId)]);
  for (const each of [one, other]) await each.advance('PT10M');
  expect((await analytics(one, 'overview')).totals).toMatchObject({ visitors: 1, pageViews: 2, productViews: 0 });
  expect((await analytics(other, 'overview')).totals).toEqual(NOTHING);
  expect((await report(other, visitOf('fay'), [PAGE])).status).toBe(200);
});
