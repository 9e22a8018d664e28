import { readProduct } from '../../db/products/queries.ts';
import { chooseFlows } from '../../db/flows/choice.ts';
import { closed, Id, oneOf, Type } from '../declare/schema.ts';
import { endpoint } from '../declare/endpoint.ts';

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
      flow: closed({ flowId: Id, key: Type.String(), name: Type.String(), version: Type.Integer() }),
    },
    { title: 'EffectiveFlow' },
  ),
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const { product } = await readProduct(tx, params.productId);
  const isShipped = product.fulfillmentType === 'SHIPPING';
  const [choice] = await chooseFlows(tx, [{ productId: product.productId, isShipped }]);
  const { source, flowId, key, name, version } = choice!;
  return { source, flow: { flowId, key, name, version } };
});
