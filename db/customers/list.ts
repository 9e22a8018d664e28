/** The list of customers and one in detail (U3–U6), each in one query. */
import { type CustomerSort, isPhoneEnd, startOfDay } from '../../domain/customers/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { PageRequest } from '../kernel/page.ts';
import { allOf, EMPTY, type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Customer } from './queries.ts';

export interface CustomerFilter extends PageRequest {
  /** Part of the name or e-mail; or the last four digits of the phone. */
  readonly keyword?: string;
  /** Korean days, both inclusive. */
  readonly joinedFrom?: string;
  readonly joinedTo?: string;
  readonly marketingConsent?: boolean;
  /** Statistics with orders in sandbox mode. */
  readonly includeTest: boolean;
  readonly sort: CustomerSort;
}
export interface CustomerStats {
  readonly orderCount: number;
  readonly paidWon: number;
  readonly refundedWon: number;
  readonly purchaseWon: number;
  readonly lastOrderedAt: Date | null;
}
export interface ListedCustomer extends Omit<Customer, 'generation'>, CustomerStats {
  readonly joinedAt: Date;
  readonly marketingAgreed: boolean;
}
interface Row {
  readonly customer_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
  readonly created_at: Date | string;
  readonly marketing_agreed: boolean;
  readonly order_count: number;
  readonly paid_won: number | string;
  readonly refunded_won: number | string;
  readonly purchase_won: number | string;
  readonly last_ordered_at: Date | string | null;
}
const COLUMNS = fragment`c.customer_id, c.email, c.name, c.phone, c.created_at, c.marketing_agreed, s.order_count, s.paid_won,
  s.refunded_won, s.purchase_won, s.last_ordered_at`;
const viewOf = (row: Row): ListedCustomer => ({
  customerId: row.customer_id,
  email: row.email,
  name: row.name,
  phone: row.phone,
  joinedAt: new Date(row.created_at),
  marketingAgreed: row.marketing_agreed,
  orderCount: row.order_count,
  paidWon: Number(row.paid_won),
  refundedWon: Number(row.refunded_won),
  purchaseWon: Number(row.purchase_won),
  lastOrderedAt: row.last_ordered_at === null ? null : new Date(row.last_ordered_at),
});
const BOTH = fragment`customer c JOIN customer_stats s ON s.store_id = c.store_id AND s.customer_id = c.customer_id`;

/** Ties by customerId, nulls last; each is the order of an index. */
const ORDERS: Readonly<Record<CustomerSort, Fragment>> = {
  joinedAt: fragment`c.created_at, c.customer_id`,
  '-joinedAt': fragment`c.created_at DESC, c.customer_id`,
  name: fragment`c.name COLLATE "C" NULLS LAST, c.customer_id`,
  '-name': fragment`c.name COLLATE "C" DESC NULLS LAST, c.customer_id`,
  orderCount: fragment`s.order_count NULLS LAST, s.customer_id`,
  '-orderCount': fragment`s.order_count DESC NULLS LAST, s.customer_id`,
  purchaseAmount: fragment`s.purchase_won NULLS LAST, s.customer_id`,
  '-purchaseAmount': fragment`s.purchase_won DESC NULLS LAST, s.customer_id`,
  lastOrderedAt: fragment`s.last_ordered_at NULLS LAST, s.customer_id`,
  '-lastOrderedAt': fragment`s.last_ordered_at DESC NULLS LAST, s.customer_id`,
};

/** A page and the total, in one query. */
export async function listCustomers(
  { sql, storeId }: Tx,
  filter: CustomerFilter,
): Promise<{ readonly items: ListedCustomer[]; readonly total: number }> {
  const { page, size, sort, includeTest, keyword } = filter;
  const where = conditions(storeId, filter);
  const total = keyword === undefined ? counted(storeId, filter) : fragment`(SELECT count(*) FROM customer c WHERE ${where})`;
  const [row] = await sql<{ total: string; items: Row[] | null }>`
    SELECT ${total} AS total, (SELECT json_agg(l) FROM (
      SELECT ${COLUMNS} FROM ${BOTH} WHERE s.store_id = ${storeId} AND s.with_test = ${includeTest} AND ${where}
      ORDER BY ${ORDERS[sort]} LIMIT ${size} OFFSET ${(page - 1) * size}) l) AS items`;
  return { items: (row!.items ?? []).map(viewOf), total: Number(row!.total) };
}

function conditions(storeId: string, { keyword, joinedFrom, joinedTo, marketingConsent }: CustomerFilter): Fragment {
  return allOf([
    fragment`c.store_id = ${storeId}`,
    joinedFrom !== undefined && fragment`c.created_at >= ${new Date(startOfDay(joinedFrom))}`,
    joinedTo !== undefined && fragment`c.created_at < ${new Date(startOfDay(joinedTo, 1))}`,
    marketingConsent !== undefined && fragment`c.marketing_agreed = ${marketingConsent}`,
    keyword !== undefined && holdsKeyword(storeId, keyword),
  ]);
}

/** The grams of the keyword find who may have it; a keyword of one letter is its own only gram, others are found by their pairs. */
function holdsKeyword(storeId: string, keyword: string): Fragment {
  const word = fragment`lower(${keyword}::text)`;
  const grams = fragment`ARRAY(SELECT gram FROM text_grams(${keyword}) gram WHERE length(gram) = least(2, length(${word})))`;
  const byPhone = isPhoneEnd(keyword);
  return fragment`c.customer_id IN (
      SELECT g.customer_id FROM customer_gram g WHERE g.store_id = ${storeId} AND g.gram = ANY(${grams})
        GROUP BY g.customer_id HAVING count(*) = cardinality(${grams})
      ${byPhone ? fragment`UNION SELECT g.customer_id FROM customer_gram g WHERE g.store_id = ${storeId} AND g.gram = ${`#${keyword}`}` : EMPTY})
    AND (strpos(lower(c.name), ${word}) > 0 OR strpos(lower(c.email), ${word}) > 0
      ${byPhone ? fragment`OR phone_end(c.phone) = ${keyword}` : EMPTY})`;
}

/** From the counts by day of joining and marketing consent, which triggers maintain. */
const counted = (storeId: string, { joinedFrom, joinedTo, marketingConsent }: CustomerFilter): Fragment =>
  fragment`(SELECT coalesce(sum(n), 0) FROM customer_count WHERE store_id = ${storeId}
    ${joinedFrom === undefined ? EMPTY : fragment`AND joined_on >= ${joinedFrom}::date`}
    ${joinedTo === undefined ? EMPTY : fragment`AND joined_on <= ${joinedTo}::date`}
    ${marketingConsent === undefined ? EMPTY : fragment`AND marketing = ${marketingConsent}`})`;

/** CUSTOMER_NOT_FOUND. */
export async function readCustomer({ sql, storeId }: Tx, customerId: string, includeTest: boolean): Promise<ListedCustomer> {
  const [row] = await sql<Row>`SELECT ${COLUMNS} FROM ${BOTH} WHERE c.store_id = ${storeId} AND c.customer_id = ${customerId}
    AND s.with_test = ${includeTest}`;
  if (!row) throw new Fault('CUSTOMER_NOT_FOUND');
  return viewOf(row);
}

/** CUSTOMER_NOT_FOUND unless there is one. */
export async function checkCustomer({ sql, storeId }: Tx, customerId: string): Promise<void> {
  const [row] = await sql`SELECT 1 AS ok FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId}`;
  if (!row) throw new Fault('CUSTOMER_NOT_FOUND');
}
