/** The list of members and one in detail: search, filters, order, numbers (docs/contract.md#members-of-the-shop). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../db/kernel/clock.ts';
import { query, until, type World, world } from '../../kernel/world.ts';
import { bought, delegated, errorOf, fieldsOf, join, liveWorld, testing } from './member.ts';

let shop: World;
let rival: World;
interface Listed {
  readonly customerId: string;
  readonly email: string;
  readonly name: string | null;
}
const list = async (search: string, from = shop) => {
  const { status, body } = await from.seller.call('GET', `/v1/customers?${search}`);
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  return body.data as { items: (Listed & Record<string, unknown>)[]; total: number };
};
const named = async (search: string) => {
  const { items, total } = await list(search);
  expect(total).toBe(items.length);
  return items.map(({ email }) => email.split('@')[0]);
};
/** Somebody who joined then. */
async function joined(at: string, name: string | null, email: string, phone: string | null = null): Promise<string> {
  const customerId = newId('cus', Date.parse(at));
  await query('INSERT INTO customer (store_id, customer_id, email, name, phone, created_at) VALUES ($1, $2, $3, $4, $5, $6)', [
    shop.store.storeId,
    customerId,
    email,
    name,
    phone,
    at,
  ]);
  return customerId;
}
const ids: Record<string, string> = {};
beforeAll(async () => {
  [shop, rival] = await Promise.all([world(), world()]);
  ids['before'] = await joined('2026-02-28T23:59:59.999+09:00', '이서연', 'before@x.example', '010-1234-5555');
  ids['first'] = await joined('2026-03-01T00:00:00+09:00', '김민준', 'first@x.example', '01012347777');
  ids['last'] = await joined('2026-03-01T23:59:59.999+09:00', '김민서', 'last_100%@x.example', '02-555-5123');
  ids['after'] = await joined('2026-03-02T00:00:00+09:00', null, 'after5555@x.example');
});

describe('filters', () => {
  test('days of joining are Korean, both inclusive', async () => {
    expect(await named('')).toEqual(['after5555', 'last_100%', 'first', 'before']);
    expect(await named('joinedFrom=2026-03-01&joinedTo=2026-03-01')).toEqual(['last_100%', 'first']);
    expect(await named('joinedTo=2026-02-28')).toEqual(['before']);
    expect(await named('joinedFrom=2026-03-02')).toEqual(['after5555']);
    expect(await named('joinedFrom=2026-03-02&joinedTo=2026-02-28')).toEqual([]);
  });
  test.each([
    ['민', ['last_100%', 'first']],
    ['김민', ['last_100%', 'first']],
    ['민준', ['first']],
    ['X.EXAMPLE', ['after5555', 'last_100%', 'first', 'before']],
    ['FIRST@', ['first']],
    ['%', ['last_100%']],
    ['_', ['last_100%']],
    ['t_1', ['last_100%']],
    // The last four digits of a phone, or part of the e-mail.
    ['5555', ['after5555', 'before']],
    ['7777', ['first']],
    // Other digits of a phone are never matched.
    ['1234', []],
    ['5123', ['last_100%']],
    ['555', ['after5555']],
    ['010', []],
    ['0-12', []],
    ['준민', []],
  ])('the keyword %s', async (keyword, found) => {
    expect(await named(`keyword=${encodeURIComponent(keyword)}`)).toEqual(found);
  });
  test('combine', async () => {
    expect(await named(`keyword=${encodeURIComponent('김')}&joinedTo=2026-03-01&sort=joinedAt`)).toEqual(['first', 'last_100%']);
    expect(await named('keyword=example&marketingConsent=true')).toEqual([]);
  });
  test('bad values are reported together', async () => {
    const bad = 'keyword=&joinedFrom=2026-02-30&joinedTo=x&marketingConsent=yes&includeTest=1&sort=email&page=0&size=101';
    const refused = await shop.seller.call('GET', `/v1/customers?${bad}`);
    expect(errorOf(refused)).toEqual([400, 'VALIDATION_FAILED']);
    expect([...new Set(fieldsOf(refused).map((field) => field.split(' ')[0]!))].toSorted()).toEqual(
      ['includeTest', 'joinedFrom', 'joinedTo', 'keyword', 'marketingConsent', 'page', 'size', 'sort'].toSorted(),
    );
    expect(errorOf(await shop.seller.call('GET', `/v1/customers?keyword=${'k'.repeat(101)}`))).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('by consent to marketing, as it is now', async () => {
    const one = await world();
    const { buyer, customerId } = await join(one, { consents: [{ kind: 'TERMS' }, { kind: 'PRIVACY' }, { kind: 'MARKETING' }] });
    const never = await delegated(one);
    const of = async (agreed: boolean) => {
      const { items, total } = await list(`marketingConsent=${agreed}`, one);
      expect(total).toBe(items.length);
      return items.map((item) => item.customerId);
    };
    expect([await of(true), await of(false)]).toEqual([[customerId], [never.customerId]]);
    await buyer.call('POST', '/storefront/v1/me/consents', { kind: 'MARKETING', action: 'WITHDRAW' });
    expect([await of(true), (await of(false)).toSorted()]).toEqual([[], [customerId, never.customerId].toSorted()]);
  });
});

test('names in the alphabet’s order, those without one last, ties by id', async () => {
  const sameName = await joined('2026-03-01T12:00:00+09:00', '김민준', 'twin@x.example');
  expect(await named('sort=name')).toEqual(['last_100%', ...tied(sameName), 'before', 'after5555']);
  expect(await named('sort=-name')).toEqual(['before', ...tied(sameName), 'last_100%', 'after5555']);
  await query('DELETE FROM customer WHERE customer_id = $1', [sameName]);
});
const tied = (sameName: string) => (sameName < ids['first']! ? ['twin', 'first'] : ['first', 'twin']);

test('a delegated member has neither name nor phone; the phone of others is masked in the list and whole in the detail', async () => {
  const one = await world();
  const server = await delegated(one);
  const { customerId } = await join(one);
  const { items } = await list('', one);
  expect(items.map(({ name, phone }) => [name, phone])).toEqual([
    ['김회원', '010-****-3333'],
    [null, null],
  ]);
  const detail = (await one.seller.call('GET', `/v1/customers/${customerId}`)).body.data as object;
  expect(detail).toMatchObject({ name: '김회원', phone: '010-2222-3333', addresses: [], marketingConsent: false });
  expect((await one.seller.call('GET', `/v1/customers/${server.customerId}`)).body.data).toMatchObject({ name: null, consents: [] });
});

describe('numbers', () => {
  test('are those of the commit: orders ever paid, cash with delivery fees, what the provider gave back; tests apart', async () => {
    const live = await liveWorld();
    const product = await live.product({
      salePrice: 10_000,
      fulfillment: { type: 'SHIPPING', shipping: { deliveryType: 'PAID', deliveryFee: 3000 } },
    });
    const [rich, poor, none] = [await join(live), await join(live), await join(live)];
    const first = await bought(product, rich.buyer, 2);
    await bought(product, poor.buyer);
    await testing(live);
    await live.order(product, 3, poor.buyer);
    const detail = async ({ customerId }: { customerId: string }, search = '') =>
      (await live.seller.call('GET', `/v1/customers/${customerId}${search}`)).body.data.stats as Record<string, unknown>;
    expect(await detail(rich)).toMatchObject({ orderCount: 1, paidAmount: 23_000, refundedAmount: 0, purchaseAmount: 23_000 });
    expect(await detail(poor)).toMatchObject({ orderCount: 1, purchaseAmount: 13_000 });
    expect(await detail(poor, '?includeTest=true')).toMatchObject({ orderCount: 2, purchaseAmount: 46_000 });
    expect(await detail(none)).toEqual({ orderCount: 0, paidAmount: 0, refundedAmount: 0, purchaseAmount: 0, lastOrderedAt: null });
    const sorted = async (sort: string) => (await list(sort, live)).items.map(({ customerId }) => customerId);
    expect(await sorted('sort=-purchaseAmount')).toEqual([rich, poor, none].map(({ customerId }) => customerId));
    expect(await sorted('sort=-purchaseAmount&includeTest=true')).toEqual([poor, rich, none].map(({ customerId }) => customerId));
    expect((await sorted('sort=lastOrderedAt')).at(-1)).toBe(none.customerId);
    expect((await sorted('sort=-lastOrderedAt')).at(-1)).toBe(none.customerId);
    expect((await sorted('sort=orderCount'))[0]).toBe(none.customerId);
    expect(await sorted('sort=orderCount')).toEqual([none.customerId, ...[rich.customerId, poor.customerId].toSorted()]);
    expect(await sorted('sort=-orderCount')).toEqual([...[rich.customerId, poor.customerId].toSorted(), none.customerId]);

    const order = (await live.seller.call('GET', `/v1/orders/${first}`)).body.data as { items: { orderItemId: string }[] };
    const { refundId } = (await live.act(order.items[0]!.orderItemId, 'cancel', { reason: 'OTHER', quantity: 1, holdRefund: true })).body
      .data as { refundId: string };
    expect(await detail(rich)).toMatchObject({ refundedAmount: 0 });
    await live.seller.call('POST', `/v1/payments/refunds/${refundId}/process`);
    const after = await until('given back', async () => {
      const stats = await detail(rich);
      return stats['refundedAmount'] !== 0 && stats;
    });
    expect(after).toMatchObject({ orderCount: 1, paidAmount: 23_000, refundedAmount: 10_000, purchaseAmount: 13_000 });
    const [plain] = await query<Record<string, string>>(
      `SELECT sum(n)::int AS n, (SELECT count(*)::int FROM customer WHERE store_id = $1) AS counted FROM customer_count
        WHERE store_id = $1`,
      [live.store.storeId],
    );
    expect(plain!['n']).toBe(plain!['counted']);
  });
  test('orders of a member: all times, tests too, newest first', async () => {
    const one = await liveWorld();
    const product = await one.product();
    const { buyer, customerId } = await join(one);
    const real = await bought(product, buyer);
    await testing(one);
    const test1 = await one.order(product, 1, buyer);
    await one.order(product);
    const orders = async (search = '') => (await one.seller.call('GET', `/v1/customers/${customerId}/orders${search}`)).body;
    expect((await orders()).data).toMatchObject({ total: 2, items: [{ orderId: test1.orderId }, { orderId: real }] });
    expect((await orders('?testPayment=false')).data).toMatchObject({ total: 1, items: [{ orderId: real }] });
    expect((await orders('?testPayment=maybe')).error).toMatchObject({ code: 'INVALID_PARAMETER' });
    expect((await orders('?size=1&page=2')).data.items).toHaveLength(1);
  });
});

test('another store knows none of them', async () => {
  for (const path of ['', '/orders', '/consents'])
    expect(errorOf(await rival.seller.call('GET', `/v1/customers/${ids['first']}${path}`))).toEqual([404, 'CUSTOMER_NOT_FOUND']);
  const { items } = await list('keyword=x.example', rival);
  expect(items).toEqual([]);
  const withdrawn = await rival.seller.call('POST', `/v1/customers/${ids['first']}/withdraw`, {
    reason: 'r',
    confirmation: 'first@x.example',
  });
  expect(errorOf(withdrawn)).toEqual([404, 'CUSTOMER_NOT_FOUND']);
  const consent = { kind: 'MARKETING', action: 'AGREE' };
  expect(errorOf(await rival.seller.call('POST', `/v1/customers/${ids['first']}/consents`, consent))).toEqual([404, 'CUSTOMER_NOT_FOUND']);
});
