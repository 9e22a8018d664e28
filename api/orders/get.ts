import { readOrder } from '../../db/orders/queries.ts';
import { viewOrder } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Order } from './schemas.ts';

export const get = endpoint({
  id: 'orders.get',
  route: 'GET /v1/orders/{orderId}',
  summary: 'Read an order with its items',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  isLarge: true,
  data: Order,
  errors: ['ORDER_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  return viewOrder(tx, await readOrder(tx, params.orderId));
});
