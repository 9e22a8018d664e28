import { endpoint } from '../declare/endpoint.ts';
import { bulk, each, Ids } from './bulk.ts';

export const confirmMany = endpoint({
  ...bulk,
  id: 'orders.confirmMany',
  route: 'POST /v1/order-items/confirm',
  summary: 'Confirm up to 100 items',
  body: Ids,
}).handle((call) =>
  each(
    call,
    call.body.orderItemIds.map((orderItemId) => ({ orderItemId, command: { name: 'confirm', input: {} } })),
  ),
);
