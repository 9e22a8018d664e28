import { createProduct } from '../../db/catalog/products.ts';
import { optionProblems } from '../../workflows/catalog/options.ts';
import { fulfillmentProblems } from '../../workflows/catalog/rules.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { Product, ProductRequest, viewProduct } from './schemas.ts';

export const create = endpoint({
  id: 'products.create',
  route: 'POST /v1/products',
  summary: 'Register a product, with a variant for each combination of its options',
  access: 'store',
  scopes: ['product:rw'],
  agent: 'direct',
  change: 'here',
  idempotent: true,
  body: ProductRequest,
  status: 201,
  data: Product,
  check: ({ fulfillment, ...request }) => [...fulfillmentProblems(fulfillment ?? {}), ...optionProblems(request)],
  errors: ['INVALID_PRICE_UNIT', 'CATEGORY_NOT_FOUND', 'CATEGORY_NOT_LEAF'],
}).handle(async ({ em, storeId, body, at, setHeader }) => {
  const { fulfillment, ...rest } = body;
  const created = await createProduct(em, storeId, { ...rest, ...fulfillment }, at);
  setHeader('Location', `/v1/products/${created.product.productId}`);
  return viewProduct(created);
});
