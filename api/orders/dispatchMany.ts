import { endpoint } from '../declare/endpoint.ts';
import { dispatchProblems } from '../../domain/orders/rules.ts';
import { closed, Id, Type } from '../declare/schema.ts';
import { bulk, each } from './bulk.ts';
import { CARRIED, dispatchFields } from './schemas.ts';
import { dispatchCommand } from './sendCommand.ts';

export const dispatchMany = endpoint({
  ...bulk,
  id: 'orders.dispatchMany',
  route: 'POST /v1/order-items/dispatch',
  summary: 'Dispatch up to 100 items, each with its shipment',
  body: closed(
    { items: Type.Array(closed({ orderItemId: Id, ...dispatchFields }, { 'x-document': CARRIED }), { minItems: 1, maxItems: 100 }) },
    { title: 'DispatchManyRequest' },
  ),
  // One malformed item refuses the whole request.
  check: ({ items = [] }) =>
    items.flatMap((item, i) => dispatchProblems(item ?? {}).map((problem) => ({ ...problem, field: `items[${i}].${problem.field}` }))),
}).handle((call) =>
  each(
    call,
    call.body.items.map(({ orderItemId, ...sent }) => ({ orderItemId, command: dispatchCommand(sent) })),
  ),
);
