import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { act, ACTION_ERRORS, BuyerActionResult, inputFields } from './acting.ts';
import { checkOwner } from './owners.ts';

export const actAsBuyer = endpoint({
  id: 'orders.actAsBuyer',
  route: 'POST /storefront/v1/me/order-items/{orderItemId}/actions/{key}',
  summary: 'Take an action of the flow of an item of one’s own',
  access: 'customer',
  agent: 'direct',
  change: 'workflow',
  idempotent: true,
  body: closed(inputFields, { title: 'BuyerFlowActionRequest' }),
  data: BuyerActionResult,
  errors: ACTION_ERRORS,
}).handle(async (call) => {
  const { orderItemId, key } = call.params;
  await checkOwner(call, orderItemId);
  return act(call, orderItemId, { side: 'buyer', key, body: call.body });
});
