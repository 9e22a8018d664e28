import { currentGraph, findFlow } from '../../db/flows/stored.ts';
import { endpoint } from '../declare/endpoint.ts';
import { drawn } from './threads.ts';

export const drawGraph = endpoint({
  id: 'flows.drawGraph',
  route: 'GET /v1/commerce-flows/{flowId}/graph.svg',
  summary: 'Draw an order flow: its draft, or its newest version',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  image: 'image/svg+xml',
  errors: ['FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND'],
})
  .before((call) =>
    drawn(call, async (tx) => {
      const flow = await findFlow(tx, call.params.flowId);
      return { graph: await currentGraph(tx, flow), title: flow.name, way: null };
    }),
  )
  .handle(async ({ prepared }) => prepared);
