import { listReviews } from '../../db/reviews/queries.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { ListedBuyerReview, REVIEW_CUT, viewOwn } from './schemas.ts';

export const listMine = endpoint({
  id: 'reviews.listMine',
  route: 'GET /storefront/v1/me/reviews',
  summary: 'List my reviews, newest first',
  access: 'customer',
  change: 'none',
  query: Type.Object(paging),
  data: listOf(ListedBuyerReview),
}).handle(async ({ tx, customer, query }) => {
  const { items, total } = await listReviews(tx, { ...query, customerId: customer!.customerId });
  return fitted(page(query, items.map(viewOwn), total), query.size, REVIEW_CUT);
});
