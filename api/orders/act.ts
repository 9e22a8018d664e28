import { endpoint } from '../declare/endpoint.ts';
import { itemContext } from './context.ts';
import { closed } from '../declare/schema.ts';
import { act as takeAction, ACTION_ERRORS, ActionResult, sellerFields } from './acting.ts';
import { ORDER_ITEM } from './subject.ts';

export const act = endpoint({
  id: 'orders.act',
  route: 'POST /v1/order-items/{orderItemId}/actions/{key}',
  summary: 'Take an action of the item’s flow',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'approval',
  target: ORDER_ITEM,
  facts: ['affectedOrderItemIds', 'refundAmount', 'pointRefundAmount'],
  unshown: ['input', 'attachments'],
  context: itemContext,
  change: 'workflow',
  idempotent: true,
  body: closed(sellerFields, { title: 'FlowActionRequest' }),
  data: ActionResult,
  errors: ACTION_ERRORS,
}).handle((call) => takeAction(call, call.params.orderItemId, { side: 'seller', key: call.params.key, body: call.body }));
