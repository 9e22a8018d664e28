import type { FoundInquiry } from '../../db/inquiries/queries.ts';
import { INQUIRY_STATUSES, isReadableBy, MAX_INQUIRY } from '../../domain/inquiries/rules.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { maskedName } from '../../domain/reviews/rules.ts';
import { type Cut, Truncated } from '../declare/shortened.ts';
import { closed, Id, Name, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const InquiryRequest = closed(
  { title: Type.Optional(Name(100)), content: Name(MAX_INQUIRY), isSecret: Type.Optional(Type.Boolean()) },
  { title: 'InquiryRequest' },
);
export const AnswerRequest = closed({ content: Name(MAX_INQUIRY) }, { title: 'InquiryAnswerRequest' });

const common = {
  inquiryId: Id,
  productId: Id,
  productName: Type.String(),
  authorName: nullable(Type.String()),
  title: nullable(Type.String()),
  isSecret: Type.Boolean(),
  status: oneOf(INQUIRY_STATUSES),
  answer: nullable(closed({ content: Type.String(), answeredAt: Timestamp })),
  createdAt: Timestamp,
};
export const Inquiry = closed({ ...common, customerId: Id, content: Type.String() }, { title: 'Inquiry' });
/** Of lists. */
const listed = { truncated: Truncated };
export const ListedInquiry = closed({ ...common, customerId: Id, content: Type.String(), ...listed }, { title: 'ListedInquiry' });
export const INQUIRY_CUT: Cut = { texts: ['title', 'content', 'productName'] };
export const BuyerInquiry = closed(
  { ...common, ...listed, content: nullable(Type.String({ description: 'Null to others, where it is secret' })) },
  { title: 'BuyerInquiry' },
);

/** As its seller sees it. */
export const viewInquiry = (inquiry: FoundInquiry) => ({
  inquiryId: inquiry.inquiry_id,
  productId: inquiry.product_id,
  productName: inquiry.product_name,
  customerId: inquiry.customer_id,
  authorName: inquiry.author_name,
  title: inquiry.title,
  content: inquiry.content,
  isSecret: inquiry.is_secret,
  status: inquiry.status,
  answer:
    inquiry.answer === null || inquiry.answered_at === null ? null : { content: inquiry.answer, answeredAt: koreanOf(inquiry.answered_at) },
  createdAt: koreanOf(inquiry.created_at),
});
/** As its author is answered. */
export const viewOwn = (inquiry: FoundInquiry) => ({ ...viewInquiry(inquiry), authorName: maskedName(inquiry.author_name) });
/** As a visitor of the shop sees it; null: nobody who has logged in. */
export function viewShown(inquiry: FoundInquiry, visitorId: string | null) {
  const { customerId, ...shown } = viewOwn(inquiry);
  return isReadableBy({ customerId, isSecret: inquiry.is_secret }, visitorId)
    ? shown
    : { ...shown, title: null, content: null, answer: null };
}
