import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { BuyerOrderItem } from './schemas.ts';
import { sendBuyerCommand, COMMAND_ERRORS } from './sendCommand.ts';

export const extend = endpoint({
  id: 'orders.extend',
  route: 'POST /storefront/v1/me/order-items/{orderItemId}/extend',
  summary: 'Put the automatic decision off by seven days',
  access: 'customer',
  agent: 'direct',
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: BuyerOrderItem,
  errors: COMMAND_ERRORS,
}).handle((call) => sendBuyerCommand(call, call.params.orderItemId, 'extend'));
