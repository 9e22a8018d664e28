import { DELIVERY_METHODS, dispatchProblems } from '../../workflows/orders/rules.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, oneOf, Type } from '../kernel/schema.ts';
import { OrderItem } from './schemas.ts';
import { wish } from './wish.ts';

export const dispatch = endpoint({
  id: 'orders.dispatch',
  route: 'POST /v1/order-items/{orderItemId}/dispatch',
  summary: 'Dispatch a prepared item',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  change: 'workflow',
  idempotent: true,
  body: closed(
    {
      deliveryMethod: oneOf(DELIVERY_METHODS),
      carrierCode: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
      trackingNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 40, pattern: '^[0-9A-Za-z-]+$' })),
    },
    { title: 'DispatchRequest' },
  ),
  data: OrderItem,
  errors: ['ORDER_ITEM_NOT_FOUND', 'INVALID_STATUS'],
  check: dispatchProblems,
}).handle((call) => wish(call, call.params.orderItemId, 'dispatch', { ...call.body }));
