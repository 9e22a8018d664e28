import { expect, test } from '@jest/globals';
import { world } from '../../kernel/world.ts';

test('PRODUCT.OUT_OF_STOCK is emitted once for the last unit', async () => {
  const own = await world();
  const { productId, variantId } = await own.product({ stockQuantity: 1 });
  await own.order({ productId });
  const soldOutEvents = () => own.events({ type: 'PRODUCT.OUT_OF_STOCK' });
  expect((await soldOutEvents()).map(({ data }) => data)).toEqual([{ productId, variantId }]);
  const stock = (body: object) => own.seller.call('PATCH', `/v1/products/${productId}/variants/${variantId}/stock`, body);
  await stock({ stockQuantity: 2 });
  await stock({ adjustment: -2 });
  await stock({ stockQuantity: 0 });
  expect(await soldOutEvents()).toHaveLength(2);
});
