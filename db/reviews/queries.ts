/** Lists and reads of reviews: a page, its total and the authors' names in one query. */
import { averageRating } from '../../domain/reviews/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { counted, countedOf } from '../feeds/counts.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import { allOf, type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { isShown } from '../products/storefront.ts';

/** A review with its author's name now; null once they have withdrawn. Times as JSON has them. */
export interface FoundReview {
  readonly review_id: string;
  readonly product_id: string;
  readonly product_name: string;
  readonly order_id: string;
  readonly order_item_id: string;
  readonly option_label: string | null;
  readonly customer_id: string;
  readonly author_name: string | null;
  readonly rating: number;
  readonly content: string;
  readonly images: readonly string[];
  readonly reward_point: number;
  readonly created_at: string;
  readonly updated_at: string;
}
export interface ReviewPage {
  readonly items: readonly FoundReview[];
  readonly total: number;
}
export interface ReviewFilter extends PageRequest {
  readonly productId?: string | undefined;
  readonly customerId?: string | undefined;
  readonly rating?: number | undefined;
}

/** The page of the reviews that meet a condition, newest first; the names are joined to what the page shows alone. */
const pageOf = (storeId: string, where: Fragment, filter: PageRequest): Fragment => {
  const { limit, offset: skipped } = offset(filter);
  return fragment`(SELECT json_agg(to_jsonb(r) || jsonb_build_object('author_name', c.name) ORDER BY r.created_at DESC, r.review_id DESC)
     FROM (SELECT * FROM review r WHERE r.store_id = ${storeId} AND ${where} ORDER BY r.created_at DESC, r.review_id DESC
       LIMIT ${limit} OFFSET ${skipped}) r LEFT JOIN customer c ON c.store_id = r.store_id AND c.customer_id = r.customer_id)`;
};

/** Newest first. Only the reviews of one customer are counted one by one. */
export async function listReviews({ sql, storeId }: Tx, filter: ReviewFilter): Promise<ReviewPage> {
  const { productId, customerId, rating } = filter;
  const where = allOf([
    fragment`true`,
    customerId !== undefined && fragment`r.customer_id = ${customerId}`,
    productId !== undefined && fragment`r.product_id = ${productId}`,
    rating !== undefined && fragment`r.rating = ${rating}`,
  ]);
  const value = rating === undefined ? null : String(rating);
  const counts = productId === undefined ? counted(storeId, 'review', { status: value }) : countedOf(storeId, productId, 'review', value);
  const total = customerId === undefined ? counts : fragment`(SELECT count(*) FROM review r WHERE r.store_id = ${storeId} AND ${where})`;
  const [row] = await sql<{
    total: string;
    items: FoundReview[] | null;
  }>`SELECT ${total} AS total, ${pageOf(storeId, where, filter)} AS items`;
  return { items: row!.items ?? [], total: Number(row!.total) };
}

export interface ShownReviews extends ReviewPage {
  readonly averageRating: number | null;
}
/** The reviews of a product that buyers see, by its id or number, with the average of all of them. PRODUCT_NOT_FOUND. */
export async function listShownReviews({ sql, storeId }: Tx, idOrNumber: string, page: PageRequest): Promise<ShownReviews> {
  const product = fragment`(SELECT product_id FROM shown)`;
  const [row] = await sql<{ product_id: string | null; count: string; sum: string; items: FoundReview[] | null }>`
    WITH shown AS MATERIALIZED (SELECT p.product_id FROM product p WHERE ${isShown(storeId, idOrNumber)})
    SELECT ${product} AS product_id, ${countedOf(storeId, product, 'review', null)} AS count,
      (SELECT coalesce(sum(n * value::integer), 0) FROM product_list_count
       WHERE store_id = ${storeId} AND product_id = ${product} AND list = 'review') AS sum,
      ${pageOf(storeId, fragment`r.product_id = ${product}`, page)} AS items`;
  if (row!.product_id === null) throw new Fault('PRODUCT_NOT_FOUND');
  const [count, sum] = [Number(row!.count), Number(row!.sum)];
  return { items: row!.items ?? [], total: count, averageRating: averageRating({ count, sum }) };
}

/** REVIEW_NOT_FOUND. */
export async function readReview({ sql, storeId }: Tx, reviewId: string): Promise<FoundReview> {
  const [row] = await sql<{ found: FoundReview }>`
    SELECT to_jsonb(r) || jsonb_build_object('author_name', c.name) AS found
    FROM review r LEFT JOIN customer c ON c.store_id = r.store_id AND c.customer_id = r.customer_id
    WHERE r.store_id = ${storeId} AND r.review_id = ${reviewId}`;
  if (!row) throw new Fault('REVIEW_NOT_FOUND');
  return row.found;
}
