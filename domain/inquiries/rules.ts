/** Inquiries about products (docs/contract.md#inquiries). */
export const INQUIRY_STATUSES = ['WAITING', 'ANSWERED'] as const;
export type InquiryStatus = (typeof INQUIRY_STATUSES)[number];
export const MAX_INQUIRY = 2000;

interface Written {
  readonly customerId: string;
  readonly isSecret: boolean;
}
/** Whether a visitor of the shop may read it whole; null: nobody who has logged in. */
export const isReadableBy = ({ customerId, isSecret }: Written, visitorId: string | null): boolean => !isSecret || customerId === visitorId;
