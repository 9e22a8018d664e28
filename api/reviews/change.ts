import { changeReview } from '../../db/reviews/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { imageProblems } from '../uploads/images.ts';
import { BuyerReview, ReviewChange, viewOwn } from './schemas.ts';

export const change = endpoint({
  id: 'reviews.change',
  route: 'PATCH /storefront/v1/me/reviews/{reviewId}',
  summary: 'Change a review of mine, within 30 days of its writing',
  access: 'customer',
  change: 'here',
  body: ReviewChange,
  data: BuyerReview,
  errors: ['REVIEW_NOT_FOUND', 'PERIOD_EXPIRED'],
  check: ({ images = [] }, deps, caller) => imageProblems(images, deps, caller),
}).handle(async ({ tx, customer, params, body, deps }) =>
  viewOwn(await changeReview(tx, customer!.customerId, params.reviewId, body, deps.config.publicUrl)),
);
