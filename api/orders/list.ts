import { listOrders } from '../../db/orders/store.ts';
import { viewOrder } from '../../db/orders/views.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { PUBLIC_STATUSES } from '../../workflows/orders/status.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { listOf, page, paging, Type } from '../kernel/schema.ts';
import { Order } from './schemas.ts';

export const list = endpoint({
  id: 'orders.list',
  route: 'GET /v1/orders',
  summary: 'List orders, newest first',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  query: Type.Object({
    ...paging,
    orderNo: Type.Optional(Type.String({ description: '14 digits, hyphens allowed' })),
    status: Type.Optional(Type.String({ description: 'progressStatus' })),
  }),
  data: listOf(Order),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ em, storeId, query }) => {
  const { orderNo, status: text, ...paged } = query;
  const number = orderNo?.replaceAll('-', '');
  if (number !== undefined && !/^\d{14}$/.test(number)) throw new Fault('INVALID_PARAMETER', { details: { parameter: 'orderNo' } });
  const status = PUBLIC_STATUSES.find((known) => known === text);
  if (text !== undefined && !status) throw new Fault('INVALID_PARAMETER', { details: { parameter: 'status' } });
  const filter = { ...paged, ...(number !== undefined && { orderNo: number }), ...(status && { status }) };
  const { items, total } = await listOrders(em, storeId, filter);
  return page(
    paged,
    items.map((found) => viewOrder(found.order, found.items, found.approvedAt)),
    total,
  );
});
