import { findFlow, SHOWN_VERSIONS, versionsOf } from '../../db/flows/stored.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Flow, viewFlow } from './schemas.ts';

export const get = endpoint({
  id: 'flows.get',
  route: 'GET /v1/commerce-flows/{flowId}',
  summary: 'Read an order flow with its draft and its versions',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: Flow,
  errors: ['FLOW_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const flow = await findFlow(tx, params.flowId);
  return viewFlow(flow, (await versionsOf(tx, [flow], SHOWN_VERSIONS)).get(flow.flowId));
});
