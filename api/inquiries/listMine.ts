import { listInquiriesOf } from '../../db/inquiries/queries.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { BuyerInquiry, INQUIRY_CUT, viewShown } from './schemas.ts';

export const listMine = endpoint({
  id: 'inquiries.listMine',
  route: 'GET /storefront/v1/me/inquiries',
  summary: 'List my inquiries, newest first',
  access: 'customer',
  change: 'none',
  query: Type.Object(paging),
  data: listOf(BuyerInquiry),
}).handle(async ({ tx, customer, query }) => {
  const { customerId } = customer!;
  const { items, total } = await listInquiriesOf(tx, customerId, query);
  const shown = items.map((item) => viewShown(item, customerId));
  return fitted(page(query, shown, total), query.size, INQUIRY_CUT);
});
