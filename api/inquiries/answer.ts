import { answerInquiry } from '../../db/inquiries/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { AnswerRequest, Inquiry, viewInquiry } from './schemas.ts';
import { INQUIRY } from './subject.ts';

export const answer = endpoint({
  id: 'inquiries.answer',
  route: 'POST /v1/inquiries/{inquiryId}/answer',
  summary: 'Answer an inquiry; a second answer replaces the first',
  access: 'store',
  scopes: ['inquiry:rw'],
  agent: 'direct',
  target: INQUIRY,
  change: 'here',
  idempotent: true,
  body: AnswerRequest,
  data: Inquiry,
  errors: ['INQUIRY_NOT_FOUND'],
}).handle(async ({ tx, params, body }) => viewInquiry(await answerInquiry(tx, params.inquiryId, body.content)));
