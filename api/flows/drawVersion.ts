import { findFlow, graphOf, versionNumber } from '../../db/flows/stored.ts';
import { endpoint } from '../declare/endpoint.ts';
import { drawn } from './threads.ts';

export const drawVersion = endpoint({
  id: 'flows.drawVersion',
  route: 'GET /v1/commerce-flows/{flowId}/versions/{version}/graph.svg',
  summary: 'Draw a published version',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  image: 'image/svg+xml',
  errors: ['FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND'],
})
  .before((call) =>
    drawn(call, async (tx) => {
      const flow = await findFlow(tx, call.params.flowId);
      const version = versionNumber(call.params.version);
      return { graph: await graphOf(tx, flow, version), title: `${flow.name} · 버전 ${version}`, way: null };
    }),
  )
  .handle(async ({ prepared }) => prepared);
