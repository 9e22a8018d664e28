/** Which flow an item takes: its product's, its category's, or the default of what travels (docs/contract.md#flow). */
import { beforeAll, expect, test } from '@jest/globals';
import { chooseFlows } from '../../../db/flows/choice.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, world } from '../../kernel/world.ts';
import { Author, twoSteps } from './fixtures.ts';

let author: Author;
let flowId: string;
let other: string;
let unpublished: string;
beforeAll(async () => {
  author = new Author(await world());
  flowId = await author.published('own');
  other = await author.published('others');
  unpublished = await author.create('drawn');
});
const flowOf = (productId: string) => author.get(`/v1/products/${productId}/flow`);
const newCategory = async (parentId: string | null = null) =>
  (await author.send('POST', '/v1/categories', { name: 'c', parentId })).body.data.categoryId as string;
const categoryOf = async (productId: string) => (await author.get(`/v1/products/${productId}`)).categoryId as string;

test('the flow of the product, else that of its category, else the default', async () => {
  const { productId } = await author.shop.product();
  const categoryId = await categoryOf(productId);
  const standard = { flowId: await author.standard('SHIPPING'), key: 'shipping-standard', name: '일반 배송', version: 1 };
  expect(await flowOf(productId)).toEqual({ source: 'PLATFORM', flow: standard });
  expect((await author.send('PATCH', `/v1/categories/${categoryId}`, { flowId: other })).body.data).toMatchObject({ flowId: other });
  expect(await flowOf(productId)).toMatchObject({ source: 'CATEGORY', flow: { flowId: other, key: 'others', version: 1 } });
  expect((await author.send('PATCH', `/v1/products/${productId}`, { flowId })).body.data).toMatchObject({ flowId });
  await author.publishes(flowId, twoSteps());
  expect(await flowOf(productId)).toEqual({ source: 'PRODUCT', flow: { flowId, key: 'own', name: 'own', version: 2 } });
  await author.send('PATCH', `/v1/products/${productId}`, { flowId: null });
  await author.send('PATCH', `/v1/categories/${categoryId}`, { flowId: null });
  expect(await flowOf(productId)).toMatchObject({ source: 'PLATFORM' });
  const { productId: served } = await author.shop.product({ fulfillment: { type: 'MANUAL' } });
  expect(await flowOf(served)).toMatchObject({ source: 'PLATFORM', flow: { key: 'manual-standard' } });
});

test('a registration and a replacement name it too; a replacement without it takes it away', async () => {
  const { productId } = await author.shop.product({ flowId });
  expect(await flowOf(productId)).toMatchObject({ source: 'PRODUCT', flow: { flowId } });
  const whole = { name: '머플러', salePrice: 1000, categoryId: await categoryOf(productId) };
  await author.send('PUT', `/v1/products/${productId}`, { ...whole, flowId: other });
  expect(await flowOf(productId)).toMatchObject({ source: 'PRODUCT', flow: { flowId: other } });
  await author.send('PATCH', `/v1/products/${productId}`, { name: '목도리' });
  expect(await flowOf(productId)).toMatchObject({ source: 'PRODUCT' });
  await author.send('PUT', `/v1/products/${productId}`, whole);
  expect(await flowOf(productId)).toMatchObject({ source: 'PLATFORM' });
  const standard = await author.standard('MANUAL');
  expect((await author.send('PATCH', `/v1/products/${productId}`, { flowId: standard })).status).toBe(200);
});

test('what is unknown, another store’s or not published is refused and changes nothing', async () => {
  const rival = new Author(await world());
  const theirs = await rival.published('own');
  const { productId } = await author.shop.product();
  const categoryId = await categoryOf(productId);
  const places = [
    ['PATCH', `/v1/products/${productId}`, {}],
    ['PUT', `/v1/products/${productId}`, { name: 'x', salePrice: 1000, categoryId }],
    ['POST', '/v1/products', { name: 'x', salePrice: 1000, categoryId }],
    ['PATCH', `/v1/categories/${categoryId}`, {}],
  ] as const;
  for (const [method, path, body] of places)
    for (const [wanted, code] of [
      ['flw_none', 'FLOW_NOT_FOUND'],
      [theirs, 'FLOW_NOT_FOUND'],
      [unpublished, 'FLOW_NOT_PUBLISHED'],
    ] as const)
      expect([method, path, await author.code(method, path, { ...body, flowId: wanted })]).toEqual([method, path, code]);
  expect(await flowOf(productId)).toMatchObject({ source: 'PLATFORM' });
  expect((await author.get(`/v1/products/${productId}`)).name).not.toBe('x');
});

test('only leaves have a flow, and what has one takes no child', async () => {
  const parent = await newCategory();
  const leaf = await newCategory(parent);
  const patch = (id: string, body: object) => author.code('PATCH', `/v1/categories/${id}`, body);
  expect(await patch(parent, { flowId })).toBe('CATEGORY_NOT_LEAF');
  expect(await patch(parent, { flowId: null })).toBe('200');
  expect(await patch(leaf, { flowId })).toBe('200');
  expect(await author.code('POST', '/v1/categories', { name: 'c', parentId: leaf })).toBe('CATEGORY_IN_USE');
  expect(await patch(await newCategory(), { parentId: leaf })).toBe('CATEGORY_IN_USE');
  expect(await patch(leaf, { flowId: null })).toBe('200');
  expect(await author.code('POST', '/v1/categories', { name: 'c', parentId: leaf })).toBe('201');
});

test('a flow and a child that a category gets at the same time do not both come to it', async () => {
  for (let i = 0; i < 10; i++) {
    const leaf = await newCategory();
    const codes = await Promise.all([
      author.code('PATCH', `/v1/categories/${leaf}`, { flowId }),
      author.code('POST', '/v1/categories', { name: 'c', parentId: leaf }),
    ]);
    expect([
      ['200', 'CATEGORY_IN_USE'],
      ['CATEGORY_NOT_LEAF', '201'],
    ]).toContainEqual(codes);
  }
});

test('the lines of an order are chosen for in one statement, in their order', async () => {
  const { productId: own } = await author.shop.product({ flowId });
  const { productId: plain } = await author.shop.product();
  const desk = await Desk.open(author.shop);
  const lines = [
    { productId: plain, isShipped: false },
    { productId: own, isShipped: true },
    { productId: plain, isShipped: true },
    { productId: own, isShipped: false },
    { productId: 'prd_gone', isShipped: true },
  ];
  let statements = 0;
  const chosen = await desk.inTenant((tx) => {
    const sql: typeof tx.sql = (...statement) => {
      statements++;
      return tx.sql(...statement);
    };
    return chooseFlows({ ...tx, sql }, lines);
  });
  await desk.close();
  expect(statements).toBe(1);
  expect(chosen.map(({ key, source }) => [key, source])).toEqual([
    ['manual-standard', 'PLATFORM'],
    ['own', 'PRODUCT'],
    ['shipping-standard', 'PLATFORM'],
    ['own', 'PRODUCT'],
    ['shipping-standard', 'PLATFORM'],
  ]);
});

test('an order takes the newest version of the moment, and is in progress in it until its items are finished', async () => {
  const mine = await author.published('counted');
  const product = await author.shop.product({ flowId: mine });
  const first = await author.shop.order(product);
  await author.publishes(mine, twoSteps());
  await author.shop.order(product, 2);
  await author.shop.order(product);
  const counts = async () =>
    ((await author.get(`/v1/commerce-flows/${mine}/versions`)).items as { version: number; inProgress: number }[]).map(
      ({ version, inProgress }) => [version, inProgress],
    );
  expect(await counts()).toEqual([
    [2, 2],
    [1, 1],
  ]);
  await author.shop.act(first.orderItemId, 'actions/make');
  expect(await counts()).toEqual([
    [2, 2],
    [1, 1],
  ]);
  await author.shop.act(first.orderItemId, 'actions/finish');
  expect(await counts()).toEqual([
    [2, 2],
    [1, 0],
  ]);
  const rows = await query('SELECT 1 FROM order_item WHERE store_id = $1 AND flow_key = $2', [author.shop.store.storeId, 'counted']);
  expect(rows).toHaveLength(3);
});
