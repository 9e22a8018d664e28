/** A held refund is let go once, whoever asks and through whatever process. */
import { beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { type Paid, query, underTest, until, type World, world } from '../../kernel/world.ts';

let shop: World;
let other: string;
beforeAll(async () => {
  shop = await world();
  other = await sharedApi();
}, 60_000);

interface Held extends Paid {
  readonly refundId: string;
}
async function held(): Promise<Held> {
  const paid = await shop.order();
  const { body } = await shop.act(paid.orderItemId, 'cancel', { reason: 'OTHER', holdRefund: true });
  return { ...paid, refundId: body.data.refundId as string };
}
const process = (refundId: string, { api = underTest.api, bearer = shop.seller.bearer, body = undefined as object | undefined } = {}) =>
  call(api, 'POST', `/v1/payments/refunds/${refundId}/process`, { headers: { authorization: `Bearer ${bearer}` }, body });
const statusOf = async (refundId: string) =>
  (await query<{ status: string }>('SELECT status FROM refund WHERE refund_id = $1', [refundId]))[0]!.status;
const untilIs = (refundId: string, status: string) => until(status, async () => (await statusOf(refundId)) === status, 30_000);
const cancelsOf = async (orderNo: string): Promise<unknown[]> => {
  const all = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as { orderId: string; cancels: unknown[] }[];
  return all.find(({ orderId }) => orderId === `${orderNo}-01`)!.cancels;
};

test('the answer is the refund, which is pending now; what is done is not held', async () => {
  const { refundId, orderId, orderItemId } = await held();
  const { status, body } = await process(refundId, { body: {} });
  expect([status, body.data]).toMatchObject([200, { refundId, orderId, orderItemId, amount: 13_000, status: 'PENDING', settledAt: null }]);
  await untilIs(refundId, 'DONE');
  expect((await process(refundId)).body.error?.code).toBe('REFUND_NOT_HELD');
});

test('of twenty requests through two processes one lets it go, and the provider pays back once', async () => {
  for (let round = 0; round < 3; round++) {
    const { refundId, orderNo } = await held();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => process(refundId, { api: i % 2 === 0 ? underTest.api : other })),
    );
    const codes = replies.map(({ status, body }) => body.error?.code ?? status);
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => code === 'REFUND_NOT_HELD')).toHaveLength(19);
    await untilIs(refundId, 'DONE');
    expect(await cancelsOf(orderNo)).toHaveLength(1);
  }
}, 120_000);

test('one that the provider refuses has failed, and is not held again', async () => {
  const { refundId, orderNo } = await held();
  await call(underTest.simulator, 'POST', '/__sim/next', { body: { op: 'cancel', behavior: 'refuse', orderId: `${orderNo}-01` } });
  expect((await process(refundId)).status).toBe(200);
  await untilIs(refundId, 'FAILED');
  expect([(await process(refundId)).body.error?.code, await statusOf(refundId)]).toEqual(['REFUND_NOT_HELD', 'FAILED']);
});

test('another store’s is none, and no field is taken', async () => {
  const { refundId } = await held();
  const theirs = await world();
  expect((await process(refundId, { bearer: theirs.seller.bearer })).body.error?.code).toBe('REFUND_NOT_FOUND');
  expect((await process('rfd_x')).body.error?.code).toBe('REFUND_NOT_FOUND');
  expect((await process(refundId, { body: { amount: 1 } })).body.error?.fieldErrors).toMatchObject([
    { field: 'amount', code: 'UNKNOWN_FIELD' },
  ]);
  expect(await statusOf(refundId)).toBe('HELD');
});
