import { currentGraph, findFlow } from '../../db/flows/stored.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { draw } from './picture/draw.ts';

export const drawGraph = endpoint({
  id: 'flows.drawGraph',
  route: 'GET /v1/commerce-flows/{flowId}/graph.svg',
  summary: 'Draw an order flow: its draft, or its newest version',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  image: 'image/svg+xml',
  errors: ['FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const flow = await findFlow(tx, params.flowId);
  return draw(await currentGraph(tx, flow), flow.name);
});
