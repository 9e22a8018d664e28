import { readProduct } from '../../db/products/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Discount, viewDiscount } from './schemas.ts';

export const getDiscount = endpoint({
  id: 'products.getDiscount',
  route: 'GET /v1/products/{productId}/discount',
  summary: 'Read a product’s discount',
  access: 'store',
  scopes: ['product:r'],
  change: 'none',
  data: Discount,
  errors: ['PRODUCT_NOT_FOUND', 'DISCOUNT_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const { product } = await readProduct(tx, params.productId);
  if (!product.discount) throw new Fault('DISCOUNT_NOT_FOUND');
  return viewDiscount(product.discount);
});
