import { createProduct } from '../../db/catalog/store.ts';
import { shippingProblems } from '../../workflows/catalog/rules.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { Product, ProductRequest, viewProduct } from './schemas.ts';

export const create = endpoint({
  id: 'products.create',
  route: 'POST /v1/products',
  summary: 'Register a product that is shipped',
  access: 'store',
  scopes: ['product:rw'],
  agent: 'direct',
  change: 'here',
  idempotent: true,
  body: ProductRequest,
  status: 201,
  data: Product,
  check: ({ fulfillment }) => shippingProblems((fulfillment as { shipping?: object } | undefined)?.shipping ?? {}),
  errors: ['INVALID_PRICE_UNIT', 'CATEGORY_NOT_FOUND', 'CATEGORY_NOT_LEAF'],
}).handle(async ({ em, storeId, body, at, setHeader }) => {
  const { fulfillment, ...rest } = body;
  const created = await createProduct(em, storeId, { ...rest, ...fulfillment }, at);
  setHeader('Location', `/v1/products/${created.product.productId}`);
  return viewProduct(created);
});
