import { defineEntity, p } from '@mikro-orm/core';
import type { InquiryStatus } from '../../domain/inquiries/rules.ts';
import { storeId, time } from '../kernel/columns.ts';

/** What a member wants to know of a product, and the answer. */
export const InquiryEntity = defineEntity({
  name: 'Inquiry',
  tableName: 'inquiry',
  properties: {
    storeId: storeId(),
    inquiryId: p.string().primary(),
    productId: p.string(),
    customerId: p.string(),
    title: p.string().nullable(),
    content: p.string(),
    isSecret: p.boolean().default(false),
    status: p.string().$type<InquiryStatus>(),
    answer: p.string().nullable(),
    answeredAt: time().nullable(),
    createdAt: time(),
  },
});
