import { listReviews } from '../../db/reviews/queries.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Id, listOf, page, paging, Type } from '../declare/schema.ts';
import { Rating, Review, REVIEW_CUT, viewReview } from './schemas.ts';

export const list = endpoint({
  id: 'reviews.list',
  route: 'GET /v1/reviews',
  summary: 'List reviews, newest first',
  access: 'store',
  scopes: ['review:r'],
  change: 'none',
  query: Type.Object({
    ...paging,
    productId: Type.Optional(Id),
    customerId: Type.Optional(Id),
    rating: Type.Optional(Rating),
  }),
  data: listOf(Review),
}).handle(async ({ tx, query }) => {
  const { items, total } = await listReviews(tx, query);
  return fitted(page(query, items.map(viewReview), total), query.size, REVIEW_CUT);
});
