/** The list of customers and one in detail, each in one query. */
import { type CustomerSort, isPhoneEnd, startOfDay } from '../../domain/customers/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { dateOf } from '../../domain/kernel/time.ts';
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
  lastOrderedAt: dateOf(row.last_ordered_at),
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
  const { keyword } = filter;
  const [row] = await sql<{
    total: string;
    items: Row[] | null;
  }>`${keyword === undefined ? all(storeId, filter) : found(storeId, filter, keyword)}`;
  return { items: (row!.items ?? []).map(viewOf), total: Number(row!.total) };
}

const all = (storeId: string, filter: CustomerFilter): Fragment =>
  fragment`SELECT ${counted(storeId, filter)} AS total, ${pageOf(storeId, filter, BOTH, allOf(conditions(storeId, filter)))} AS items`;

/** The page of what a condition on `customer c` selects from a join. */
const pageOf = (storeId: string, { page, size, sort, includeTest }: CustomerFilter, from: Fragment, where: Fragment): Fragment =>
  fragment`(SELECT json_agg(l) FROM (SELECT ${COLUMNS} FROM ${from} WHERE s.store_id = ${storeId} AND s.with_test = ${includeTest}
    AND ${where}
    ORDER BY ${ORDERS[sort]} LIMIT ${size} OFFSET ${(page - 1) * size}) l)`;

/** The first is that of the store. */
const conditions = (storeId: string, { joinedFrom, joinedTo, marketingConsent }: CustomerFilter): readonly Fragment[] =>
  [
    fragment`c.store_id = ${storeId}`,
    joinedFrom !== undefined && fragment`c.created_at >= ${new Date(startOfDay(joinedFrom))}`,
    joinedTo !== undefined && fragment`c.created_at < ${new Date(startOfDay(joinedTo, 1))}`,
    marketingConsent !== undefined && fragment`c.marketing_agreed = ${marketingConsent}`,
  ].filter((one) => one !== false);

/** Up to so many customers are looked up one by one, to see who has the keyword; of more, all customers are read. */
const MAX_LOOKUPS = 30_000;
/** Up to so many are sorted for a page; with more, customers are read in the page's order until it is full. */
const MAX_SORTED = 2000;
/** How many customers of a gram are counted to tell which grams are rare. */
const SAMPLE = 10_000;
/** Its only gram says all about a keyword of one or two letters, where small letters are as many as capital ones. */
const IS_GRAM = /^[\x20-\x7e가-힣]{1,2}$/u;

/**
 * Who has the keyword is found once, for the total and the page: who has its two rarest grams (`candidate`), whose lists are in the order
 * of ids, and of them those whose name or e-mail has it. The end of a phone is a gram by itself.
 */
function found(storeId: string, filter: CustomerFilter, keyword: string): Fragment {
  const word = fragment`lower(${keyword}::text)`;
  const filters = conditions(storeId, filter);
  const where = allOf(filters);
  const isInText = fragment`strpos(lower(c.name), ${word}) > 0 OR strpos(lower(c.email), ${word}) > 0`;
  const isFound = isPhoneEnd(keyword) ? fragment`(${isInText} OR phone_end(c.phone) = ${keyword})` : fragment`(${isInText})`;
  const has = (gram: Fragment) => fragment`g.store_id = ${storeId} AND g.gram = ${gram}`;
  const inText =
    filters.length === 1 && IS_GRAM.test(keyword)
      ? fragment`SELECT customer_id FROM candidate`
      : fragment`SELECT c.customer_id FROM candidate f ${oneByOne(fragment`customer`, storeId)} c ON true
          WHERE (SELECT count(*) FROM candidate) <= ${MAX_LOOKUPS} AND ${where} AND (${isInText})
        UNION ALL SELECT c.customer_id FROM customer c
          WHERE (SELECT count(*) FROM candidate) > ${MAX_LOOKUPS} AND ${where} AND (${isInText})`;
  const byPhone = fragment`UNION SELECT c.customer_id FROM customer_gram g JOIN customer c ON c.customer_id = g.customer_id
    WHERE ${has(fragment`${`#${keyword}`}::text`)} AND ${where}`;
  const ofFound = fragment`found f ${oneByOne(fragment`customer`, storeId)} c ON true
    ${oneByOne(fragment`customer_stats`, storeId)} s ON true`;
  return fragment`WITH rare AS MATERIALIZED (
      SELECT array_agg(gram ORDER BY n, gram) AS grams FROM (
        SELECT t.gram, (SELECT count(*) FROM (SELECT FROM customer_gram g WHERE ${has(fragment`t.gram`)} LIMIT ${SAMPLE}) sample) AS n
        FROM text_grams(${keyword}) t (gram) WHERE length(t.gram) = least(2, length(${word}))) counted),
    candidate AS MATERIALIZED (
      SELECT g.customer_id FROM customer_gram g WHERE ${has(fragment`(SELECT grams[1] FROM rare)`)}
      INTERSECT SELECT g.customer_id FROM customer_gram g WHERE ${has(fragment`(SELECT coalesce(grams[2], grams[1]) FROM rare)`)}),
    found AS MATERIALIZED (${inText} ${isPhoneEnd(keyword) ? byPhone : EMPTY})
    SELECT (SELECT count(*) FROM found) AS total, CASE WHEN (SELECT count(*) FROM found) > ${MAX_SORTED}
      THEN ${pageOf(storeId, filter, BOTH, fragment`${where} AND ${isFound}`)}
      ELSE ${pageOf(storeId, filter, ofFound, fragment`true`)} END AS items`;
}

/** The rows of ids `f`, looked up by the primary key however many the planner expects. */
const oneByOne = (table: Fragment, storeId: string): Fragment =>
  fragment`JOIN LATERAL (SELECT * FROM ${table} WHERE store_id = ${storeId} AND customer_id = f.customer_id OFFSET 0)`;

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
