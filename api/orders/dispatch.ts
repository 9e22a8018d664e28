import { dispatchProblems } from '../../domain/orders/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { CARRIED, dispatchFields, OrderItem } from './schemas.ts';
import { COMMAND_ERRORS, dispatchCommand, sendSellerCommand } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

export const dispatch = endpoint({
  id: 'orders.dispatch',
  route: 'POST /v1/order-items/{orderItemId}/dispatch',
  summary: 'Dispatch a prepared item',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  aiActions: 'always',
  target: ORDER_ITEM,
  change: 'workflow',
  idempotent: true,
  body: closed(dispatchFields, { title: 'DispatchRequest', 'x-document': CARRIED }),
  data: OrderItem,
  errors: [...COMMAND_ERRORS, 'NOT_SHIPPABLE'],
  check: dispatchProblems,
}).handle((call) => sendSellerCommand(call, call.params.orderItemId, dispatchCommand(call.body)));
