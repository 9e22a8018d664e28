/** Totals of product lists are counted as products change, and are always what there is. */
import { expect, test } from '@jest/globals';
import { SALES_STATUSES } from '../../../domain/products/rules.ts';
import { call } from '../../../bin/dev/client.ts';
import { query, underTest, world } from '../../kernel/world.ts';

test('totals by status hold after every kind of change', async () => {
  const shop = await world();
  const { storeId, storeCode } = shop.store;
  const products = await Promise.all(Array.from({ length: 8 }, () => shop.product()));
  const ids = products.map(({ productId }) => productId);
  const patch = (n: number, body: object) => shop.seller.call('PATCH', `/v1/products/${ids[n]!}`, body);
  await patch(0, { status: 'ENDED' });
  await patch(1, { name: '이름만' });
  expect((await patch(2, { status: 'STOPPED', flowId: 'flw_none' })).status).toBe(404);
  await shop.seller.call('POST', '/v1/products/bulk/status', { productIds: ids.slice(3, 6), status: 'SOLD_OUT' });
  expect((await shop.seller.call('DELETE', `/v1/products/${ids[5]!}`)).status).toBe(200);
  expect((await shop.seller.call('DELETE', `/v1/products/${ids[6]!}`)).status).toBe(200);
  const total = async (filter: string) => (await shop.seller.call('GET', `/v1/products?size=1${filter}`)).body.data.total as number;
  const shown = async () =>
    (await call(underTest.api, 'GET', '/storefront/v1/products?size=1', { headers: { 'x-store-code': storeCode } })).body.data.total;
  const byStatus = Object.fromEntries(await Promise.all(SALES_STATUSES.map(async (status) => [status, await total(`&status=${status}`)])));
  expect([await total(''), byStatus, await shown()]).toEqual([6, { ON_SALE: 3, SOLD_OUT: 2, STOPPED: 0, ENDED: 1 }, 3]);
  // What is counted is what is answered: rows that no change made are not. Another filter counts what it finds.
  await query(`UPDATE list_count SET n = n + 1000 WHERE store_id = $1 AND list = 'product' AND status = 'ON_SALE'`, [storeId]);
  expect([await total(''), await shown(), await total(`&keyword=${encodeURIComponent('머플러')}`)]).toEqual([1006, 1003, 5]);
});

test('two requests that change the same products crosswise in bulk both go through', async () => {
  const shop = await world();
  const ids = (await Promise.all(Array.from({ length: 12 }, () => shop.product()))).map(({ productId }) => productId);
  const [left, right] = [ids.slice(0, 6), ids.slice(6)];
  const set = (productIds: readonly string[], status: string) =>
    shop.seller.call('POST', '/v1/products/bulk/status', { productIds, status });
  for (const [one, other] of [
    ['ENDED', 'STOPPED'],
    ['STOPPED', 'ENDED'],
    ['SOLD_OUT', 'ON_SALE'],
    ['ON_SALE', 'SOLD_OUT'],
  ] as const) {
    const replies = await Promise.all([set(left, one), set(right, other), set(left.slice(3), other), set(right.slice(3), one)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  }
  const totals = await query<{ n: number }>(
    `SELECT (SELECT count(*) FROM product p WHERE p.store_id = c.store_id AND p.status = c.status)::int - n::int AS n FROM list_count c
     WHERE store_id = $1 AND list = 'product'`,
    [shop.store.storeId],
  );
  expect(totals.every(({ n }) => n === 0)).toBe(true);
});
