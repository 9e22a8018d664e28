/** Members write, change and delete reviews. Each is one transaction: review, reward, event (docs/contract.md#reviews). */
import { enteredAt, type FlowState } from '../../domain/flows/run/state.ts';
import type { PublicStatus } from '../../domain/flows/graph/status.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { isEditable, rewardOf, writingRefusal } from '../../domain/reviews/rules.ts';
import { newId } from '../kernel/clock.ts';
import { EMPTY, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { earnExpiry, grantPoints, revokeReviewPoints } from '../points/ledger.ts';
import { readPolicy } from '../points/policy.ts';
import { holdProduct } from '../products/storefront.ts';
import { nameUploads } from '../uploads/commands.ts';
import { emit } from '../webhooks/events.ts';
import { readReview, type FoundReview } from './queries.ts';

export interface ReviewRequest {
  readonly orderItemId: string;
  readonly rating: number;
  readonly content: string;
  readonly images?: readonly string[] | undefined;
}

/**
 * Writes a review of an item that the customer has bought; the first one of an item earns points. PRODUCT_NOT_FOUND, ORDER_ITEM_NOT_FOUND,
 * REVIEW_NOT_ALLOWED_FOR_TEST_ORDER, INVALID_STATUS, PERIOD_EXPIRED, REVIEW_ALREADY_EXISTS.
 */
export async function writeReview(
  tx: Tx,
  customerId: string,
  product: string,
  { orderItemId, rating, content, images = [] }: ReviewRequest,
  publicUrl: string,
): Promise<FoundReview> {
  const { sql, storeId, at } = tx;
  const productId = await holdProduct(tx, product, { isHiddenToo: true });
  const item = await readBought(tx, customerId, productId, orderItemId);
  const {
    order_id: orderId,
    product_name: productName,
    option_label: optionLabel,
    status,
    flow_state: flow,
    test_payment: testPayment,
  } = item;
  const refusal = writingRefusal({ testPayment, status, decidedAt: enteredAt(flow) }, at);
  if (refusal) throw new Fault(refusal);
  const reviewId = newId('rev', at);
  const now = new Date(at);
  const policy = await readPolicy(tx);
  const rewardPoint = (await isFirst(tx, orderItemId)) ? rewardOf(policy, images.length) : 0;
  const [row] =
    await sql`INSERT INTO review (store_id, review_id, product_id, product_name, order_id, order_item_id, option_label, customer_id, rating,
      content, images, reward_point, created_at, updated_at)
    VALUES (${storeId}, ${reviewId}, ${productId}, ${productName}, ${orderId}, ${orderItemId}, ${optionLabel}, ${customerId},
      ${rating}, ${content}, ${images}, ${rewardPoint}, ${now}, ${now})
    ON CONFLICT (store_id, order_item_id) DO NOTHING RETURNING 1 AS ok`;
  if (!row) throw new Fault('REVIEW_ALREADY_EXISTS');
  await nameUploads(tx, images, publicUrl);
  await emit(tx, [{ type: 'REVIEW.CREATED', at, data: { reviewId, productId, rating } }]);
  if (rewardPoint > 0)
    await grantPoints(tx, {
      customerId,
      type: 'EARN_REVIEW',
      amountWon: rewardPoint,
      expiresAt: earnExpiry(policy, at),
      reviewId,
      orderItemId,
    });
  return readReview(tx, reviewId);
}

/** Whether the item has never been reviewed before; waits for a concurrent review of it. */
async function isFirst({ sql, storeId, at }: Tx, orderItemId: string): Promise<boolean> {
  const rows =
    await sql`INSERT INTO reviewed_item (store_id, order_item_id, reviewed_at) VALUES (${storeId}, ${orderItemId}, ${new Date(at)})
    ON CONFLICT (store_id, order_item_id) DO NOTHING RETURNING 1 AS ok`;
  return rows.length > 0;
}

interface BoughtItem {
  readonly order_id: string;
  readonly product_name: string;
  readonly option_label: string | null;
  readonly status: PublicStatus;
  readonly flow_state: FlowState;
  readonly test_payment: boolean;
}
/** The customer's item of that product. ORDER_ITEM_NOT_FOUND. */
async function readBought({ sql, storeId }: Tx, customerId: string, productId: string, orderItemId: string): Promise<BoughtItem> {
  const [row] = await sql<BoughtItem>`
    SELECT i.order_id, i.product_name, i.option_label, i.status, i.flow_state, o.test_payment
    FROM order_item i JOIN orders o USING (store_id, order_id)
    WHERE store_id = ${storeId} AND i.order_item_id = ${orderItemId} AND i.product_id = ${productId} AND o.customer_id = ${customerId}`;
  if (!row) throw new Fault('ORDER_ITEM_NOT_FOUND');
  return row;
}

export type ReviewChange = { readonly [K in 'rating' | 'content' | 'images']?: ReviewRequest[K] | undefined };

/** Changes a review of the customer; its reward stays. REVIEW_NOT_FOUND, PERIOD_EXPIRED. */
export async function changeReview(
  tx: Tx,
  customerId: string,
  reviewId: string,
  change: ReviewChange,
  publicUrl: string,
): Promise<FoundReview> {
  const { sql, storeId, at } = tx;
  const [review] = await sql<{ created_at: Date | string }>`SELECT created_at FROM review
    WHERE store_id = ${storeId} AND review_id = ${reviewId} AND customer_id = ${customerId} FOR UPDATE`;
  if (!review) throw new Fault('REVIEW_NOT_FOUND');
  if (!isEditable(msOf(review.created_at), at)) throw new Fault('PERIOD_EXPIRED');
  const { rating, content, images } = change;
  await sql`UPDATE review SET updated_at = ${new Date(at)}
      ${rating === undefined ? EMPTY : fragment`, rating = ${rating}`}
      ${content === undefined ? EMPTY : fragment`, content = ${content}`}
      ${images === undefined ? EMPTY : fragment`, images = ${images}`}
    WHERE store_id = ${storeId} AND review_id = ${reviewId}`;
  await nameUploads(tx, images ?? [], publicUrl);
  return readReview(tx, reviewId);
}

/** Deletes a review of the customer, and takes back what it earned. REVIEW_NOT_FOUND. */
export async function deleteReview(tx: Tx, customerId: string, reviewId: string): Promise<void> {
  const { sql, storeId } = tx;
  const [review] = await sql<{ reward_point: number }>`DELETE FROM review
    WHERE store_id = ${storeId} AND review_id = ${reviewId} AND customer_id = ${customerId} RETURNING reward_point`;
  if (!review) throw new Fault('REVIEW_NOT_FOUND');
  if (review.reward_point > 0) await revokeReviewPoints(tx, { customerId, reviewId });
}
