import { findFlow } from '../../db/flows/stored.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { draw } from './picture/draw.ts';

export const drawDraft = endpoint({
  id: 'flows.drawDraft',
  route: 'GET /v1/commerce-flows/{flowId}/draft/graph.svg',
  summary: 'Draw the draft of the next version, broken as it may be',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  image: 'image/svg+xml',
  errors: ['FLOW_NOT_FOUND', 'FLOW_DRAFT_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const flow = await findFlow(tx, params.flowId);
  if (!flow.draftGraph) throw new Fault('FLOW_DRAFT_NOT_FOUND');
  return draw(flow.draftGraph, `${flow.name} · 초안 ${flow.latestVersion + 1}`);
});
