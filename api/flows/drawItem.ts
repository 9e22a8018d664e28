import { readFlowHead } from '../../db/flows/queries.ts';
import { flowOf } from '../../db/flows/loaded.ts';
import { readItem } from '../../db/orders/queries.ts';
import { readWay } from '../../db/orders/flows/way.ts';
import { endpoint } from '../declare/endpoint.ts';
import { drawn } from './threads.ts';

export const drawItem = endpoint({
  id: 'flows.drawItem',
  route: 'GET /v1/order-items/{orderItemId}/flow.svg',
  summary: 'Draw the flow of an order item, with the way that it took',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  image: 'image/svg+xml',
  errors: ['ORDER_ITEM_NOT_FOUND'],
})
  .before((call) =>
    drawn(call, async (tx) => {
      const item = await readItem(tx, call.params.orderItemId);
      const { name } = await readFlowHead(tx, item);
      const title = `${name} · 버전 ${item.flowVersion} · ${item.orderItemNo}`;
      return { graph: flowOf(item).main.graph, title, way: await readWay(tx, item) };
    }),
  )
  .handle(async ({ prepared }) => prepared);
