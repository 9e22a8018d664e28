/** Members inquire about products, and sellers answer (docs/contract.md#inquiries). */
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { holdProduct } from '../products/storefront.ts';
import { emit } from '../webhooks/events.ts';
import { type FoundInquiry, readInquiry } from './queries.ts';

export interface InquiryRequest {
  readonly title?: string | undefined;
  readonly content: string;
  readonly isSecret?: boolean | undefined;
}

/** An inquiry about a product that buyers see. PRODUCT_NOT_FOUND. */
export async function writeInquiry(
  tx: Tx,
  customerId: string,
  product: string,
  { title, content, isSecret = false }: InquiryRequest,
): Promise<FoundInquiry> {
  const { sql, storeId, at } = tx;
  const productId = await holdProduct(tx, product, { isHiddenToo: false });
  const inquiryId = newId('inq', at);
  await sql`INSERT INTO inquiry (store_id, inquiry_id, product_id, customer_id, title, content, is_secret, created_at)
    VALUES (${storeId}, ${inquiryId}, ${productId}, ${customerId}, ${title ?? null}, ${content}, ${isSecret}, ${new Date(at)})`;
  await emit(tx, [{ type: 'INQUIRY.CREATED', at, data: { inquiryId, productId } }]);
  return readInquiry(tx, inquiryId);
}

/** A second answer replaces the first. INQUIRY_NOT_FOUND. */
export async function answerInquiry(tx: Tx, inquiryId: string, answer: string): Promise<FoundInquiry> {
  const { sql, storeId, at } = tx;
  const [row] = await sql`UPDATE inquiry SET status = 'ANSWERED', answer = ${answer}, answered_at = ${new Date(at)}
    WHERE store_id = ${storeId} AND inquiry_id = ${inquiryId} RETURNING 1 AS ok`;
  if (!row) throw new Fault('INQUIRY_NOT_FOUND');
  return readInquiry(tx, inquiryId);
}

/** Locks an inquiry before what is shown of it is compared with what a change leaves. */
export const lockInquiry = ({ sql, storeId }: Tx, inquiryId: string): Promise<object[]> =>
  sql`SELECT 1 AS ok FROM inquiry WHERE store_id = ${storeId} AND inquiry_id = ${inquiryId} FOR UPDATE`;
