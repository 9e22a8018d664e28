import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { BuyerOrderItem } from './schemas.ts';
import { sendBuyerCommand, COMMAND_ERRORS } from './sendCommand.ts';

export const decide = endpoint({
  id: 'orders.decide',
  route: 'POST /storefront/v1/me/order-items/{orderItemId}/decide',
  summary: 'Decide a purchase: it is kept',
  access: 'customer',
  agent: 'direct',
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: BuyerOrderItem,
  errors: COMMAND_ERRORS,
}).handle((call) => sendBuyerCommand(call, call.params.orderItemId, 'decide'));
