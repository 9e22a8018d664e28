import { writeInquiry } from '../../db/inquiries/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Inquiry, InquiryRequest, viewOwn } from './schemas.ts';

export const create = endpoint({
  id: 'inquiries.create',
  route: 'POST /storefront/v1/products/{productId}/inquiries',
  summary: 'Inquire about a product on sale; a secret inquiry is read by its seller and me alone',
  access: 'customer',
  change: 'here',
  idempotent: true,
  status: 201,
  body: InquiryRequest,
  data: Inquiry,
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, customer, params, body }) => viewOwn(await writeInquiry(tx, customer!.customerId, params.productId, body)));
