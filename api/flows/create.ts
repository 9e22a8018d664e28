import { createFlow } from '../../db/flows/commands.ts';
import { numberProblems } from '../../domain/flows/run/data.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Flow, FlowRequest, viewFlow } from './schemas.ts';
import { COMMERCE_FLOW } from './subject.ts';

const BOTH: FieldError = { field: 'graph', code: 'NOT_APPLICABLE', message: 'The preset has its graph: send one of them.' };

export const create = endpoint({
  id: 'flows.create',
  route: 'POST /v1/commerce-flows',
  summary: 'Create an order flow with the draft of its first version: of a preset, of a graph, or of one paid state',
  access: 'store',
  scopes: ['flow:rw'],
  agent: 'direct',
  target: COMMERCE_FLOW,
  change: 'here',
  idempotent: true,
  body: FlowRequest,
  check: (body) => ('presetKey' in body && 'graph' in body ? [BOTH] : numberProblems(body.graph, 'graph')),
  status: 201,
  data: Flow,
  errors: ['FLOW_PRESET_NOT_FOUND', 'FLOW_KEY_TAKEN'],
}).handle(async ({ tx, body, setHeader }) => {
  const flow = await createFlow(tx, body);
  setHeader('Location', `/v1/commerce-flows/${flow.flowId}`);
  return viewFlow(flow);
});
