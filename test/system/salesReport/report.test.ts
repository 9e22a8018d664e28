/** The sales report and the list of payments of a shop that sells, cancels and holds back (docs/contract.md#sales-report). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Reply } from '../../../bin/dev/client.ts';
import { koreanDate } from '../../../domain/kernel/time.ts';
import { type Paid, query, underTest, until, type World, world } from '../../kernel/world.ts';

let shop: World;
/** Paid forty days before the others; a part of it went back afterwards, a part is held. */
let old: Paid;
let bought: Paid;
/** Started and not paid. */
let pending: string;
let today: string;
let paidOn: string;

const get = (path: string): Promise<Reply> => shop.seller.call('GET', path);
const data = async (path: string) => {
  const { status, body } = await get(path);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
};
const ids = async (search: string): Promise<string[]> =>
  ((await data(`/v1/payments?${search}`)).items as { paymentId: string }[]).map(({ paymentId }) => paymentId);
const tests = 'includeTest=true';
const clock = async () => Date.parse((await data('/v1/sandbox/clock')).now as string);

beforeAll(async () => {
  shop = await world();
  const product = await shop.product({ fulfillment: { type: 'MANUAL' } });
  old = await shop.order(product, 3);
  paidOn = koreanDate(await clock());
  await shop.advance('P40D');
  const cancel = async (more: object) => {
    const { status, body } = await shop.act(old.orderItemId, 'cancel', { reason: 'OTHER', quantity: 1, ...more });
    expect([status, body.error]).toEqual([200, null]);
  };
  await cancel({});
  await cancel({ holdRefund: true });
  await until('refunded', async () => (await query(`SELECT 1 FROM refund WHERE payment_id = $1 AND status = 'DONE'`, [old.paymentId]))[0]);
  bought = await shop.order(product);
  ({ paymentId: pending } = await shop.payment(product));
  today = koreanDate(await clock());
}, 120_000);

describe('the list of payments', () => {
  test('has every payment of the last 30 days, the newest start first, those without an order too', async () => {
    const { items, ...page } = await data(`/v1/payments?${tests}`);
    expect(page).toEqual({ page: 1, size: 20, total: 2 });
    expect(items).toMatchObject([
      {
        paymentId: pending,
        status: 'pending',
        result: 'PENDING',
        orderId: null,
        orderNo: null,
        pg: 'tosspayments',
        method: 'CARD',
        completedAt: null,
      },
      {
        paymentId: bought.paymentId,
        status: 'completed',
        result: 'COMPLETED',
        orderId: bought.orderId,
        orderNo: bought.orderNo,
        pg: 'tosspayments',
        method: 'CARD',
        amounts: { totalAmount: 10_000 },
        testPayment: true,
        refundedAmount: 0,
        heldRefundAmount: 0,
      },
    ]);
    expect([await ids(`${tests}&size=1`), await ids(`${tests}&size=1&page=2`)]).toEqual([[pending], [bought.paymentId]]);
    expect((await data(`/v1/payments?${tests}&page=7`)) as object).toEqual({ items: [], page: 7, size: 20, total: 2 });
  });
  test('shows tests only where they are wanted; the detail shows any payment', async () => {
    expect([await ids(''), await ids('includeTest=false')]).toEqual([[], []]);
    const detail = await data(`/v1/payments/${old.paymentId}`);
    expect(detail).toMatchObject({
      orderNo: old.orderNo,
      pg: 'tosspayments',
      method: 'CARD',
      refundedAmount: 10_000,
      heldRefundAmount: 10_000,
      attempts: [{ status: 'APPROVED', pg: 'tosspayments' }],
    });
    expect((detail.refunds as { status: string }[]).map(({ status }) => status)).toEqual(['DONE', 'HELD']);
    expect(await data(`/v1/payments/${pending}`)).toMatchObject({ orderNo: null, attempts: [{ status: 'OPEN' }], refunds: [] });
    const [listed] = (await data(`/v1/payments?${tests}&from=${paidOn}&to=${paidOn}`)).items;
    const { attempts: _, refunds: _refunds, ...record } = detail;
    expect(listed).toEqual(record);
  });
  test('what is held is found at all times, unless there is a period', async () => {
    expect(await ids(`${tests}&refundHeld=true`)).toEqual([old.paymentId]);
    expect(await ids('refundHeld=true')).toEqual([]);
    for (const period of [`from=${today}`, `to=${today}`, `from=${today}&to=${today}`])
      expect(await ids(`${tests}&refundHeld=true&${period}`)).toEqual([]);
    expect(await ids(`${tests}&refundHeld=false`)).toEqual([pending, bought.paymentId]);
  });
  test.each<[string, () => (string | undefined)[]]>([
    ['status=completed', () => [bought.paymentId]],
    ['status=pending,completed', () => [pending, bought.paymentId]],
    ['status=failed,expired', () => []],
    ['pg=tosspayments', () => [pending, bought.paymentId]],
    ['pg=portone', () => []],
    ['pg=portone,tosspayments', () => [pending, bought.paymentId]],
    ['method=CARD', () => [pending, bought.paymentId]],
    ['method=POINT,MOBILE', () => []],
    ['status=completed&pg=tosspayments&method=CARD', () => [bought.paymentId]],
  ])('%s', async (filter, expected) => expect(await ids(`${tests}&${filter}`)).toEqual(expected()));
  test('an order number is exact, its hyphens aside', async () => {
    const number = bought.orderNo;
    expect(await ids(`${tests}&orderNo=${number}`)).toEqual([bought.paymentId]);
    expect(await ids(`${tests}&orderNo=${number.slice(0, 6)}-${number.slice(6)}`)).toEqual([bought.paymentId]);
    expect(await ids(`${tests}&orderNo=99999999999999`)).toEqual([]);
  });
  test.each(['status=PAID', 'status=completed,', 'pg=toss', 'method=card', 'orderNo=1', 'includeTest=yes', 'refundHeld=1'])(
    '%s is INVALID_PARAMETER',
    async (parameter) => {
      const { status, body } = await get(`/v1/payments?${parameter}`);
      expect([status, body.error?.code, body.error?.details]).toEqual([400, 'INVALID_PARAMETER', { parameter: parameter.split('=')[0] }]);
    },
  );
});

const REPORT = '/v1/sales-report';
const none = { paymentCount: 0, paymentAmount: 0, pointAmount: 0, refundCount: 0, refundAmount: 0, netAmount: 0 };
describe('the sales report', () => {
  const by = { pg: 'tosspayments', method: 'CARD' };
  test('counts a payment on the day of its approval and a refund on the day it went back', async () => {
    const { rows, totals, ...period } = await data(`${REPORT}?${tests}&from=${paidOn}&to=${today}`);
    expect(period).toEqual({ from: paidOn, to: today, groupBy: 'DAY' });
    expect(rows).toEqual([
      { ...none, ...by, period: paidOn, paymentCount: 1, paymentAmount: 30_000, netAmount: 30_000 },
      { ...none, ...by, period: today, paymentCount: 1, paymentAmount: 10_000, refundCount: 1, refundAmount: 10_000 },
    ]);
    expect(totals).toEqual({ ...none, paymentCount: 2, paymentAmount: 40_000, refundCount: 1, refundAmount: 10_000, netAmount: 30_000 });
  });
  test('is of the last 30 days, and without tests', async () => {
    const shown = await data(REPORT);
    expect(shown).toEqual({ from: koreanDate(Date.parse(today) - 29 * 86_400_000), to: today, groupBy: 'DAY', totals: none, rows: [] });
    expect((await data(`${REPORT}?${tests}`)).totals).toMatchObject({ paymentCount: 1, refundCount: 1, netAmount: 0 });
  });
  test('by month', async () => {
    const { rows, totals } = await data(`${REPORT}?${tests}&from=${paidOn}&to=${today}&groupBy=MONTH`);
    expect((rows as { period: string }[]).map(({ period }) => period)).toEqual([paidOn.slice(0, 7), today.slice(0, 7)]);
    expect(totals).toMatchObject({ paymentAmount: 40_000, netAmount: 30_000 });
  });
  test('of some providers and methods: totals are of the rows that are shown', async () => {
    const of = async (filter: string) => (await data(`${REPORT}?${tests}&${filter}`)).totals as object;
    expect(await of('pg=portone')).toEqual(none);
    expect(await of('pg=portone,tosspayments&method=CARD,POINT')).toMatchObject({ paymentCount: 1 });
    expect(await of('method=EASY_PAY')).toEqual(none);
  });
  test('all that is wrong with a request is reported at once', async () => {
    const bad = 'from=2026-13-01&to=yesterday&groupBy=WEEK&pg=toss&method=card&includeTest=1';
    const { status, body } = await get(`${REPORT}?${bad}`);
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.error!.fieldErrors!.map(({ field }) => field)).toEqual(['from', 'to', 'groupBy', 'pg', 'method', 'includeTest']);
  });
  test.each([
    [`${REPORT}?from=2026-02-02&to=2026-02-01`, 'reversed'],
    [`${REPORT}?from=2025-01-01&to=2026-01-02`, '367 days'],
    ['/v1/payments?from=2026-02-02&to=2026-02-01', 'reversed'],
    ['/v1/payments?from=2026-01-01&to=2026-04-03', '93 days'],
    ['/v1/payments?to=1899-12-31', 'no day of ours'],
  ])('%s is VALIDATION_FAILED: %s', async (path) => {
    const { status, body } = await get(path);
    expect([status, body.error?.code, body.error?.fieldErrors!.map(({ field }) => field)]).toEqual([400, 'VALIDATION_FAILED', ['to']]);
  });
  test.each([`${REPORT}?from=2025-01-01&to=2026-01-01`, '/v1/payments?from=2026-01-01&to=2026-04-02', `${REPORT}?to=1900-01-01`])(
    '%s is a period',
    async (path) => expect((await get(path)).status).toBe(200),
  );
});

test('the short forms are the same operations, and what follows a payment’s id is the shop’s', async () => {
  expect(await data(`/sales-report?${tests}`)).toEqual(await data(`${REPORT}?${tests}`));
  expect(await data(`/payments?${tests}`)).toEqual(await data(`/v1/payments?${tests}`));
  const known = await call(underTest.api, 'GET', `/payments/${bought.paymentId}`);
  expect(known.body.data).toMatchObject({ paymentId: bought.paymentId, orderNo: bought.orderNo });
  expect(known.body.data).not.toHaveProperty('attempts');
});
