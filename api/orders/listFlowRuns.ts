import { listFlowRuns as listRuns } from '../../db/orders/flows/runs.ts';
import { readItem } from '../../db/orders/queries.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { ListedFlowRun, RUN_CUT } from './runSchemas.ts';

export const listFlowRuns = endpoint({
  id: 'orders.listFlowRuns',
  route: 'GET /v1/order-items/{orderItemId}/flow/runs',
  summary: 'What happened to an item in its flow, the newest 50 records first',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  isLarge: true,
  data: closed({ items: Type.Array(ListedFlowRun) }, { title: 'FlowRuns' }),
  errors: ['ORDER_ITEM_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const { orderItemId } = await readItem(tx, params.orderItemId);
  const items = await listRuns(tx, orderItemId);
  return fitted({ items }, items.length, RUN_CUT);
});
