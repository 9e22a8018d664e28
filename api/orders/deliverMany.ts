import { endpoint } from '../declare/endpoint.ts';
import { bulk, each, Ids } from './bulk.ts';

export const deliverMany = endpoint({
  ...bulk,
  id: 'orders.deliverMany',
  route: 'POST /v1/order-items/delivered',
  summary: 'Report up to 100 items as delivered',
  body: Ids,
}).handle((call) =>
  each(
    call,
    call.body.orderItemIds.map((orderItemId) => ({ orderItemId, command: { name: 'delivered', input: {} } })),
  ),
);
