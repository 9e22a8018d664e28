import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { Note, OrderItem } from './schemas.ts';
import { type ItemCommandRequest, sendSellerCommand, COMMAND_ERRORS } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

export const fulfill = endpoint({
  id: 'orders.fulfill',
  route: 'POST /v1/order-items/{orderItemId}/fulfill',
  summary: 'Provide an item that is not shipped',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  aiActions: 'always',
  target: ORDER_ITEM,
  change: 'workflow',
  idempotent: true,
  body: closed({ note: Type.Optional(Note) }, { title: 'FulfillRequest' }),
  data: OrderItem,
  errors: [...COMMAND_ERRORS, 'SHIPPING_REQUIRED'],
}).handle((call) => sendSellerCommand(call, call.params.orderItemId, fulfillment(call.body.note)));

/** The fulfill command with its note. */
export const fulfillment = (note: string | undefined): ItemCommandRequest => ({
  name: 'fulfill',
  input: {},
  ...(note !== undefined && { texts: { noteId: note } }),
});
