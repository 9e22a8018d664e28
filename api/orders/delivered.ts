import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { OrderItem } from './schemas.ts';
import { sendSellerCommand, COMMAND_ERRORS } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

export const delivered = endpoint({
  id: 'orders.delivered',
  route: 'POST /v1/order-items/{orderItemId}/delivered',
  summary: 'Report an item as delivered',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  aiActions: 'always',
  target: ORDER_ITEM,
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: OrderItem,
  errors: [...COMMAND_ERRORS, 'NOT_SHIPPABLE'],
}).handle((call) => sendSellerCommand(call, call.params.orderItemId, { name: 'delivered', input: {} }));
