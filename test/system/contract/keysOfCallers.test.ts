/** A caller has one set of idempotency keys, whatever operation, process or workflow they reach. */
import { describe, expect, test } from '@jest/globals';
import type { Reply } from '../../../bin/dev/client.ts';
import { query, type World, world } from '../../kernel/world.ts';

const REUSED = [409, 'IDEMPOTENCY_KEY_REUSED'];
const outcomeOf = ({ status, body }: Reply) => [status, body.error?.code ?? null];
/** Two requests of a caller, made in turn under one key: the second is refused, and the first is told again. */
async function eachInTurn(first: (key: string) => Promise<Reply>, second: (key: string) => Promise<Reply>): Promise<void> {
  const done = await first('one');
  expect(done.status).toBeLessThan(300);
  expect(outcomeOf(await second('one'))).toEqual(REUSED);
  const again = await first('one');
  expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([done.status, 'true', done.body.data]);
}
const headers = (key: string) => ({ 'idempotency-key': key });

describe('a seller', () => {
  const here = (shop: World) => (key: string) => shop.seller.call('POST', '/v1/categories', { name: '모자' }, headers(key));
  const cancel = (shop: World, orderItemId: string) => (key: string) =>
    shop.seller.call('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OTHER' }, headers(key));
  test('has one key for a change here and a command to a run', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    await eachInTurn(here(shop), cancel(shop, orderItemId));
  });
  test('and the reverse', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    await eachInTurn(cancel(shop, orderItemId), here(shop));
  });
  test('for every change that the document names the header at', async () => {
    const shop = await world();
    const { productId } = await shop.product();
    const patch = (name: string) => (key: string) => shop.seller.call('PATCH', `/v1/products/${productId}`, { name }, headers(key));
    await eachInTurn(here(shop), patch('a'));
    expect((await patch('b')('two')).status).toBe(200);
    expect(outcomeOf(await patch('c')('two'))).toEqual(REUSED);
    expect((await patch('b')('two')).headers.get('idempotent-replayed')).toBe('true');
    expect((await patch('b')('x'.repeat(300))).body.error).toMatchObject({ fieldErrors: [{ field: 'Idempotency-Key' }] });
    expect((await shop.seller.call('GET', `/v1/products/${productId}`)).body.data.name).toBe('b');
  });
  test('for a bulk, too', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    const bulk = (key: string) => shop.seller.call('POST', '/v1/order-items/confirm', { orderItemIds: [orderItemId] }, headers(key));
    const done = await bulk('one');
    expect(done.status).toBe(200);
    expect(outcomeOf(await here(shop)('one'))).toEqual(REUSED);
    expect(outcomeOf(await here(shop)('two'))).toEqual([201, null]);
    expect(outcomeOf(await bulk('two'))).toEqual(REUSED);
  });
  test('for an agent’s change that waits for its approval', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    const agent = { 'x-svc-agent': 'test' };
    const filed = await shop.seller.call(
      'POST',
      `/v1/order-items/${orderItemId}/cancel`,
      { reason: 'OTHER' },
      { ...headers('one'), ...agent },
    );
    expect(filed.status).toBe(202);
    const create = (key: string, more = {}) => shop.seller.call('POST', '/v1/categories', { name: '모자' }, { ...headers(key), ...more });
    expect(outcomeOf(await create('one', agent))).toEqual(REUSED);
    // Without an agent it is another caller.
    expect(outcomeOf(await create('one'))).toEqual([201, null]);
  });
  test('whose first request was refused', async () => {
    const shop = await world();
    const { orderItemId } = await shop.order();
    const refused = (key: string) => shop.seller.call('POST', '/v1/categories', { name: 'c', parentId: 'cat_x' }, headers(key));
    expect((await refused('one')).status).toBe(404);
    expect(outcomeOf(await cancel(shop, orderItemId)('one'))).toEqual(REUSED);
    expect((await refused('one')).headers.get('idempotent-replayed')).toBe('true');
  });
  test('whose key was stored before keys had one form is told the same again', async () => {
    const shop = await world();
    const done = await here(shop)('older');
    await query(`UPDATE operation SET key = 'older' WHERE store_id = $1 AND operation_id = 'categories.create'`, [shop.store.storeId]);
    const again = await here(shop)('older');
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([201, 'true', done.body.data]);
    expect(outcomeOf(await shop.seller.call('POST', '/v1/categories', { name: '양말' }, headers('older')))).toEqual(REUSED);
  });
});

describe('a guest', () => {
  test('has one key for a checkout and the payment that it leads to', async () => {
    const shop = await world();
    const { productId } = await shop.product();
    const buyer = await shop.buyer();
    const checkout = (key: string) => buyer.call('POST', '/storefront/v1/checkout', { items: [{ productId, quantity: 1 }] }, headers(key));
    const done = await checkout('one');
    expect(done.status).toBe(201);
    const add = (key: string) => buyer.call('POST', '/storefront/v1/cart/items', { productId, quantity: 1 }, headers(key));
    const start = (key: string) => buyer.start(done.body.data.checkoutId as string, {}, headers(key));
    expect(outcomeOf(await start('one'))).toEqual(REUSED);
    expect(outcomeOf(await start('two'))).toEqual([200, null]);
    expect(outcomeOf(await add('two'))).toEqual(REUSED);
    expect(outcomeOf(await add('one'))).toEqual(REUSED);
    expect(outcomeOf(await add('three'))).toEqual([201, null]);
    // Another guest's keys are their own.
    const other = await shop.buyer();
    expect(outcomeOf(await other.call('POST', '/storefront/v1/cart/items', { productId, quantity: 1 }, headers('one')))).toEqual([
      201,
      null,
    ]);
  });
});

test('a member has one key for their cart and a command to the run of what they bought', async () => {
  const shop = await world();
  const { productId } = await shop.product();
  const member = await shop.member();
  const { orderItemId } = await shop.order({ productId }, 1, member);
  const add = (key: string) => member.call('POST', '/storefront/v1/cart/items', { productId, quantity: 1 }, headers(key));
  const extend = (key: string) => member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/extend`, {}, headers(key));
  expect(outcomeOf(await add('one'))).toEqual([201, null]);
  expect(outcomeOf(await extend('one'))).toEqual(REUSED);
  // Not delivered yet: the refusal is stored, and its key is used.
  expect((await extend('two')).status).toBe(409);
  expect(outcomeOf(await add('two'))).toEqual(REUSED);
});
