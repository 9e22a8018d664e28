import { readShown } from '../../db/products/storefront.ts';
import { endpoint } from '../declare/endpoint.ts';
import { ShownProduct, viewShown } from './schemas.ts';

export const getProduct = endpoint({
  id: 'storefront.getProduct',
  route: 'GET /storefront/v1/products/{productId}',
  summary: 'Read a product on sale, by its id or its number',
  access: 'storefront',
  isPublic: true,
  change: 'none',
  data: ShownProduct,
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, params, at }) => viewShown(await readShown(tx, params.productId), at));
