import { endpoint } from '../declare/endpoint.ts';
import { guestFields, verifyGuest } from './guestOrders.ts';
import { closed } from '../declare/schema.ts';
import { act, ACTION_ERRORS, BuyerActionResult, inputFields } from './acting.ts';
import { checkGuestItem } from './owners.ts';

export const actAsGuest = endpoint({
  id: 'orders.actAsGuest',
  route: 'POST /storefront/v1/guest/orders/{orderId}/items/{orderItemId}/actions/{key}',
  summary: 'Take an action of the flow of an item of a guest order',
  access: 'storefront',
  change: 'workflow',
  idempotent: true,
  verifiesPassword: true,
  body: closed({ ...guestFields, ...inputFields }, { title: 'GuestFlowActionRequest' }),
  data: BuyerActionResult,
  errors: ['ORDER_NOT_FOUND', ...ACTION_ERRORS],
})
  .before(verifyGuest)
  .handle(async (call) => {
    const { orderItemId, key } = call.params;
    await checkGuestItem(call, call.prepared, orderItemId);
    const { input } = call.body;
    return act(call, orderItemId, { side: 'buyer', key, body: { ...(input && { input }) } });
  });
