import { listShownReviews } from '../../db/reviews/queries.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, page, paging, Type } from '../declare/schema.ts';
import { REVIEW_CUT, ReviewSummary, ShownReview, viewShown } from './schemas.ts';

export const listShown = endpoint({
  id: 'reviews.listShown',
  route: 'GET /storefront/v1/products/{productId}/reviews',
  summary: 'List the reviews of a product on sale, by its id or its number, newest first',
  access: 'storefront',
  isPublic: true,
  change: 'none',
  query: Type.Object(paging),
  data: closed({ items: Type.Array(ShownReview), page: Count, size: Count, total: Count, summary: ReviewSummary }),
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, params, query }) => {
  const { items, total, averageRating } = await listShownReviews(tx, params.productId, query);
  return {
    ...fitted(page(query, items.map(viewShown), total), query.size, REVIEW_CUT),
    summary: { count: total, averageRating },
  };
});
