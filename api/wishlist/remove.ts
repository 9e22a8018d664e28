import { removeFromWishlist } from '../../db/customers/wishlist.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';

export const remove = endpoint({
  id: 'wishlist.remove',
  route: 'DELETE /storefront/v1/me/wishlist/{productId}',
  summary: 'Take a product off the list',
  access: 'customer',
  change: 'here',
  data: Type.Null(),
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, customer, params }) => {
  await removeFromWishlist(tx, customer!.customerId, params.productId);
  return null;
});
