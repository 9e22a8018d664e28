import { findFlow, graphOf, versionNumber } from '../../db/flows/stored.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { draw } from './picture/draw.ts';

export const drawVersion = endpoint({
  id: 'flows.drawVersion',
  route: 'GET /v1/commerce-flows/{flowId}/versions/{version}/graph.svg',
  summary: 'Draw a published version',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  image: 'image/svg+xml',
  errors: ['FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const flow = await findFlow(tx, params.flowId);
  const version = versionNumber(params.version);
  return draw(await graphOf(tx, flow, version), `${flow.name} · 버전 ${version}`);
});
