import { readFlowHead } from '../../db/flows/queries.ts';
import { readItem } from '../../db/orders/queries.ts';
import { viewFlow } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Flow } from './flowSchemas.ts';

export const flow = endpoint({
  id: 'orders.flow',
  route: 'GET /v1/order-items/{orderItemId}/flow',
  summary: 'Where an order item stands in its flow, and what may be done with it',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  data: Flow,
  errors: ['ORDER_ITEM_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const item = await readItem(tx, params.orderItemId);
  return viewFlow(item, await readFlowHead(tx, item));
});
