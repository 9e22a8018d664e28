/** A conditional write undoes no sale, and a sale is in the way of none that sends no stock. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { query, type World, world } from '../../kernel/world.ts';

let shop: World;
beforeAll(async () => {
  shop = await world();
});
interface Read {
  readonly etag: string;
  readonly data: Record<string, unknown> & { variants: Record<string, unknown>[] };
}
const read = async (path: string): Promise<Read> => {
  const { headers, body } = await shop.seller.call('GET', path);
  return { etag: headers.get('etag')!, data: body.data as Read['data'] };
};
const send = async (method: string, path: string, body: object, etag: string) => {
  const reply = await shop.seller.call(method, path, body, { 'if-match': etag });
  return { status: reply.status, code: reply.body.error?.code, etag: reply.headers.get('etag') };
};
const stockOf = async (variantId: string) =>
  (await query<{ stock: number }>('SELECT stock_quantity AS stock FROM variant WHERE variant_id = $1', [variantId]))[0]!.stock;

/** Everything that moves stock beside the writer. */
const MOVES: readonly (readonly [string, (productId: string, variantId: string) => Promise<unknown>, number])[] = [
  ['a sale', (productId) => shop.order({ productId }), 9],
  [
    'a stock change',
    (productId, variantId) => shop.seller.call('PATCH', `/v1/products/${productId}/variants/${variantId}/stock`, { adjustment: -3 }),
    7,
  ],
];
/** Everything that a writer sends back of what it has read: with its stock. */
const writableOf = ({ name, salePrice, categoryId, fulfillment, optionGroups, variants }: Read['data']) => ({
  name,
  salePrice,
  categoryId,
  fulfillment,
  optionGroups,
  variants,
});
const WRITES: readonly (readonly [string, string, string, (data: Read['data']) => object])[] = [
  ['PUT of the product', 'PUT', '', writableOf],
  ['PATCH of its stock', 'PATCH', '', () => ({ stockQuantity: 10 })],
  ['PATCH of its variants', 'PATCH', '', ({ variants }) => ({ variants })],
  ['PUT of its options', 'PUT', '/options', (data) => data],
];

describe.each(MOVES)('%s', (_, move, left) => {
  test.each(WRITES)('in between: %s is PRECONDITION_FAILED, and its stock stays', async (_what, method, path, bodyOf) => {
    const { productId, variantId } = await shop.product({ stockQuantity: 10 });
    const before = await read(`/v1/products/${productId}${path}`);
    await move(productId, variantId);
    const after = await read(`/v1/products/${productId}${path}`);
    expect(after.etag).not.toBe(before.etag);
    expect(await send(method, `/v1/products/${productId}${path}`, bodyOf(before.data), before.etag)).toMatchObject({
      status: 412,
      code: 'PRECONDITION_FAILED',
    });
    expect(await stockOf(variantId)).toBe(left);
    expect((await send(method, `/v1/products/${productId}${path}`, bodyOf(after.data), after.etag)).status).toBe(200);
  });
  test('is in the way of no write that sends no stock', async () => {
    const { productId, variantId } = await shop.product({ stockQuantity: 10 });
    const { etag, data } = await read(`/v1/products/${productId}`);
    await move(productId, variantId);
    const patched = await send('PATCH', `/v1/products/${productId}`, { name: '다른 이름' }, etag);
    expect(patched.status).toBe(200);
    const options = { optionGroups: [], variants: [{ optionValues: [], sku: 'S-1' }] };
    expect((await send('PUT', `/v1/products/${productId}/options`, options, patched.etag!)).status).toBe(200);
    expect(await stockOf(variantId)).toBe(left);
    // What it does send is compared as before.
    expect((await send('PATCH', `/v1/products/${productId}`, { name: data['name'] as string }, etag)).status).toBe(412);
  });
});

test('a weak tag never matches, and a tag without its stock suffices for none that sends stock', async () => {
  const { productId } = await shop.product({ stockQuantity: 10 });
  const { etag } = await read(`/v1/products/${productId}`);
  expect((await send('PATCH', `/v1/products/${productId}`, { name: 'x' }, `W/${etag}`)).status).toBe(412);
  expect((await send('PATCH', `/v1/products/${productId}`, { stockQuantity: 3 }, '"1"')).status).toBe(412);
  expect((await send('PATCH', `/v1/products/${productId}`, { name: 'x' }, `"99", ${etag}`)).status).toBe(200);
  expect((await send('PATCH', `/v1/products/${productId}`, { stockQuantity: 3 }, '*')).status).toBe(200);
});

test('a stock that a cancel raised over the largest one is taken back as it was read, and may fall', async () => {
  const max = 100_000_000;
  const { productId, variantId } = await shop.product({ stockQuantity: max });
  const { orderItemId } = await shop.order({ productId });
  await shop.seller.call('PATCH', `/v1/products/${productId}/variants/${variantId}/stock`, { stockQuantity: max });
  await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
  expect(await stockOf(variantId)).toBe(max + 1);
  const { etag, data } = await read(`/v1/products/${productId}`);
  expect((await send('PUT', `/v1/products/${productId}`, writableOf(data), etag)).status).toBe(200);
  const options = await read(`/v1/products/${productId}/options`);
  expect((await send('PUT', `/v1/products/${productId}/options`, options.data, options.etag)).status).toBe(200);
  const refusal = async (body: object) => (await shop.seller.call('PATCH', `/v1/products/${productId}`, body)).body.error;
  const field = (name: string) => ({ code: 'VALIDATION_FAILED', fieldErrors: [{ field: name, code: 'OUT_OF_RANGE' }] });
  expect(await refusal({ stockQuantity: max + 2 })).toMatchObject(field('stockQuantity'));
  expect(await refusal({ variants: [{ optionValues: [], stockQuantity: max + 2 }] })).toMatchObject(field('variants[0].stockQuantity'));
  const change = (body: object) => shop.seller.call('PATCH', `/v1/products/${productId}/variants/${variantId}/stock`, body);
  expect((await change({ adjustment: 1 })).body.error).toMatchObject(field('adjustment'));
  expect((await change({ stockQuantity: max + 1, expectedStockQuantity: max + 1 })).status).toBe(200);
  expect((await change({ adjustment: -1, expectedStockQuantity: max + 1 })).body.data).toMatchObject({ stockQuantity: max });
  expect((await change({ stockQuantity: max + 1 })).body.error).toMatchObject(field('stockQuantity'));
  const fresh = await shop.seller.call('POST', '/v1/products', {
    ...writableOf(data),
    variants: undefined,
    optionGroups: undefined,
    stockQuantity: max + 1,
  });
  expect(fresh.body.error).toMatchObject(field('stockQuantity'));
});

test('who writes a part of a product names what was read of it: a sale is in the way of a stock, a change in the way of both', async () => {
  const { productId, variantId } = await shop.product({ stockQuantity: 50 });
  const path = `/v1/products/${productId}`;
  const stock = (etag: string) => send('PATCH', `${path}/variants/${variantId}/stock`, { stockQuantity: 50 }, etag);
  const rate = { method: 'RATE', value: 10, startDate: '2026-01-01', endDate: '2099-01-01' };
  const discount = (etag: string) => send('PUT', `${path}/discount`, rate, etag);
  const before = (await read(path)).etag;
  await shop.order({ productId });
  expect((await stock(before)).code).toBe('PRECONDITION_FAILED');
  expect(await stockOf(variantId)).toBe(49);
  expect((await discount(before)).status).toBe(200);
  expect((await discount(before)).code).toBe('PRECONDITION_FAILED');
  const { etag } = await read(path);
  expect((await stock(`W/${etag}`)).code).toBe('PRECONDITION_FAILED');
  expect((await stock(etag)).status).toBe(200);
  expect((await stock('*')).status).toBe(200);
});
