import { endpoint } from '../kernel/endpoint.ts';
import { closed } from '../kernel/schema.ts';
import { OrderItem } from './schemas.ts';
import { wish, WISH_ERRORS } from './wish.ts';

export const delivered = endpoint({
  id: 'orders.delivered',
  route: 'POST /v1/order-items/{orderItemId}/delivered',
  summary: 'Report an item as delivered',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: OrderItem,
  errors: [...WISH_ERRORS, 'NOT_SHIPPABLE'],
}).handle((call) => wish(call, call.params.orderItemId, { name: 'delivered', input: {} }));
