import { tagOf } from '../../db/products/tag.ts';
import { readProduct } from '../../db/products/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Options, viewOptions } from './schemas.ts';

export const getOptions = endpoint({
  id: 'products.getOptions',
  route: 'GET /v1/products/{productId}/options',
  summary: 'Read the option model',
  access: 'store',
  scopes: ['product:r'],
  change: 'none',
  isLarge: true,
  etag: true,
  data: Options,
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, params, setHeader }) => {
  const found = await readProduct(tx, params.productId);
  setHeader('ETag', tagOf(found));
  return viewOptions(found);
});
