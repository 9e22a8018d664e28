import { expect, test } from '@jest/globals';
import { world } from '../../kernel/world.ts';

test('a bulk command has a result for each of at most 100 items', async () => {
  const own = await world();
  const product = await own.product();
  const ids = (await Promise.all([1, 2, 3].map(() => own.order(product)))).map(({ orderItemId }) => orderItemId);
  await own.act(ids[0]!, 'confirm');
  const bulk = (action: string, body: object, key?: string) =>
    own.seller.call('POST', `/v1/order-items/${action}`, body, key === undefined ? {} : { 'idempotency-key': key });
  const confirm = () => bulk('confirm', { orderItemIds: [...ids, 'oit_x'] }, 'bulk');
  const first = await confirm();
  expect([first.status, first.body.data.succeeded, first.body.data.failed]).toEqual([200, 2, 2]);
  expect(first.body.data.results.map((r: { id: string; code: string }) => [r.id, r.code])).toEqual([
    [ids[0], 'INVALID_STATUS'],
    [ids[1], 'OK'],
    [ids[2], 'OK'],
    ['oit_x', 'ORDER_ITEM_NOT_FOUND'],
  ]);
  const again = await confirm();
  expect([again.body.data, again.headers.get('idempotent-replayed')]).toEqual([first.body.data, 'true']);
  const wrong = await bulk('dispatch', { items: [{ orderItemId: ids[0], deliveryMethod: 'COURIER', carrierCode: 'NOPE' }] });
  expect(wrong.body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual(['items[0].carrierCode', 'items[0].trackingNumber']);
  expect((await bulk('confirm', { orderItemIds: [] })).status).toBe(400);
  expect((await bulk('confirm', { orderItemIds: Array.from({ length: 101 }, () => 'x') })).status).toBe(400);
  const items = ids.map((orderItemId) => ({ orderItemId, deliveryMethod: 'NONE' }));
  expect((await bulk('dispatch', { items })).body.data).toMatchObject({ succeeded: 3, failed: 0 });
  expect((await bulk('delivered', { orderItemIds: ids })).body.data).toMatchObject({ succeeded: 3, failed: 0 });
  expect((await bulk('fulfill', { orderItemIds: ids })).body.data.results[0]).toMatchObject({
    isSuccess: false,
    code: 'SHIPPING_REQUIRED',
  });
});
