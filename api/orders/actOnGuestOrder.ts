import { endpoint } from '../declare/endpoint.ts';
import { guestFields, verifyGuest } from './guestOrders.ts';
import { closed } from '../declare/schema.ts';
import { inputFields, OrderActionResult } from './acting.ts';
import { actOnItems, ORDER_ACTION_ERRORS } from './actingOnOrder.ts';

export const actOnGuestOrder = endpoint({
  id: 'orders.actOnGuestOrder',
  route: 'POST /storefront/v1/guest/orders/{orderId}/actions/{key}',
  summary: 'Take an action of every item of a guest order that has it',
  access: 'storefront',
  change: 'workflow',
  idempotent: true,
  verifiesPassword: true,
  body: closed({ ...guestFields, ...inputFields }, { title: 'GuestOrderFlowActionRequest' }),
  data: OrderActionResult,
  errors: ORDER_ACTION_ERRORS,
})
  .before(verifyGuest)
  .handle((call) => {
    const { input } = call.body;
    return actOnItems(call, call.prepared, { side: 'buyer', key: call.params.key, body: { ...(input && { input }) } });
  });
