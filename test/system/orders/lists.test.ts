/** GET /v1/orders with each filter, alone and together (docs/contract.md#feeds). */
import { beforeAll, expect, test } from '@jest/globals';
import { type Paid, query, type World, world } from '../../kernel/world.ts';

let shop: World;
let shipped: Paid;
let provided: Paid;
const request = (search: string) => shop.seller.call('GET', `/v1/orders?${search}`);
const found = async (search: string) => ((await request(search)).body.data.items as { orderId: string }[]).map(({ orderId }) => orderId);
const moment = (iso: string) => encodeURIComponent(iso);
const orderedAt = async ({ orderId }: Paid) => (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data.orderedAt as string;

beforeAll(async () => {
  shop = await world();
  shipped = await shop.order();
  await shop.advance('P40D');
  provided = await shop.order(await shop.product({ fulfillment: { type: 'MANUAL' } }));
});

test('orders are found by number with hyphens or without', async () => {
  const { orderNo, orderId } = shipped;
  expect(await found(`orderNo=${orderNo}`)).toEqual([orderId]);
  expect(await found(`orderNo=${orderNo.slice(0, 6)}-${orderNo.slice(6)}`)).toEqual([orderId]);
  for (const bad of ['1', 'x', `${orderNo}1`, "1' or '1"])
    expect((await request(`orderNo=${encodeURIComponent(bad)}`)).body.error?.code).toBe('INVALID_PARAMETER');
});

test('each filter finds what it names, alone and with others', async () => {
  const both = [provided.orderId, shipped.orderId];
  const at = await orderedAt(provided);
  expect(await found('')).toEqual(both);
  expect(await found(`orderedFrom=${moment(at)}`)).toEqual([provided.orderId]);
  expect(await found(`orderedTo=${moment(at)}`)).toEqual([shipped.orderId]);
  expect(await found(`orderedFrom=${moment(await orderedAt(shipped))}&orderedTo=${moment(at)}`)).toEqual([shipped.orderId]);
  for (const { orderNo, orderId } of [shipped, provided])
    for (const part of [orderNo, orderNo.slice(0, 9), `${orderNo.slice(0, 6)}-${orderNo.slice(6, 10)}`])
      expect(await found(`keyword=${part}`)).toEqual([orderId]);
  expect(await found(`keyword=${shipped.orderNo.slice(1)}`)).toEqual([]);
  expect(await found(`keyword=${shipped.orderNo}&orderedFrom=${moment(at)}`)).toEqual([]);
  expect(await found('fulfillmentType=MANUAL')).toEqual([provided.orderId]);
  expect(await found('fulfillmentType=SHIPPING&status=PAID&testPayment=true')).toEqual([shipped.orderId]);
  expect(await found('testPayment=false')).toEqual([]);
});

test('the digits of a day find what was ordered on it, whatever day its number names', async () => {
  const { orderId, orderNo } = shipped;
  const at = Date.parse(await orderedAt(shipped));
  // As if the payment had begun before midnight.
  const [yesterday, today] = [at - 86_400_000, at].map((time) =>
    new Date(time + 9 * 3_600_000).toISOString().slice(2, 10).replaceAll('-', ''),
  );
  await query('UPDATE orders SET order_no = $2 WHERE order_id = $1', [orderId, `${yesterday}${orderNo.slice(6)}`]);
  try {
    for (const keyword of [today!, yesterday!, today!.slice(0, 4), `${yesterday}-${orderNo.slice(6, 8)}`])
      expect([keyword, await found(`keyword=${keyword}`)]).toEqual([keyword, expect.arrayContaining([orderId])]);
    expect(await found(`keyword=${today}${orderNo.slice(6, 12)}`)).toEqual([]);
  } finally {
    await query('UPDATE orders SET order_no = $2 WHERE order_id = $1', [orderId, orderNo]);
  }
});

test.each([
  'orderedFrom=2026-01-01',
  'orderedTo=2026-02-30T00:00:00',
  'orderedFrom=x',
  'testPayment=1',
  'fulfillmentType=OTHER',
  'status=WHAT',
  'keyword=abc',
])('%s: INVALID_PARAMETER', async (search) =>
  expect((await request(search)).body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: search.split('=')[0] } }),
);

test('all problems of a query are told in one answer', async () => {
  const named = await request('orderedFrom=x&testPayment=1&status=WHAT');
  expect([named.status, named.body.error?.code, named.body.error?.details]).toEqual([
    400,
    'INVALID_PARAMETER',
    { parameter: 'orderedFrom' },
  ]);
  expect(named.body.error?.fieldErrors?.map(({ field }) => field)).toEqual(['orderedFrom', 'testPayment', 'status']);
  const mixed = await request('size=0&orderedTo=x&testPayment=1');
  expect([mixed.body.error?.code, mixed.body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([
    'VALIDATION_FAILED',
    ['size', 'orderedTo', 'testPayment'],
  ]);
});
