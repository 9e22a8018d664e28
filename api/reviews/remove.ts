import { deleteReview } from '../../db/reviews/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';

export const remove = endpoint({
  id: 'reviews.remove',
  route: 'DELETE /storefront/v1/me/reviews/{reviewId}',
  summary: 'Delete a review of mine; the points that it earned are taken back',
  access: 'customer',
  change: 'here',
  data: Type.Null(),
  errors: ['REVIEW_NOT_FOUND'],
}).handle(async ({ tx, customer, params }) => {
  await deleteReview(tx, customer!.customerId, params.reviewId);
  return null;
});
