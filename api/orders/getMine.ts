import { readOrder } from '../../db/orders/queries.ts';
import { viewBuyerOrder } from '../../db/orders/views.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { BuyerOrder } from './schemas.ts';

export const getMine = endpoint({
  id: 'orders.getMine',
  route: 'GET /storefront/v1/me/orders/{orderId}',
  summary: 'Read an order of mine',
  access: 'customer',
  change: 'none',
  isLarge: true,
  data: BuyerOrder,
  errors: ['ORDER_NOT_FOUND'],
}).handle(async ({ tx, customer, params, at }) => {
  const found = await readOrder(tx, params.orderId);
  if (found.order.customerId !== customer!.customerId) throw new Fault('ORDER_NOT_FOUND');
  return viewBuyerOrder(tx, found, at);
});
