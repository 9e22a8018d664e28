import { describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { query, underTest, until, type World, world, makeStore } from '../../kernel/world.ts';
import { Seller } from '../../../bin/dev/client.ts';

const shipped = async (shop: World, days: object = {}) => {
  if (Object.keys(days).length > 0) await shop.seller.call('PATCH', '/v1/store', days);
  const { orderItemId } = await shop.order();
  await shop.act(orderItemId, 'confirm');
  await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'NONE' });
  return orderItemId;
};
const steps = (orderItemId: string) =>
  query<{ at: Date; trace: { edges: string[] }[] }>('SELECT at, trace FROM flow_step WHERE order_item_id = $1 ORDER BY seq', [orderItemId]);
const relative = async (orderItemId: string) => {
  const rows = await steps(orderItemId);
  const dispatched = rows[2]!.at.getTime();
  return rows.slice(3).flatMap((row) => row.trace.map(({ edges }) => [edges[0], Math.round((row.at.getTime() - dispatched) / 1000)]));
};

describe('the sandbox clock', () => {
  test('one P20D ends exactly like twenty P1D: each thing at its own time', async () => {
    const [one, many] = await Promise.all([world(), world()]);
    const [a, b] = [await shipped(one), await shipped(many)];
    await one.advance('P20D');
    for (let day = 0; day < 20; day++) expect(await many.advance('P1D')).toMatchObject({ settled: true });
    expect(await relative(a)).toEqual([
      ['shipping:@autoDeliver', 7 * 86_400],
      ['delivered:@autoDecide', 14 * 86_400],
    ]);
    expect(await relative(b)).toEqual(await relative(a));
  });
  test('concurrent advances of one store queue: their days add up', async () => {
    const shop = await world();
    const before = Date.parse((await shop.seller.call('GET', '/v1/sandbox/clock')).body.data.now as string);
    await Promise.all(Array.from({ length: 5 }, () => shop.advance('P1D')));
    const after = Date.parse((await shop.seller.call('GET', '/v1/sandbox/clock')).body.data.now as string);
    expect(Math.round((after - before) / 86_400_000)).toBe(5);
  });
  test.each([
    [{ advance: 'P401D' }, 400],
    [{ advance: 'P1M' }, 400],
    [{ to: '2020-01-01T00:00:00+09:00' }, 400],
    [{ to: '2099-01-01T00:00:00+09:00' }, 400],
    [{ to: '2026-12-01T00:00:00' }, 400],
    [{}, 400],
    [{ advance: 'P1D', to: '2026-12-01T00:00:00+09:00' }, 400],
    [{ advance: 'PT0S' }, 200],
  ])('%j answers %i', async (body, status) => {
    const shop = await world();
    expect((await shop.seller.call('POST', '/v1/sandbox/clock', body)).status).toBe(status);
  });
  test('moves what belongs to the store, not its tokens', async () => {
    const shop = await world();
    const buyer = await shop.buyer();
    const { productId } = await shop.product();
    await shop.advance('P31D');
    expect((await buyer.checkout(productId)).status).toBe(401);
    const { orderNo } = await shop.order({ productId });
    const { body } = await shop.seller.call('GET', '/v1/sandbox/clock');
    expect(orderNo.slice(0, 6)).toBe((body.data.now as string).slice(2, 10).replaceAll('-', ''));
    const real = await makeStore({
      code: `real${Date.now().toString(36)}`,
      name: 'r',
      sandbox: false,
      withProduct: false,
    });
    const seller = await Seller.login(underTest.api, real);
    expect((await seller.call('POST', '/v1/sandbox/clock', { advance: 'P1D' })).status).toBe(404);
    expect((await call(underTest.api, 'GET', '/v1/sandbox/clock', { headers: { authorization: `Bearer ${seller.bearer}` } })).status).toBe(
      404,
    );
  });
  test('a refund of a store that is days ahead is not given up when its first answer is lost', async () => {
    const shop = await world();
    await shop.advance('P3D');
    const { orderItemId, orderId } = await shop.order(undefined, 2);
    const [paid] = await query<{ pg_order_id: string; payment_id: string }>(
      'SELECT pg_order_id, payment_id FROM payment_attempt JOIN orders USING (payment_id) WHERE order_id = $1',
      [orderId],
    );
    // The refund starts a run anew, which knows no offset yet.
    await until(
      'the run of the payment is over',
      async () => (await query('SELECT 1 FROM run WHERE entity_id = $1 AND done_at IS NOT NULL', [paid!.payment_id])).length === 1,
    );
    await call(underTest.simulator, 'POST', '/__sim/next', { body: { op: 'cancel', behavior: 'drop', orderId: paid!.pg_order_id } });
    const canceled = await shop.act(orderItemId, 'cancel', { reason: 'OTHER', quantity: 1 });
    const { refundId } = canceled.body.data as { refundId: string };
    const status = await until('the refund ends', async () => {
      const [refund] = await query<{ status: string }>('SELECT status FROM refund WHERE refund_id = $1', [refundId]);
      return refund!.status !== 'PENDING' && refund!.status;
    });
    expect(status).toBe('DONE');
  });
});
