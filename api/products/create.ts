import { tagOf } from '../../db/products/tag.ts';
import { createProduct } from '../../db/products/registration.ts';
import { endpoint } from '../declare/endpoint.ts';
import { ProductRequest, wholeProblems } from './requests.ts';
import { Product, viewProduct } from './schemas.ts';
import { PRODUCT } from './subject.ts';

export const create = endpoint({
  id: 'products.create',
  route: 'POST /v1/products',
  summary: 'Register a product, with a variant for each combination of its options',
  access: 'store',
  scopes: ['product:rw'],
  agent: 'direct',
  target: PRODUCT,
  change: 'here',
  isLarge: true,
  idempotent: true,
  body: ProductRequest,
  status: 201,
  etag: true,
  data: Product,
  check: wholeProblems,
  errors: [
    'INVALID_PRICE_UNIT',
    'CATEGORY_NOT_FOUND',
    'CATEGORY_NOT_LEAF',
    'ADDRESS_NOT_FOUND',
    'INVALID_ADDRESS_TYPE',
    'REFUND_POLICY_NOT_APPLICABLE',
    'PRICE_CONFLICT',
    'VARIANT_NOT_FOUND',
    'FLOW_NOT_FOUND',
    'FLOW_NOT_PUBLISHED',
  ],
}).handle(async ({ tx, body, requestId, setHeader }) => {
  const created = await createProduct(tx, body, requestId);
  setHeader('Location', `/v1/products/${created.product.productId}`);
  setHeader('ETag', tagOf(created));
  return viewProduct(created);
});
