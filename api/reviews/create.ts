import { writeReview } from '../../db/reviews/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { imageProblems } from '../uploads/images.ts';
import { BuyerReview, ReviewRequest, viewOwn } from './schemas.ts';

export const create = endpoint({
  id: 'reviews.create',
  route: 'POST /storefront/v1/products/{productId}/reviews',
  summary: 'Review an item that I bought, within 90 days of the purchase decision',
  access: 'customer',
  change: 'here',
  idempotent: true,
  status: 201,
  body: ReviewRequest,
  data: BuyerReview,
  errors: [
    'PRODUCT_NOT_FOUND',
    'ORDER_ITEM_NOT_FOUND',
    'REVIEW_NOT_ALLOWED_FOR_TEST_ORDER',
    'INVALID_STATUS',
    'PERIOD_EXPIRED',
    'REVIEW_ALREADY_EXISTS',
  ],
  check: ({ images = [] }, deps, caller) => imageProblems(images, deps, caller),
}).handle(async ({ tx, customer, params, body, deps }) =>
  viewOwn(await writeReview(tx, customer!.customerId, params.productId, body, deps.config.publicUrl)),
);
