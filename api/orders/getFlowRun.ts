import { readFlowRun } from '../../db/orders/flows/runs.ts';
import { endpoint } from '../declare/endpoint.ts';
import { FlowRun } from './runSchemas.ts';

export const getFlowRun = endpoint({
  id: 'orders.getFlowRun',
  route: 'GET /v1/flow-runs/{runId}',
  summary: 'A record of a flow',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  data: FlowRun,
  errors: ['FLOW_RUN_NOT_FOUND'],
}).handle(({ tx, params }) => readFlowRun(tx, params.runId));
