import { addToWishlist } from '../../db/customers/wishlist.ts';
import { endpoint } from '../declare/endpoint.ts';
import { viewEntry, WishlistEntry, WishlistRequest } from './schemas.ts';

export const add = endpoint({
  id: 'wishlist.add',
  route: 'POST /storefront/v1/me/wishlist',
  summary: 'Mark a product; twice is once',
  access: 'customer',
  change: 'here',
  idempotent: true,
  body: WishlistRequest,
  status: 201,
  statusWhenThere: 200,
  data: WishlistEntry,
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, customer, body, setStatus }) => {
  const { entry, isNew } = await addToWishlist(tx, customer!.customerId, body.productId);
  if (!isNew) setStatus(200);
  return viewEntry(entry);
});
