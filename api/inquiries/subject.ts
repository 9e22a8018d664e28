import { lockInquiry } from '../../db/inquiries/commands.ts';
import { readInquiry } from '../../db/inquiries/queries.ts';
import type { Subject } from '../declare/subject.ts';
import { Inquiry, viewInquiry } from './schemas.ts';

/** What people write is theirs: the audit log has that it changed. */
export const INQUIRY: Subject = {
  type: 'INQUIRY',
  idField: 'inquiryId',
  listing: { given: ['inquiryId', 'createdAt', 'answer.answeredAt'], hidden: ['authorName', 'title', 'content'] },
  data: Inquiry,
  lock: lockInquiry,
  read: async (tx, inquiryId) => viewInquiry(await readInquiry(tx, inquiryId)),
};
