/** Ids of another store in bodies: as unknown as ids that nobody has, and nothing is said that tells them apart. */
import { beforeAll, expect, test } from '@jest/globals';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let theirs: Record<'productId' | 'variantId' | 'categoryId' | 'orderItemId' | 'cartItemId', string>;
let buyer: Headers_;
let mine: { productId: string; variantId: string };
/** Of a member: an item that may be exchanged, and a claim whose goods are back. */
let member: Headers_;
let dispatched: string;
let collected: string;

beforeAll(async () => {
  const [one, rival] = await Promise.all([world(), world()]);
  shop = one;
  mine = await shop.product();
  buyer = (await shop.buyer()).headers;
  const product = await rival.product();
  const { orderItemId } = await rival.order(product);
  const there = (await rival.buyer()).headers;
  const cart = await call(underTest.api, 'POST', '/storefront/v1/cart/items', {
    body: { productId: product.productId, quantity: 1 },
    headers: there,
  });
  const [category] = (await rival.seller.call('GET', '/v1/categories')).body.data.items as { categoryId: string }[];
  const claimant = await shop.member();
  member = claimant.headers;
  const claims = (orderItemId: string) => `/storefront/v1/me/order-items/${orderItemId}/claims`;
  const sent = async (): Promise<string> => {
    const order = await shop.order(mine, 1, claimant);
    await shop.act(order.orderItemId, 'confirm');
    await shop.act(order.orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
    return order.orderItemId;
  };
  dispatched = claims(await sent());
  const filed = await claimant.call('POST', claims(await sent()), { type: 'EXCHANGE', reason: 'DEFECTIVE' });
  collected = `/v1/claims/${filed.body.data.claimId as string}`;
  await shop.seller.call('POST', `${collected}/collect`, { method: 'BUYER_SEND' });
  await shop.seller.call('POST', `${collected}/collect/complete`, {});
  theirs = { ...product, orderItemId, categoryId: category!.categoryId, cartItemId: cart.body.data.items[0].cartItemId as string };
});

type Ids = typeof theirs;
/** Every body of an operation that names something by its id. */
const bodies: readonly (readonly [name: string, method: string, path: string | (() => string), body: (ids: Ids) => object])[] = [
  ['categories.create parentId', 'POST', '/v1/categories', ({ categoryId }) => ({ name: 'c', parentId: categoryId })],
  ['products.create categoryId', 'POST', '/v1/products', ({ categoryId }) => ({ name: 'p', salePrice: 1000, categoryId })],
  ...['confirm', 'delivered', 'fulfill'].map(
    (action) =>
      [`orders.${action} many`, 'POST', `/v1/order-items/${action}`, ({ orderItemId }: Ids) => ({ orderItemIds: [orderItemId] })] as const,
  ),
  ['orders.dispatch many', 'POST', '/v1/order-items/dispatch', ({ orderItemId }) => ({ items: [{ orderItemId, deliveryMethod: 'NONE' }] })],
  ['cart.add productId', 'POST', '/storefront/v1/cart/items', ({ productId }) => ({ productId, quantity: 1 })],
  [
    'cart.add optionId',
    'POST',
    '/storefront/v1/cart/items',
    ({ variantId }) => ({ productId: mine.productId, optionId: variantId, quantity: 1 }),
  ],
  ['checkout.create productId', 'POST', '/storefront/v1/checkout', ({ productId }) => ({ items: [{ productId, quantity: 1 }] })],
  [
    'claims.create exchangeOptionId',
    'POST',
    () => dispatched,
    ({ variantId }) => ({ type: 'EXCHANGE', reason: 'DEFECTIVE', exchangeOptionId: variantId }),
  ],
  [
    'claims.redeliver optionId',
    'POST',
    () => `${collected}/redelivery`,
    ({ variantId }) => ({ optionId: variantId, carrierCode: 'CJ', trackingNumber: '1' }),
  ],
  ['checkout.create cartItemIds', 'POST', '/storefront/v1/checkout', ({ cartItemId }) => ({ cartItemIds: [cartItemId] })],
];
const NOBODYS: Ids = {
  productId: 'prd_none',
  variantId: 'var_none',
  categoryId: 'cat_none',
  orderItemId: 'oit_none',
  cartItemId: 'crt_none',
};

test.each(bodies)('%s', async (_, method, where, body) => {
  const path = typeof where === 'string' ? where : where();
  const asShop = path.startsWith('/storefront/v1/me/') ? member : buyer;
  const headers = path.startsWith('/v1') ? { authorization: `Bearer ${shop.seller.bearer}` } : asShop;
  const request = async (ids: Ids) => {
    const { status, body: reply } = await call(underTest.api, method, path, { body: body(ids), headers });
    const text = JSON.stringify([reply.data, reply.error]);
    return [status, Object.values(ids).reduce((sum, id) => sum.replaceAll(id, '<id>'), text)] as const;
  };
  const foreign = await request(theirs);
  expect(foreign).toEqual(await request(NOBODYS));
  expect(foreign[1]).not.toContain('nothing at this address');
  // A bulk answers 200 and refuses each item by itself.
  const isRefused = foreign[0] >= 400 || foreign[1].includes('"succeeded":0');
  expect([foreign, isRefused]).toEqual([foreign, true]);
});
