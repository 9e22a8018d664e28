import { readOrder } from '../../db/orders/queries.ts';
import { viewBuyerOrder } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { guestFields, MAX_WRONG, verifyGuest } from './guestOrders.ts';
import { closed } from '../declare/schema.ts';
import { BuyerOrder } from './schemas.ts';

export const lookUp = endpoint({
  id: 'orders.lookUp',
  route: 'POST /storefront/v1/guest/orders/{orderId}',
  summary: `Read a guest order, by its id or number; locked after ${MAX_WRONG} wrong attempts in 15 minutes`,
  access: 'storefront',
  change: 'here',
  verifiesPassword: true,
  body: closed(guestFields, { title: 'GuestOrderRequest' }),
  data: BuyerOrder,
  errors: ['ORDER_NOT_FOUND'],
})
  .before(verifyGuest)
  .handle(async ({ tx, prepared: orderId, at }) => viewBuyerOrder(tx, await readOrder(tx, orderId), at));
