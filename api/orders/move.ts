import { endpoint } from '../declare/endpoint.ts';
import { itemContext } from './context.ts';
import { closed, Name, Type } from '../declare/schema.ts';
import { OrderItem } from './schemas.ts';
import { sendSellerCommand } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

export const move = endpoint({
  id: 'orders.move',
  route: 'POST /v1/order-items/{orderItemId}/flow/move',
  summary: 'Set an item to a state of its flow directly, without what edges do',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'approval',
  target: ORDER_ITEM,
  facts: ['refundAmount', 'pointRefundAmount'],
  context: itemContext,
  change: 'workflow',
  idempotent: true,
  body: closed(
    {
      to: Type.String({ minLength: 1, maxLength: 40, description: 'One of moveTargets' }),
      reason: Name(500),
    },
    { title: 'FlowMoveRequest' },
  ),
  data: OrderItem,
  errors: ['ORDER_ITEM_NOT_FOUND', 'FLOW_MOVE_NOT_ALLOWED'],
}).handle(({ params, body: { to, reason }, ...call }) =>
  sendSellerCommand(call, params.orderItemId, { name: 'move', input: { to }, texts: { reasonId: reason } }),
);
