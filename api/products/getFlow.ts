import { readProduct } from '../../db/products/queries.ts';
import { defaultFlow } from '../../domain/flows/presets/index.ts';
import { closed, Id, nullable, oneOf, Type } from '../kernel/schema.ts';
import { endpoint } from '../kernel/endpoint.ts';

export const getFlow = endpoint({
  id: 'products.getFlow',
  route: 'GET /v1/products/{productId}/flow',
  summary: 'Which order flow the product’s items take, and where that is said',
  access: 'store',
  scopes: ['product:r'],
  change: 'none',
  data: closed(
    {
      source: oneOf(['PRODUCT', 'CATEGORY', 'PLATFORM']),
      flow: closed({ flowId: nullable(Id), key: Type.String(), name: Type.String(), version: Type.Integer() }),
    },
    { title: 'EffectiveFlow' },
  ),
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const { product } = await readProduct(tx, params.productId);
  return { source: 'PLATFORM' as const, flow: { flowId: null, ...defaultFlow(product.fulfillmentType) } };
});
