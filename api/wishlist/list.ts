import { listWishlist } from '../../db/customers/wishlist.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { viewEntry, WishlistEntry } from './schemas.ts';

export const list = endpoint({
  id: 'wishlist.list',
  route: 'GET /storefront/v1/me/wishlist',
  summary: 'List the products that I marked and that are on sale, the newest mark first',
  access: 'customer',
  change: 'none',
  query: Type.Object({ ...paging }),
  data: listOf(WishlistEntry),
}).handle(async ({ tx, customer, query }) => {
  const { items, total } = await listWishlist(tx, customer!.customerId, query);
  return page(query, items.map(viewEntry), total);
});
