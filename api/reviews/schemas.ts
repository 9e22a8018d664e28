import type { FoundReview } from '../../db/reviews/queries.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { maskedName, MAX_CONTENT, MAX_REVIEW_IMAGES, RATINGS } from '../../domain/reviews/rules.ts';
import { type Cut, Truncated } from '../declare/shortened.ts';
import { ImageUrl } from '../uploads/images.ts';
import { closed, Count, Id, Name, nullable, Timestamp, Type } from '../declare/schema.ts';

export const Rating = Type.Integer({ minimum: RATINGS[0], maximum: RATINGS.at(-1)!, examples: [5] });
const Content = Name(MAX_CONTENT);
const Images = Type.Array(ImageUrl, { maxItems: MAX_REVIEW_IMAGES });

export const ReviewRequest = closed(
  { orderItemId: Id, rating: Rating, content: Content, images: Type.Optional(Images) },
  { title: 'ReviewRequest' },
);
export const ReviewChange = closed(
  { rating: Type.Optional(Rating), content: Type.Optional(Content), images: Type.Optional(Images) },
  { title: 'ReviewChange' },
);

const shown = {
  reviewId: Id,
  rating: Rating,
  content: Type.String(),
  images: Type.Array(Type.String()),
  authorName: nullable(Type.String()),
  optionLabel: nullable(Type.String()),
  createdAt: Timestamp,
};
/** Of lists. */
const listed = { truncated: Truncated };
export const ShownReview = closed({ ...shown, ...listed }, { title: 'StorefrontReview' });

const fields = {
  reviewId: Id,
  productId: Id,
  productName: Type.String({ description: 'As it was bought' }),
  orderId: Id,
  orderItemId: Id,
  optionLabel: nullable(Type.String()),
  customerId: Id,
  authorName: nullable(Type.String()),
  rating: Rating,
  content: Type.String(),
  images: Type.Array(Type.String()),
  rewardPoint: Type.Integer({ minimum: 0, description: 'The points that it earned' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
export const Review = closed({ ...fields, ...listed }, { title: 'Review' });
export const BuyerReview = closed(fields, { title: 'BuyerReview' });
export const ListedBuyerReview = closed({ ...fields, ...listed }, { title: 'ListedBuyerReview' });
export const REVIEW_CUT: Cut = { texts: ['content', 'productName', 'optionLabel'] };

/** Of all standing reviews of the product. */
export const ReviewSummary = closed(
  { count: Count, averageRating: nullable(Type.Number({ minimum: 1, maximum: 5, description: 'One decimal' })) },
  { title: 'ReviewSummary' },
);

/** As its seller sees it. */
export const viewReview = (review: FoundReview) => ({
  reviewId: review.review_id,
  productId: review.product_id,
  productName: review.product_name,
  orderId: review.order_id,
  orderItemId: review.order_item_id,
  optionLabel: review.option_label,
  customerId: review.customer_id,
  authorName: review.author_name,
  rating: review.rating,
  content: review.content,
  images: [...review.images],
  rewardPoint: review.reward_point,
  createdAt: koreanOf(review.created_at),
  updatedAt: koreanOf(review.updated_at),
});
/** As its author sees it. */
export const viewOwn = (review: FoundReview) => ({ ...viewReview(review), authorName: maskedName(review.author_name) });
/** As everybody sees it. */
export const viewShown = (review: FoundReview) => ({
  reviewId: review.review_id,
  rating: review.rating,
  content: review.content,
  images: [...review.images],
  authorName: maskedName(review.author_name),
  optionLabel: review.option_label,
  createdAt: koreanOf(review.created_at),
});
