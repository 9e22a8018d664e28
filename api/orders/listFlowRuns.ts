import { listFlowRuns as listRuns } from '../../db/orders/flowRuns.ts';
import { readItem } from '../../db/orders/queries.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Type } from '../kernel/schema.ts';
import { FlowRun } from './runSchemas.ts';

export const listFlowRuns = endpoint({
  id: 'orders.listFlowRuns',
  route: 'GET /v1/order-items/{orderItemId}/flow/runs',
  summary: 'What happened to an item in its flow, the newest 50 records first',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  data: closed({ items: Type.Array(FlowRun) }, { title: 'FlowRuns' }),
  errors: ['ORDER_ITEM_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const { orderItemId } = await readItem(tx, params.orderItemId);
  return { items: await listRuns(tx, orderItemId) };
});
