import { listItems as findItems } from '../../db/orders/store.ts';
import { viewItem } from '../../db/orders/views.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { PUBLIC_STATUSES } from '../../workflows/orders/status.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { Id, listOf, page, paging, Type } from '../kernel/schema.ts';
import { OrderItem } from './schemas.ts';

export const listItems = endpoint({
  id: 'orders.listItems',
  route: 'GET /v1/order-items',
  summary: 'List order items, last changed first',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  query: Type.Object({ ...paging, orderId: Type.Optional(Id), status: Type.Optional(Type.String()) }),
  data: listOf(OrderItem),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ em, storeId, query }) => {
  const { orderId, status: text, ...paged } = query;
  const status = PUBLIC_STATUSES.find((known) => known === text);
  if (text !== undefined && !status) throw new Fault('INVALID_PARAMETER', { details: { parameter: 'status' } });
  const { items, total } = await findItems(em, storeId, { ...paged, ...(orderId !== undefined && { orderId }), ...(status && { status }) });
  return page(paged, items.map(viewItem), total);
});
