/** Reviews of what was bought: periods, rewards, and what a shop shows of them (docs/contract.md#reviews, U15–U18). */
import type { ErrorCode } from '../kernel/errors.ts';
import { DAY } from '../kernel/time.ts';
import type { PublicStatus } from '../flows/graph/status.ts';
import type { PointPolicy } from '../points/policy.ts';

export const RATINGS = [1, 2, 3, 4, 5] as const;
export const MAX_REVIEW_IMAGES = 5;
export const MAX_CONTENT = 2000;
/** From the purchase decision, and from the writing. The last millisecond still counts. */
export const WRITE_DAYS = 90;
export const EDIT_DAYS = 30;

export const isWritable = (decidedAt: number, at: number): boolean => at <= decidedAt + WRITE_DAYS * DAY;
export const isEditable = (createdAt: number, at: number): boolean => at <= createdAt + EDIT_DAYS * DAY;

/** The fields of an order item that decide; `decidedAt`: when its flow ended. */
export interface ReviewableItem {
  readonly testPayment: boolean;
  readonly status: PublicStatus;
  readonly decidedAt: number;
}
/** Why an item cannot be reviewed at the business time `at`, or null. */
export function writingRefusal({ testPayment, status, decidedAt }: ReviewableItem, at: number): ErrorCode | null {
  if (testPayment) return 'REVIEW_NOT_ALLOWED_FOR_TEST_ORDER';
  if (status !== 'PURCHASE_DECIDED') return 'INVALID_STATUS';
  return isWritable(decidedAt, at) ? null : 'PERIOD_EXPIRED';
}

/** What a review with so many images earns: once for a photo or once for a text, where there are points. */
export function rewardOf({ available, reviewReward }: Pick<PointPolicy, 'available' | 'reviewReward'>, imageCount: number): number {
  if (!available || !reviewReward.enabled) return 0;
  return imageCount > 0 ? reviewReward.photoPoint : reviewReward.textPoint;
}

/** Reviews of a product and the sum of their ratings. */
export interface RatingSum {
  readonly count: number;
  readonly sum: number;
}
/** Rounded half up to one decimal, in whole numbers; null without reviews. */
export const averageRating = ({ count, sum }: RatingSum): number | null =>
  count === 0 ? null : Math.floor((20 * sum + count) / (2 * count)) / 10;

const characters = new Intl.Segmenter('ko', { granularity: 'grapheme' });
/** How buyers see who wrote something: the first character that a reader sees, and `**`. */
export function maskedName(name: string | null): string | null {
  const [first] = characters.segment(name?.trim() ?? '');
  return first ? `${first.segment}**` : null;
}
