import { checkCustomer } from '../../db/customers/list.ts';
import { listOrders as findOrders } from '../../db/orders/queries.ts';
import { viewListedOrder } from '../../db/orders/views.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { flag, named, read } from '../declare/parameters.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { ListedOrder, ORDER_CUT } from '../orders/schemas.ts';

const Query = Type.Object({ ...paging, testPayment: named(flag, 'true or false') });

export const listOrders = endpoint({
  id: 'customers.listOrders',
  route: 'GET /v1/customers/{customerId}/orders',
  summary: 'List the orders of a member, of all times and in sandbox mode too, newest first',
  access: 'store',
  scopes: ['customer:r'],
  change: 'none',
  isLarge: true,
  query: Query,
  data: listOf(ListedOrder),
  errors: ['CUSTOMER_NOT_FOUND', 'INVALID_PARAMETER'],
}).handle(async ({ tx, params: { customerId }, query }) => {
  await checkCustomer(tx, customerId);
  const { items, total } = await findOrders(tx, 'orderedAt', { page: query.page, size: query.size, customerId, ...read(Query, query) });
  return fitted(page(query, items.map(viewListedOrder), total), query.size, ORDER_CUT);
});
