import { listCustomers } from '../../db/customers/list.ts';
import { CUSTOMER_SORTS } from '../../domain/customers/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { FLAGS, sent } from '../declare/parameters.ts';
import { Day, listOf, oneOf, page, paging, Type } from '../declare/schema.ts';
import { INCLUDE_TEST, ListedCustomer, viewListed } from './schemas.ts';

export const list = endpoint({
  id: 'customers.list',
  route: 'GET /v1/customers',
  summary: 'List the members of the shop, by default the newest first',
  access: 'store',
  scopes: ['customer:r'],
  change: 'none',
  query: Type.Object({
    ...paging,
    keyword: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Part of the name or e-mail, or the last four digits of the phone' }),
    ),
    joinedFrom: Type.Optional(Day),
    joinedTo: Type.Optional(Day),
    marketingConsent: Type.Optional(oneOf(FLAGS)),
    ...INCLUDE_TEST,
    sort: Type.Optional(oneOf(CUSTOMER_SORTS, '- is descending; nulls last; -joinedAt when left out')),
  }),
  data: listOf(ListedCustomer),
}).handle(async ({ tx, query }) => {
  const { page: at, size, keyword, joinedFrom, joinedTo, marketingConsent, includeTest, sort = '-joinedAt' } = query;
  const { items, total } = await listCustomers(tx, {
    page: at,
    size,
    sort,
    includeTest: includeTest === 'true',
    ...sent({ keyword, joinedFrom, joinedTo, marketingConsent: marketingConsent && marketingConsent === 'true' }),
  });
  return page(query, items.map(viewListed), total);
});
