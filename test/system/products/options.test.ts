/** The option model: replaced as a whole, numbers for ever, stock kept (docs/contract.md#options); stock and its movements. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { query, until, type World, world } from '../../kernel/world.ts';

let shop: World;
const ROUNDS = Number(process.env['STOCK_ROUNDS'] ?? 3);
const request = (method: string, path: string, body?: unknown, headers = {}) => shop.seller.call(method, path, body, headers);
interface Shown {
  readonly variantId: string;
  readonly variantNo: string;
  readonly optionValues: string[];
  readonly stockQuantity: number;
}
const options = async (productId: string) =>
  (await request('GET', `/v1/products/${productId}/options`)).body.data as { optionGroups: object[]; variants: Shown[] };
const put = (productId: string, values: string[], variants: object[] = []) =>
  request('PUT', `/v1/products/${productId}/options`, { optionGroups: [{ name: '색', values }], variants });
const colours = (values: string[], variants: object[] = []) =>
  shop.product({ stockQuantity: undefined, optionGroups: [{ name: '색', values }], variants });
/** Σ movements of each variant is its stock. */
const differences = () =>
  query(
    `SELECT v.variant_id FROM variant v LEFT JOIN stock_movement m USING (store_id, variant_id) WHERE v.store_id = $1
     GROUP BY v.store_id, v.variant_id HAVING v.stock_quantity <> coalesce(sum(m.quantity), 0)`,
    [shop.store.storeId],
  );

beforeAll(async () => {
  shop = await world();
});

test('attributes of all variants have a size together, in however many requests they are written', async () => {
  const values = Array.from({ length: 60 }, (_, i) => `v${i}`);
  const { productId } = await colours(values);
  const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${i}`, '가'.repeat(200)]));
  const write = (from: number, given: object | null) => {
    const variants = values.slice(from, from + 17).map((value) => ({ optionValues: [value], attributes: given }));
    return request('PATCH', `/v1/products/${productId}`, { variants });
  };
  expect([(await write(0, attributes)).status, (await write(17, attributes)).status]).toEqual([200, 200]);
  const refused = { code: 'VALIDATION_FAILED', fieldErrors: [{ field: 'variants', code: 'TOO_LONG' }] };
  expect((await write(34, attributes)).body.error).toMatchObject(refused);
  expect((await write(0, null)).status).toBe(200);
  expect((await write(34, attributes)).status).toBe(200);
});

describe('PUT …/options', () => {
  test('gives no number twice', async () => {
    const { productId } = await colours(
      ['회색', '남색'],
      [{ optionValues: ['회색'], stockQuantity: 5, sku: 'G-1', additionalPrice: 100, isSellable: false }],
    );
    const no = (n: number) => expect.stringMatching(new RegExp(`-0${n}$`));
    const first = (await put(productId, ['회색', '검정'], [{ optionValues: ['검정'], stockQuantity: 3 }])).body.data.variants;
    expect(first).toMatchObject([
      { variantNo: no(1), optionValues: ['회색'], stockQuantity: 5, sku: 'G-1', additionalPrice: 100, isSellable: false },
      { variantNo: no(3), optionValues: ['검정'], stockQuantity: 3, isSellable: true },
    ]);
    const again = (await put(productId, ['회색', '남색'], [{ optionValues: ['회색'], sku: null }])).body.data.variants;
    expect(again).toMatchObject([
      { variantNo: no(1), stockQuantity: 5, sku: null, additionalPrice: 100 },
      { variantNo: no(4), optionValues: ['남색'], stockQuantity: 0 },
    ]);
    expect(await differences()).toEqual([]);
  });
  test('takes its own answer back', async () => {
    const { productId } = await colours(['회색', '남색'], [{ optionValues: ['회색'], stockQuantity: 5 }]);
    const seen = await options(productId);
    expect((await request('PUT', `/v1/products/${productId}/options`, seen)).body.data).toEqual(seen);
    const [one, two] = seen.variants;
    expect((await put(productId, ['회색', '남색'], [{ ...one, optionValues: ['남색'] }])).body.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      fieldErrors: [{ field: 'variants[0].variantId' }],
    });
    expect((await put(productId, ['회색'], [{ optionValues: ['회색'], variantId: 'var_none' }])).body.error?.code).toBe(
      'VARIANT_NOT_FOUND',
    );
    expect((await put(productId, ['회색'], [two!])).body.error?.fieldErrors).toMatchObject([{ field: 'variants[0].optionValues' }]);
    expect(await options(productId)).toEqual(seen);
  });
  test('what was ordered or is being paid for is not dropped', async () => {
    const { productId } = await colours(['회색', '남색'], [{ optionValues: ['회색'], stockQuantity: 5 }]);
    const [grey] = (await options(productId)).variants;
    const buyer = await shop.buyer();
    const items = [{ productId, optionId: grey!.variantId, quantity: 1 }];
    const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items })).body.data as { checkoutId: string };
    const { payUrl } = (await buyer.start(checkoutId)).body.data as { payUrl: string };
    const { pay } = await import('../../../bin/dev/client.ts');
    await pay(payUrl);
    const dropped = await put(productId, ['남색']);
    expect(dropped.body.error).toMatchObject({ code: 'VARIANT_IN_ORDER', details: { variantIds: [grey!.variantId] } });
    expect((await put(productId, ['회색', '남색'], [{ optionValues: ['회색'], isSellable: false }])).status).toBe(200);
    expect((await options(productId)).variants).toMatchObject([{ stockQuantity: 4 }, {}]);
  });
  test('500 variants change at once', async () => {
    const values = Array.from({ length: 100 }, (_, i) => `v${i}`);
    const { productId } = await colours(values);
    const all = values.map((value) => ({ optionValues: [value], stockQuantity: 1 }));
    await put(productId, values, all);
    const groups = [
      { name: '색', values },
      { name: '길이', values: ['1', '2', '3', '4', '5'] },
    ];
    const made = await request('PUT', `/v1/products/${productId}/options`, { optionGroups: groups, variants: [] });
    expect(made.body.data.variants).toHaveLength(500);
    expect(made.body.data.variants[499].variantNo).toMatch(/-600$/);
    expect(new Set((made.body.data.variants as Shown[]).map((variant) => variant.variantNo)).size).toBe(500);
    const stocked = (quantity: number) =>
      request('PUT', `/v1/products/${productId}/options`, {
        optionGroups: groups,
        variants: [{ optionValues: ['v0', '1'], stockQuantity: quantity }],
      });
    await stocked(2);
    await stocked(0);
    await stocked(0);
    const events = () => shop.events({ type: 'PRODUCT.OUT_OF_STOCK', about: productId });
    await until('one event', async () => (await events()).length === 1);
    expect(await differences()).toEqual([]);
  });
  test('a product without axes and one with them become each other', async () => {
    const { productId } = await shop.product({ stockQuantity: 7 });
    expect((await put(productId, ['회색'], [{ optionValues: ['회색'], stockQuantity: 1 }])).body.data.variants).toHaveLength(1);
    const plain = await request('PUT', `/v1/products/${productId}`, {
      ...(await base(productId)),
      optionGroups: [],
      stockQuantity: 4,
    });
    expect(plain.body.data).toMatchObject({
      optionGroups: [],
      stockQuantity: 4,
      variants: [{ optionValues: [], variantNo: expect.stringMatching(/-03$/) }],
    });
    const both = await request('PATCH', `/v1/products/${productId}`, { optionGroups: [{ name: '색', values: ['a'] }], stockQuantity: 1 });
    expect(both.body.error?.fieldErrors).toMatchObject([{ field: 'stockQuantity' }]);
    const { productId: other } = await colours(['회색']);
    const alone = (value: string) => request('PATCH', `/v1/products/${other}`, { variants: [{ optionValues: [value], stockQuantity: 2 }] });
    expect((await alone('없음')).body.error?.fieldErrors).toMatchObject([{ field: 'variants[0].optionValues' }]);
    expect((await alone('회색')).body.data).toMatchObject({ stockQuantity: 2 });
  });
});
const base = async (productId: string) => {
  const { name, salePrice, categoryId } = (await request('GET', `/v1/products/${productId}`)).body.data;
  return { name, salePrice, categoryId };
};

test('stock is the sum of its movements whatever happens at once', async () => {
  const values = ['a', 'b', 'c'];
  const { productId } = await colours(
    values,
    values.map((value) => ({ optionValues: [value], stockQuantity: 5 })),
  );
  const value = fc.constantFrom(...values);
  type Step =
    | { do: 'set' | 'adjust'; value: string; n: number }
    | { do: 'replace'; values: string[]; n: number }
    | { do: 'buy'; value: string };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constantFrom('set' as const, 'adjust' as const), value, n: fc.integer({ min: -3, max: 6 }) }),
    fc.record({ do: fc.constant('replace' as const), values: fc.uniqueArray(value, { minLength: 1 }), n: fc.nat(5) }),
    fc.record({ do: fc.constant('buy' as const), value }),
  );
  const take = async (one: Step) => {
    if (one.do === 'replace') return put(productId, one.values, [{ optionValues: [one.values[0]!], stockQuantity: one.n }]);
    const found = (await options(productId)).variants.find((variant) => variant.optionValues[0] === one.value);
    if (!found) return null;
    if (one.do === 'buy') {
      const buyer = await shop.buyer();
      const items = [{ productId, optionId: found.variantId, quantity: 1 }];
      const opened = await buyer.call('POST', '/storefront/v1/checkout', { items });
      if (opened.status !== 201) return null;
      const started = await buyer.start(opened.body.data.checkoutId as string);
      if (started.status !== 200) return null;
      const { pay } = await import('../../../bin/dev/client.ts');
      return pay(started.body.data.payUrl as string).catch(() => null);
    }
    const path = `/v1/products/${productId}/variants/${found.variantId}/stock`;
    return request('PATCH', path, one.do === 'set' ? { stockQuantity: Math.max(0, one.n) } : { adjustment: one.n });
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      await Promise.all(steps.map(take));
      expect(await differences()).toEqual([]);
      const twice = await query('SELECT variant_no FROM variant WHERE store_id = $1 GROUP BY variant_no HAVING count(*) > 1', [
        shop.store.storeId,
      ]);
      expect(twice).toEqual([]);
      const lost = await query(
        'SELECT 1 FROM order_item i JOIN variant v USING (store_id, variant_id) WHERE i.store_id = $1 AND v.deleted_at IS NOT NULL',
        [shop.store.storeId],
      );
      expect(lost).toEqual([]);
    }),
    { numRuns: ROUNDS * 3, endOnFailure: true },
  );
}, 120_000);
