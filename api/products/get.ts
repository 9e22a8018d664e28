import { tagOf } from '../../db/products/tag.ts';
import { readProduct } from '../../db/products/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Product, viewProduct } from './schemas.ts';

export const get = endpoint({
  id: 'products.get',
  route: 'GET /v1/products/{productId}',
  summary: 'Read a product',
  access: 'store',
  scopes: ['product:r'],
  change: 'none',
  isLarge: true,
  etag: true,
  data: Product,
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, params, setHeader }) => {
  const found = await readProduct(tx, params.productId);
  setHeader('ETag', tagOf(found));
  return viewProduct(found);
});
