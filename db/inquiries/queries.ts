/** Lists and reads of inquiries: a page, its total, products and authors' names in one query. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { InquiryStatus } from '../../domain/inquiries/rules.ts';
import { counted, countedOf } from '../feeds/counts.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import { allOf, type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { isShown } from '../products/storefront.ts';

/** An inquiry with the product's name and its author's now; null once they have withdrawn. Times as JSON has them. */
export interface FoundInquiry {
  readonly inquiry_id: string;
  readonly product_id: string;
  readonly product_name: string;
  readonly customer_id: string;
  readonly author_name: string | null;
  readonly title: string | null;
  readonly content: string;
  readonly is_secret: boolean;
  readonly status: InquiryStatus;
  readonly answer: string | null;
  readonly answered_at: string | null;
  readonly created_at: string;
}
export interface InquiryPage {
  readonly items: readonly FoundInquiry[];
  readonly total: number;
}
export interface InquiryFilter extends PageRequest {
  readonly status?: InquiryStatus | undefined;
  readonly productId?: string | undefined;
}

const NAMED = fragment`to_jsonb(i) || jsonb_build_object('author_name', c.name, 'product_name', p.name)`;
const NAMES = fragment`LEFT JOIN customer c ON c.store_id = i.store_id AND c.customer_id = i.customer_id
  JOIN product p ON p.store_id = i.store_id AND p.product_id = i.product_id`;

/** The page of the inquiries that meet a condition, newest first; the names are joined to what the page shows alone. */
const pageOf = (storeId: string, where: Fragment, filter: PageRequest): Fragment => {
  const { limit, offset: skipped } = offset(filter);
  return fragment`(SELECT json_agg(${NAMED} ORDER BY i.created_at DESC, i.inquiry_id DESC)
     FROM (SELECT * FROM inquiry i WHERE i.store_id = ${storeId} AND ${where} ORDER BY i.created_at DESC, i.inquiry_id DESC
       LIMIT ${limit} OFFSET ${skipped}) i ${NAMES})`;
};

type Row = { readonly total: string; readonly items: FoundInquiry[] | null };
const pageFrom = ({ total, items }: Row): InquiryPage => ({ items: items ?? [], total: Number(total) });

/** Newest first. */
export async function listInquiries({ sql, storeId }: Tx, filter: InquiryFilter): Promise<InquiryPage> {
  const { status, productId } = filter;
  const where = allOf([
    fragment`true`,
    productId !== undefined && fragment`i.product_id = ${productId}`,
    status !== undefined && fragment`i.status = ${status}`,
  ]);
  const total =
    productId === undefined ? counted(storeId, 'inquiry', { status }) : countedOf(storeId, productId, 'inquiry', status ?? null);
  const [row] = await sql<Row>`SELECT ${total} AS total, ${pageOf(storeId, where, filter)} AS items`;
  return pageFrom(row!);
}

/** Those of one customer, newest first. */
export async function listInquiriesOf({ sql, storeId }: Tx, customerId: string, page: PageRequest): Promise<InquiryPage> {
  const where = fragment`i.customer_id = ${customerId}`;
  const [row] = await sql<Row>`SELECT (SELECT count(*) FROM inquiry i WHERE i.store_id = ${storeId} AND ${where}) AS total,
    ${pageOf(storeId, where, page)} AS items`;
  return pageFrom(row!);
}

/** Those of a product that buyers see, by its id or number. PRODUCT_NOT_FOUND. */
export async function listShownInquiries({ sql, storeId }: Tx, idOrNumber: string, page: PageRequest): Promise<InquiryPage> {
  const product = fragment`(SELECT product_id FROM shown)`;
  const [row] = await sql<Row & { readonly product_id: string | null }>`
    WITH shown AS MATERIALIZED (SELECT p.product_id FROM product p WHERE ${isShown(storeId, idOrNumber)})
    SELECT ${product} AS product_id, ${countedOf(storeId, product, 'inquiry', null)} AS total,
      ${pageOf(storeId, fragment`i.product_id = ${product}`, page)} AS items`;
  if (row!.product_id === null) throw new Fault('PRODUCT_NOT_FOUND');
  return pageFrom(row!);
}

/** INQUIRY_NOT_FOUND. */
export async function readInquiry({ sql, storeId }: Tx, inquiryId: string): Promise<FoundInquiry> {
  const [row] = await sql<{ found: FoundInquiry }>`
    SELECT ${NAMED} AS found FROM inquiry i ${NAMES} WHERE i.store_id = ${storeId} AND i.inquiry_id = ${inquiryId}`;
  if (!row) throw new Fault('INQUIRY_NOT_FOUND');
  return row.found;
}
