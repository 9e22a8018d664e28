import { checkOrderOf } from '../../db/orders/lookups.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { inputFields, OrderActionResult } from './acting.ts';
import { actOnItems, ORDER_ACTION_ERRORS } from './actingOnOrder.ts';

export const actOnMyOrder = endpoint({
  id: 'orders.actOnMyOrder',
  route: 'POST /storefront/v1/me/orders/{orderId}/actions/{key}',
  summary: 'Take an action of every item of an order of one’s own that has it',
  access: 'customer',
  agent: 'direct',
  change: 'workflow',
  idempotent: true,
  body: closed(inputFields, { title: 'BuyerOrderFlowActionRequest' }),
  data: OrderActionResult,
  errors: ORDER_ACTION_ERRORS,
}).handle(async (call) => {
  const { orderId, key } = call.params;
  await call.commands.read((tx) => checkOrderOf(tx, orderId, call.customer!.customerId));
  return actOnItems(call, orderId, { side: 'buyer', key, body: call.body });
});
