/** Totals of order lists are counted as orders change, and are always what there is. */
import { expect, test } from '@jest/globals';
import { PUBLIC_STATUSES } from '../../../domain/flows/graph/status.ts';
import { query, world } from '../../kernel/world.ts';

test('totals by status hold after every kind of change', async () => {
  const shop = await world();
  const product = await shop.product();
  const bought = await Promise.all([1, 2, 3, 4].map(() => shop.order(product)));
  await Promise.all(bought.slice(0, 3).map(({ orderItemId }) => shop.act(orderItemId, 'confirm')));
  await shop.act(bought[0]!.orderItemId, 'dispatch', { deliveryMethod: 'NONE' });
  await shop.act(bought[1]!.orderItemId, 'cancel', { reason: 'OTHER' });
  expect((await shop.act(bought[1]!.orderItemId, 'confirm')).status).toBe(409);
  const { storeId } = shop.store;
  for (const [path, table, column] of [
    ['/v1/orders', 'orders', 'progress_status'],
    ['/v1/order-items', 'order_item', 'status'],
  ] as const) {
    const total = async (filter: string) => (await shop.seller.call('GET', `${path}?size=1${filter}`)).body.data.total as number;
    expect([path, await total('')]).toEqual([path, 4]);
    for (const status of PUBLIC_STATUSES) {
      const [{ n }] = (await query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE store_id = $1 AND ${column} = $2`, [
        storeId,
        status,
      ])) as [{ n: number }];
      expect([path, status, await total(`&status=${status}`)]).toEqual([path, status, n]);
    }
    expect(await total('&testPayment=true')).toBe(4);
    expect(await total('&testPayment=false')).toBe(0);
  }
  // What is counted is what is answered: rows that no change made are not.
  await query(`UPDATE list_count SET n = n + 1000 WHERE store_id = $1 AND list = 'orders' AND status = 'DISPATCHED'`, [storeId]);
  expect((await shop.seller.call('GET', '/v1/orders?size=1')).body.data.total).toBe(1004);
});
