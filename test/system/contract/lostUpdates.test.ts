/** Changes that meet: every request reads, merges and writes under a lock, so that no answer of 200 is undone by a neighbour. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { call, type Reply } from '../../../bin/dev/client.ts';
import { storeToken } from '../../kernel/login.ts';
import { query, underTest, until, type World, world, seedMembers } from '../../kernel/world.ts';

let shop: World;
let send: (method: string, path: string, body?: unknown) => Promise<Reply>;
let holder: pg.Client;

beforeAll(async () => {
  shop = await world();
  const { storeId, storeCode } = shop.store;
  const email = `owner@${storeCode}.example`;
  await seedMembers(storeId, [{ role: 'OWNER', email }]);
  const headers = { authorization: `Bearer ${await storeToken(email, storeId)}` };
  send = (method, path, body) => call(underTest.api, method, path, { body, headers });
  holder = new pg.Client({ connectionString: underTest.databaseUrl });
  await holder.connect();
});
afterAll(() => holder.end());

interface Meeting {
  readonly table: string;
  readonly id: string;
  readonly row: string;
  readonly method: string;
  readonly path: string;
  readonly bodies: readonly [object, object];
}
/**
 * Both requests at once: the row is held until both wait for something, so that each has read all that it reads without a lock.
 * Answers what the address reads like afterwards.
 */
async function meet({ table, id, row, method, path, bodies }: Meeting): Promise<void> {
  await holder.query('BEGIN');
  await holder.query(`SELECT 1 FROM ${table} WHERE store_id = $1 AND ${id} = $2 FOR UPDATE`, [shop.store.storeId, row]);
  const sent = Promise.all(bodies.map((body) => send(method, path, body)));
  await until('both wait', async () => {
    const [waiting] = await query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
       AND state = 'active'`,
    );
    return waiting!.n >= 2;
  });
  await holder.query('ROLLBACK');
  expect((await sent).map(({ status, body }) => [status, body.error?.code])).toEqual([
    [200, undefined],
    [200, undefined],
  ]);
}

describe('parallel changes of different fields keep both', () => {
  test('of a store’s settings', async () => {
    await meet({
      table: 'store',
      id: 'store_id',
      row: shop.store.storeId,
      method: 'PATCH',
      path: '/v1/store',
      bodies: [
        { refundPolicy: { returnDeliveryFee: 1100 }, autoDeliverDays: 3, shippingPolicy: { jejuSurcharge: 2100 } },
        { refundPolicy: { exchangeDeliveryFee: 2200 }, autoConfirmDays: 4, shippingPolicy: { isolatedSurcharge: 4100 } },
      ],
    });
    expect((await send('GET', '/v1/store')).body.data).toMatchObject({
      refundPolicy: { returnDeliveryFee: 1100, exchangeDeliveryFee: 2200 },
      shippingPolicy: { jejuSurcharge: 2100, isolatedSurcharge: 4100 },
      autoDeliverDays: 3,
      autoConfirmDays: 4,
    });
  });
  test('of a product', async () => {
    const { productId } = await shop.product();
    await meet({
      table: 'product',
      id: 'product_id',
      row: productId,
      method: 'PATCH',
      path: `/v1/products/${productId}`,
      bodies: [
        { refundPolicy: { returnDeliveryFee: 1100 }, fulfillment: { shipping: { deliveryFee: 3000, deliveryType: 'PAID' } } },
        { refundPolicy: { exchangeDeliveryFee: 2200 }, name: '새 이름' },
      ],
    });
    expect((await send('GET', `/v1/products/${productId}`)).body.data).toMatchObject({
      name: '새 이름',
      refundPolicy: { returnDeliveryFee: 1100, exchangeDeliveryFee: 2200 },
      fulfillment: { shipping: { deliveryFee: 3000 } },
    });
  });
  test('a category', async () => {
    const make = async (name: string) => (await send('POST', '/v1/categories', { name })).body.data.categoryId as string;
    const [row, parentId] = [await make('a'), await make('b')];
    const path = `/v1/categories/${row}`;
    await meet({ table: 'category', id: 'category_id', row, method: 'PATCH', path, bodies: [{ name: 'c' }, { parentId }] });
    expect((await send('GET', path)).body.data).toMatchObject({ name: 'c', parentId, depth: 2 });
  });
});

describe('of two parallel replacements one holds whole', () => {
  const replaced = async (created: Reply, id: string, meeting: Omit<Meeting, 'row' | 'method' | 'id'>, list: string) => {
    const row = created.body.data[id] as string;
    await meet({
      ...meeting,
      row,
      method: 'PUT',
      id: id.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
      path: `${meeting.path}/${row}`,
    });
    const { items } = (await send('GET', list)).body.data as { items: Record<string, unknown>[] };
    const now = items.find((item) => item[id] === row);
    const holds = meeting.bodies.filter((body) =>
      Object.entries(body).every(([key, value]) => JSON.stringify(now?.[key]) === JSON.stringify(value)),
    );
    expect(holds).toHaveLength(1);
  };
  test('an address', async () => {
    const path = '/v1/seller-addresses';
    const first = { type: 'SHIPPING', name: 'n', receiver: 'r', mobile: '010-1111-2222', zipCode: '06236', address: 'a' };
    const bodies = [
      { ...first, name: 'other' },
      { ...first, address: 'other' },
    ] as const;
    await replaced(await send('POST', path, first), 'addressId', { table: 'seller_address', path, bodies }, path);
  });
  test('a pickup location', async () => {
    const path = '/v1/pickup-locations';
    const first = { name: 'n', address: 'a', contact: 'c' };
    const bodies = [
      { ...first, name: 'other' },
      { ...first, address: 'other' },
    ] as const;
    await replaced(await send('POST', path, first), 'pickupLocationId', { table: 'pickup_location', path, bodies }, path);
  });
  test('a webhook', async () => {
    const path = '/v1/webhooks';
    const first = { url: 'http://127.0.0.1:9/x', eventTypes: ['ORDER.PAID'] };
    const bodies = [
      { ...first, url: 'http://127.0.0.1:9/y' },
      { ...first, eventTypes: ['ORDER.CANCELED'] },
    ] as const;
    await replaced(await send('POST', path, first), 'webhookId', { table: 'webhook', path, bodies }, path);
  });
});

test('a quantity that changes while its cart goes to a member is not lost', async () => {
  const { productId } = await shop.product();
  const guest = await shop.buyer();
  const added = await guest.call('POST', '/storefront/v1/cart/items', { productId, quantity: 2 });
  const { cartItemId } = added.body.data.items[0] as { cartItemId: string };
  const member = await shop.member();
  await member.call('POST', '/storefront/v1/cart/items', { productId, quantity: 1 });
  const [{ email } = { email: '' }] = await query<{ email: string }>('SELECT email FROM customer WHERE store_id = $1', [
    shop.store.storeId,
  ]);
  // Whoever comes first, the sum is of one moment: 1 and 2, or 1 and 5; and the change is refused or counted.
  await holder.query('BEGIN');
  await holder.query('UPDATE cart_item SET quantity = 5 WHERE store_id = $1 AND cart_item_id = $2', [shop.store.storeId, cartItemId]);
  const body = { email, password: 'correct-horse', cartToken: guest.headers['x-cart-token'] };
  const login = call(underTest.api, 'POST', '/storefront/v1/auth/login', { body, headers: { 'x-store-code': shop.store.storeCode } });
  await until('the login waits', async () => {
    const [waiting] = await query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
       AND state = 'active'`,
    );
    return waiting!.n >= 1;
  });
  await holder.query('COMMIT');
  expect((await login).status).toBe(200);
  expect((await member.call('GET', '/storefront/v1/cart/items')).body.data.items).toMatchObject([{ quantity: 6 }]);
});
