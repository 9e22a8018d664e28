import { listShownInquiries } from '../../db/inquiries/queries.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { BuyerInquiry, INQUIRY_CUT, viewShown } from './schemas.ts';

export const listShown = endpoint({
  id: 'inquiries.listShown',
  route: 'GET /storefront/v1/products/{productId}/inquiries',
  summary: 'List the inquiries about a product on sale, by its id or its number, newest first; with a member token mine are whole',
  access: 'storefront',
  knowsMember: true,
  change: 'none',
  query: Type.Object(paging),
  data: listOf(BuyerInquiry),
  errors: ['PRODUCT_NOT_FOUND'],
}).handle(async ({ tx, customer, params, query }) => {
  const { items, total } = await listShownInquiries(tx, params.productId, query);
  const visitorId = customer?.customerId ?? null;
  const shown = items.map((item) => viewShown(item, visitorId));
  return fitted(page(query, shown, total), query.size, INQUIRY_CUT);
});
