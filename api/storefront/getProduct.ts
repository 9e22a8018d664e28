import { readPolicy } from '../../db/points/policy.ts';
import { readShown } from '../../db/products/storefront.ts';
import { earningOf } from '../../domain/points/purchase.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { ShownProduct, viewShown } from './schemas.ts';

export const getProduct = endpoint({
  id: 'storefront.getProduct',
  route: 'GET /storefront/v1/products/{productId}',
  summary: 'Read a product on sale, by its id or its number',
  access: 'storefront',
  change: 'none',
  data: ShownProduct,
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, params, at }) => {
  const product = await readShown(tx, params.productId);
  return viewShown(product, at, earningOf(await readPolicy(tx)));
});
