import { findFlow } from '../../db/flows/stored.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Draft, viewDraft } from './schemas.ts';

export const getDraft = endpoint({
  id: 'flows.getDraft',
  route: 'GET /v1/commerce-flows/{flowId}/draft',
  summary: 'Read the draft of the next version',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: Draft,
  errors: ['FLOW_NOT_FOUND', 'FLOW_DRAFT_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const flow = await findFlow(tx, params.flowId);
  if (!flow.draftGraph) throw new Fault('FLOW_DRAFT_NOT_FOUND');
  return viewDraft(flow);
});
