import { endpoint } from '../kernel/endpoint.ts';
import { closed } from '../kernel/schema.ts';
import { BuyerOrderItem } from './schemas.ts';
import { buyerWish, WISH_ERRORS } from './wish.ts';

export const decide = endpoint({
  id: 'orders.decide',
  route: 'POST /storefront/v1/me/order-items/{orderItemId}/decide',
  summary: 'Decide a purchase: it is kept',
  access: 'customer',
  agent: 'direct',
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: BuyerOrderItem,
  errors: WISH_ERRORS,
}).handle((call) => buyerWish(call, call.params.orderItemId, 'decide'));
