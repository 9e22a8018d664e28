/** What a change is compared with: a sale between the two readings is none of its changes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compare } from '../../../api/preview/compare.ts';
import { patch } from '../../../api/products/patch.ts';
import { viewProduct } from '../../../api/products/schemas.ts';
import { patchProduct } from '../../../db/products/changes.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, world } from '../../kernel/world.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open(await world());
});
afterAll(() => desk.close());

const stockOf = (change: number, variantId: string) =>
  ['UPDATE variant SET stock_quantity = stock_quantity + $1 WHERE variant_id = $2', [change, variantId] as const] as const;

test.each([false, true])('a sale meanwhile is not listed; with the lock of a decision: %s', async (locks) => {
  const optionGroups = [{ name: '색', values: ['회색', '남색'] }];
  const variants = ['회색', '남색'].map((value) => ({ optionValues: [value], stockQuantity: 10 }));
  const { productId } = await desk.shop.product({ optionGroups, variants, stockQuantity: undefined });
  const made = await query<{ variant_id: string }>('SELECT variant_id FROM variant WHERE product_id = $1 ORDER BY seq', [productId]);
  const [sold, own] = made.map(({ variant_id: id }) => id) as [string, string];
  const { changes } = await desk.inTenant(async (tx) => {
    const viewed = { caller: {}, deps: {}, params: { productId }, body: {} } as unknown as Parameters<typeof compare>[2];
    const comparison = await compare(patch, tx, viewed, { locks });
    // As a sale does, in a transaction of its own.
    await query(...stockOf(-1, sold));
    await tx.sql`UPDATE variant SET stock_quantity = 8 WHERE store_id = ${tx.storeId} AND variant_id = ${own}`;
    const { storeId } = tx;
    const changed = viewProduct(await patchProduct(tx, { storeId, productId }, { name: '새 이름' }, { ifMatch: null, reference: 'r' }));
    expect(changed).toMatchObject({ variants: [{ stockQuantity: 9 }, { stockQuantity: 8 }] });
    return comparison.against(changed);
  });
  expect(changes).toEqual([
    { field: 'name', before: '양모 머플러', after: '새 이름' },
    { field: 'stockQuantity', before: 20, after: 18 },
    { field: 'variants[1].stockQuantity', before: 10, after: 8 },
  ]);
});
