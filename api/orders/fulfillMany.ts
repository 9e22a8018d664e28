import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { bulk, each } from './bulk.ts';
import { fulfillment } from './fulfill.ts';
import { Note, OrderItemIds } from './schemas.ts';

export const fulfillMany = endpoint({
  ...bulk,
  id: 'orders.fulfillMany',
  route: 'POST /v1/order-items/fulfill',
  summary: 'Provide up to 100 items that are not shipped',
  body: closed({ orderItemIds: OrderItemIds, note: Type.Optional(Note) }, { title: 'FulfillManyRequest' }),
}).handle((call) =>
  each(
    call,
    call.body.orderItemIds.map((orderItemId) => ({ orderItemId, command: fulfillment(call.body.note) })),
  ),
);
