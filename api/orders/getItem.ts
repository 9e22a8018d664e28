import { readItem } from '../../db/orders/queries.ts';
import { viewItem } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { OrderItem } from './schemas.ts';

export const getItem = endpoint({
  id: 'orders.getItem',
  route: 'GET /v1/order-items/{orderItemId}',
  summary: 'Read an order item',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  data: OrderItem,
  errors: ['ORDER_ITEM_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewItem(await readItem(tx, params.orderItemId)));
