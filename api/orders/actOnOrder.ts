import { endpoint } from '../declare/endpoint.ts';
import { orderContext } from './context.ts';
import { closed } from '../declare/schema.ts';
import { OrderActionResult, sellerFields } from './acting.ts';
import { actOnItems, ORDER_ACTION_ERRORS } from './actingOnOrder.ts';
import { ORDER } from './subject.ts';

export const actOnOrder = endpoint({
  id: 'orders.actOnOrder',
  route: 'POST /v1/orders/{orderId}/actions/{key}',
  summary: 'Take an action of every item of an order that has it',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'approval',
  target: ORDER,
  facts: ['completed', 'skipped', 'failed', 'refundAmount', 'pointRefundAmount'],
  unshown: ['input', 'attachments'],
  context: orderContext,
  change: 'workflow',
  idempotent: true,
  body: closed(sellerFields, { title: 'OrderFlowActionRequest' }),
  data: OrderActionResult,
  errors: ORDER_ACTION_ERRORS,
}).handle((call) => actOnItems(call, call.params.orderId, { side: 'seller', key: call.params.key, body: call.body }));
