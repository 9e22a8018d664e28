/** Adjustments by the seller, and the histories that sellers and buyers read (docs/contract.md#points). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { DAY, korean } from '../../../domain/kernel/time.ts';
import { Desk } from '../../kernel/approvals.ts';
import { adjust, entriesOf, joined, type Member, nowOf, pointsOf } from '../../kernel/points.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let member: Member;
let far: string;
beforeAll(async () => {
  shop = await world();
  member = await joined(shop);
  far = korean((await nowOf(shop)) + 100 * DAY);
});
const codes = ({ body }: Awaited<ReturnType<typeof adjust>>) =>
  body.error?.fieldErrors?.map(({ field, code }) => `${field} ${code}`) ?? body.error?.code;

test('a grant makes a lot, a deduction takes the earliest expiry first; both answer their entry', async () => {
  const { customerId } = await joined(shop);
  const near = korean((await nowOf(shop)) + 20 * DAY);
  await adjust(shop, customerId, { amount: 1000, reason: '가입 축하', expiresAt: far });
  const { status, body } = await adjust(shop, customerId, { amount: 500, reason: '  사과 ', expiresAt: near });
  expect([status, body.data]).toEqual([
    201,
    {
      historyId: expect.stringMatching(/^pth_/),
      customerId,
      type: 'ADJUST',
      amount: 500,
      balance: 1500,
      memo: '사과',
      orderId: null,
      orderItemId: null,
      paymentId: null,
      reviewId: null,
      expiresAt: near,
      createdAt: expect.any(String),
    },
  ]);
  expect(await pointsOf(shop, customerId)).toMatchObject({
    customerId,
    balance: 1500,
    expiringSoon: 500,
    lots: [
      { lotId: expect.stringMatching(/^lot_/), type: 'ADJUST', amount: 500, remaining: 500, expiresAt: near },
      { amount: 1000, remaining: 1000, expiresAt: far },
    ],
  });
  const taken = await adjust(shop, customerId, { amount: -700, reason: '회수' });
  expect(taken.body.data).toMatchObject({ amount: -700, balance: 800, expiresAt: null, memo: '회수' });
  expect((await pointsOf(shop, customerId)).lots).toMatchObject([{ amount: 1000, remaining: 800 }]);
});

test('without an expiry of its own a grant has that of the policy; without either it is refused', async () => {
  const fresh = await world();
  const { customerId } = await joined(fresh);
  expect(codes(await adjust(fresh, customerId, { amount: 1, reason: 'r' }))).toBe('POINT_EXPIRY_REQUIRED');
  await fresh.seller.call('PUT', '/v1/store/point-policy', { expiryDays: 30 });
  const { body } = await adjust(fresh, customerId, { amount: 1, reason: 'r' });
  const day = korean((await nowOf(fresh)) + 30 * DAY).slice(0, 10);
  expect(body.data.expiresAt).toBe(`${day}T23:59:59+09:00`);
  // On both sides of the Korean midnight.
  const tomorrow = korean((await nowOf(fresh)) + DAY).slice(0, 10);
  for (const [to, days] of [
    [`${tomorrow}T23:59:00+09:00`, 30],
    [korean(Date.parse(`${tomorrow}T00:00:00+09:00`) + DAY), 31],
  ] as const) {
    await fresh.seller.call('POST', '/v1/sandbox/clock', { to });
    const granted = await adjust(fresh, customerId, { amount: 1, reason: 'r' });
    expect(granted.body.data.expiresAt).toBe(
      `${korean(Date.parse(`${tomorrow}T00:00:00+09:00`) + days * DAY).slice(0, 10)}T23:59:59+09:00`,
    );
  }
});

test('what is wrong with a request is reported all at once', async () => {
  const path = `/v1/customers/${member.customerId}/points/adjustments`;
  const past = korean((await nowOf(shop)) - 1000);
  expect(codes(await shop.seller.call('POST', path, { amount: 0, reason: ' \t ', expiresAt: past }))).toEqual([
    'amount OUT_OF_RANGE',
    'reason TOO_SHORT',
    'expiresAt OUT_OF_RANGE',
    'Idempotency-Key REQUIRED',
  ]);
  expect(codes(await adjust(shop, member.customerId, {}))).toEqual(['amount REQUIRED', 'reason REQUIRED']);
  expect(codes(await adjust(shop, member.customerId, { amount: -5, reason: 'r'.repeat(201), expiresAt: far }))).toEqual([
    'reason TOO_LONG',
    'expiresAt NOT_APPLICABLE',
  ]);
  for (const amount of [1.5, 2_000_000_001, -2_000_000_001, '5', null])
    expect(codes(await adjust(shop, member.customerId, { amount, reason: 'r', expiresAt: far }))).toEqual([
      expect.stringMatching(/^amount /),
    ]);
  expect((await adjust(shop, member.customerId, { amount: 1, reason: `  ${'r'.repeat(200)} `, expiresAt: far })).status).toBe(201);
  // However many blanks are around it.
  const blanks = ' \n'.repeat(3000);
  const wide = await adjust(shop, member.customerId, { amount: 1, reason: `${blanks}${'🙂'.repeat(200)}${blanks}`, expiresAt: far });
  expect([wide.status, wide.body.data.memo]).toEqual([201, '🙂'.repeat(200)]);
  for (const reason of [`${blanks}${'🙂'.repeat(201)}${blanks}`, 'r'.repeat(100_000)])
    expect(codes(await adjust(shop, member.customerId, { amount: 1, reason, expiresAt: far }))).toEqual(['reason TOO_LONG']);
  expect(codes(await adjust(shop, member.customerId, { amount: 1, reason: blanks, expiresAt: far }))).toEqual(['reason TOO_SHORT']);
  for (const path of ['cus_none', (await joined(await world())).customerId])
    expect(codes(await adjust(shop, path, { amount: 1, reason: 'r', expiresAt: far }))).toBe('CUSTOMER_NOT_FOUND');
});

test('more than the balance is refused, whole, and stays the answer of its key', async () => {
  const { customerId } = await joined(shop);
  await adjust(shop, customerId, { amount: 100, reason: 'r', expiresAt: far });
  const first = await adjust(shop, customerId, { amount: -101, reason: 'r' }, 'refused');
  expect([first.status, first.body.error]).toEqual([
    409,
    expect.objectContaining({ code: 'POINT_BALANCE_INSUFFICIENT', details: { balance: 100 } }),
  ]);
  await adjust(shop, customerId, { amount: 100, reason: 'r', expiresAt: far });
  expect(codes(await adjust(shop, customerId, { amount: -101, reason: 'r' }, 'refused'))).toBe('POINT_BALANCE_INSUFFICIENT');
  expect((await pointsOf(shop, customerId)).balance).toBe(200);
});

test('twenty requests of one key are one adjustment; of twenty deductions of everything one is carried out', async () => {
  const { customerId } = await joined(shop);
  const grant = { amount: 100, reason: 'r', expiresAt: far };
  const grants = await Promise.all(Array.from({ length: 20 }, () => adjust(shop, customerId, grant, 'once')));
  expect(new Set(grants.filter(({ status }) => status === 201).map(({ body }) => body.data.historyId as string)).size).toBe(1);
  const deductions = await Promise.all(Array.from({ length: 20 }, () => adjust(shop, customerId, { amount: -100, reason: 'r' })));
  expect(deductions.filter(({ status }) => status === 201)).toHaveLength(1);
  expect((await entriesOf(shop, customerId)).map(({ amount }) => amount)).toEqual([100, -100]);
});

test('an adjustment leaves a detail record without its reason; a refused one leaves none (N16)', async () => {
  const { customerId } = await joined(shop);
  const { body } = await adjust(shop, customerId, { amount: 100, reason: '비밀 사유', expiresAt: far });
  await adjust(shop, customerId, { amount: -500, reason: 'r' });
  const log = await shop.seller.call('GET', `/v1/audit-logs?source=DOMAIN&targetId=${customerId}`);
  expect(log.body.data.items).toMatchObject([
    {
      action: 'POINT_ADJUSTED',
      target: { type: 'CUSTOMER', id: customerId },
      requestId: body.meta.requestId,
      metadata: { historyId: body.data.historyId, amount: 100, balance: 100 },
    },
  ]);
  expect(JSON.stringify(log.body)).not.toContain('비밀');
  const requests = await shop.seller.call('GET', `/v1/audit-logs?source=REQUEST&targetId=${customerId}`);
  expect(requests.body.data.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['FAILED', 'SUCCEEDED']);
  expect(requests.body.data.items[1].metadata.changes).toEqual([{ field: 'balance', before: 0, after: 100 }]);
});

test('a dry run tells the balance, and writes nothing', async () => {
  const { customerId } = await joined(shop);
  const path = `/v1/customers/${customerId}/points/adjustments`;
  const headers = { 'x-svc-dry-run': '1', 'idempotency-key': 'dry' };
  const { body } = await shop.seller.call('POST', path, { amount: 40, reason: 'r', expiresAt: far }, headers);
  expect(body.data).toMatchObject({
    decision: 'ALLOW',
    preview: {
      target: { type: 'CUSTOMER', id: customerId },
      changes: [{ field: 'balance', before: 0, after: 40 }],
      facts: { balance: 40 },
    },
  });
  const refused = await shop.seller.call('POST', path, { amount: -40, reason: 'r' }, headers);
  expect(refused.body.error!.code).toBe('POINT_BALANCE_INSUFFICIENT');
  expect(await entriesOf(shop, customerId)).toEqual([]);
});

test('what an agent asks for at a live store is carried out when a person approves, once and without a key of its own', async () => {
  const live = await world();
  const { customerId } = await joined(live);
  await query('UPDATE store SET first_live_order_at = created_at WHERE store_id = $1', [live.store.storeId]);
  const desk = await Desk.open(live);
  const agent = await desk.agent(['promotion:rw']);
  const waiting = await call(underTest.api, 'POST', `/v1/customers/${customerId}/points/adjustments`, {
    headers: { ...agent.headers, 'idempotency-key': 'agent' },
    body: { amount: 70, reason: '에이전트', expiresAt: far },
  });
  expect([waiting.status, waiting.body.meta.code]).toEqual([202, 'APPROVAL_REQUIRED']);
  const done = await desk.decide(waiting.body.data.approvalId as string, 'approve');
  expect(done.body.data).toMatchObject({ status: 'SUCCEEDED', result: { statusCode: 201 } });
  expect(await entriesOf(live, customerId)).toMatchObject([{ type: 'ADJUST', amount: 70, balance: 70 }]);
  await desk.close();
});

describe('histories', () => {
  let customerId: string;
  let other: Member;
  let reader: World;
  beforeAll(async () => {
    reader = await world();
    [{ customerId }, other] = [await joined(reader), await joined(reader)];
    const soon = korean((await nowOf(reader)) + 3_600_000);
    for (let n = 1; n <= 5; n++) await adjust(reader, customerId, { amount: n, reason: `사유 ${n}`, expiresAt: n === 1 ? soon : far });
    await adjust(reader, other.customerId, { amount: 50, reason: '다른 이', expiresAt: far });
    await reader.advance('PT2H');
  });
  const list = async (path: string) => (await reader.seller.call('GET', path)).body;
  const amounts = ({ data }: Awaited<ReturnType<typeof list>>) => (data.items as { amount: number }[]).map(({ amount }) => amount);

  test('of the shop, newest first: by page, by cursor, by member, by type, by time', async () => {
    expect(amounts(await list('/v1/points/history'))).toEqual([-1, 50, 5, 4, 3, 2, 1]);
    const first = await list('/v1/points/history?size=3');
    expect(first.data).toMatchObject({ page: 1, size: 3, total: 7 });
    const second = await list(`/v1/points/history?size=3&cursor=${first.data.nextCursor as string}`);
    expect(amounts(second)).toEqual([4, 3, 2]);
    expect(amounts(await list('/v1/points/history?size=3&page=3'))).toEqual([1]);
    expect(amounts(await list(`/v1/points/history?memberId=${other.customerId}`))).toEqual([50]);
    expect(amounts(await list('/v1/points/history?memberId=cus_none'))).toEqual([]);
    expect(amounts(await list('/v1/points/history?type=EXPIRE,OPENING'))).toEqual([-1]);
    expect(amounts(await list(`/v1/points/history?type=ADJUST,EXPIRE&memberId=${customerId}`))).toEqual([-1, 5, 4, 3, 2, 1]);
    const expired = (await list('/v1/points/history?type=EXPIRE')).data.items[0].createdAt as string;
    const time = encodeURIComponent(expired);
    expect(amounts(await list(`/v1/points/history?from=${time}`))).toEqual([-1]);
    expect((await list(`/v1/points/history?to=${time}&size=1`)).data.total).toBe(6);
  });
  test.each(['type=SPENT', 'type=', 'from=yesterday', 'to=2026-13-01T00:00:00Z'])('%s is INVALID_PARAMETER', async (parameter) => {
    for (const path of ['/v1/points/history', `/v1/customers/${customerId}/points/history`])
      expect((await list(`${path}?${parameter}`)).error!.code).toBe('INVALID_PARAMETER');
  });
  test('of a customer, with memo; of an unknown one 404', async () => {
    const { data } = await list(`/v1/customers/${customerId}/points/history?type=ADJUST&size=2`);
    expect(data.items).toMatchObject([
      { amount: 5, memo: '사유 5', balance: 15 },
      { amount: 4, memo: '사유 4', balance: 10 },
    ]);
    expect((await list('/v1/customers/cus_none/points/history')).error!.code).toBe('CUSTOMER_NOT_FOUND');
    expect((await list('/v1/customers/cus_none/points')).error!.code).toBe('CUSTOMER_NOT_FOUND');
    expect((await list(`/v1/points/history?cursor=h-1-2`)).error!.code).toBe('VALIDATION_FAILED');
  });
  test('of the buyer, without reasons; nothing without a member’s token', async () => {
    const { body } = await other.buyer.call('GET', '/storefront/v1/me/points/history');
    expect(body.data.items).toEqual([
      {
        historyId: expect.any(String),
        type: 'ADJUST',
        amount: 50,
        balance: 50,
        orderId: null,
        expiresAt: far,
        createdAt: expect.any(String),
      },
    ]);
    expect((await other.buyer.call('GET', '/me/points')).body.data).toMatchObject({
      balance: 50,
      expiringSoon: 0,
      lots: [{ remaining: 50 }],
    });
    const guest = await reader.buyer();
    for (const path of ['/storefront/v1/me/points', '/storefront/v1/me/points/history'])
      expect((await guest.call('GET', path)).status).toBe(401);
  });
});
