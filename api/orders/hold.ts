import { koreanDate } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Day, Name } from '../declare/schema.ts';
import { OrderItem } from './schemas.ts';
import { sendSellerCommand, COMMAND_ERRORS } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

export const hold = endpoint({
  id: 'orders.hold',
  route: 'POST /v1/order-items/{orderItemId}/hold',
  summary: 'Tell why an item is late and when it will be dispatched; a later hold replaces it',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  aiActions: 'always',
  target: ORDER_ITEM,
  change: 'workflow',
  idempotent: true,
  body: closed({ reason: Name(500), expectedDispatchDate: Day }, { title: 'HoldRequest' }),
  data: OrderItem,
  errors: COMMAND_ERRORS,
  check: ({ expectedDispatchDate }, _, { at }) =>
    expectedDispatchDate !== undefined && expectedDispatchDate < koreanDate(at)
      ? [{ field: 'expectedDispatchDate', code: 'OUT_OF_RANGE', message: 'This day is over.' }]
      : [],
}).handle((call) => {
  const { reason, expectedDispatchDate } = call.body;
  return sendSellerCommand(call, call.params.orderItemId, { name: 'hold', input: { expectedDispatchDate }, texts: { reasonId: reason } });
});
