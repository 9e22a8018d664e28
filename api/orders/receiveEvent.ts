import type { viewItem } from '../../db/orders/views.ts';
import { numberProblems } from '../../domain/flows/run/data.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { itemContext } from './context.ts';
import { closed, Id, Type } from '../declare/schema.ts';
import { Input } from './acting.ts';
import { OrderItem } from './schemas.ts';
import { sendItemCommand } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

const NAME = /^custom\.[A-Za-z0-9_.-]{1,60}$/;
const MAX_DATA_BYTES = 16 * 1024;

interface Received {
  readonly orderItemId: string;
  readonly event: string;
  readonly affectedOrderItemIds: string[];
  readonly item: ReturnType<typeof viewItem>;
}
export const receiveEvent = endpoint({
  id: 'orders.receiveEvent',
  route: 'POST /v1/order-items/{orderItemId}/events/{name}',
  summary: 'Tell the item’s flow of an event, custom.<NAME>; its data become blocks of the flow',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'approval',
  target: ORDER_ITEM,
  facts: ['affectedOrderItemIds', 'refundAmount', 'pointRefundAmount'],
  unshown: ['data'],
  context: itemContext,
  change: 'workflow',
  idempotent: true,
  body: closed({ data: Type.Optional(Input) }, { title: 'FlowEventRequest' }),
  data: closed(
    { orderItemId: Id, event: Type.String(), affectedOrderItemIds: Type.Array(Id), item: OrderItem },
    { title: 'FlowEventResult' },
  ),
  errors: ['ORDER_ITEM_NOT_FOUND', 'FLOW_EVENT_KEY_INVALID', 'FLOW_EVENT_NOT_ACCEPTED'],
  check: ({ data }) =>
    data !== undefined && Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES
      ? [{ field: 'data', code: 'TOO_LONG', message: 'At most 16 KiB.' }]
      : numberProblems(data, 'data'),
}).handle(async (call) => {
  const { orderItemId, name } = call.params;
  if (!NAME.test(name)) throw new Fault('FLOW_EVENT_KEY_INVALID');
  const { data } = call.body;
  const payload = { name, ...(data && { data }) };
  return (await sendItemCommand(call, orderItemId, { name: 'receive', input: {}, payload })) as Received;
});
