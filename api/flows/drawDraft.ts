import { findFlow } from '../../db/flows/stored.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { drawn } from './threads.ts';

export const drawDraft = endpoint({
  id: 'flows.drawDraft',
  route: 'GET /v1/commerce-flows/{flowId}/draft/graph.svg',
  summary: 'Draw the draft of the next version, broken as it may be',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  image: 'image/svg+xml',
  errors: ['FLOW_NOT_FOUND', 'FLOW_DRAFT_NOT_FOUND'],
})
  .before((call) =>
    drawn(call, async (tx) => {
      const { draftGraph, name, latestVersion } = await findFlow(tx, call.params.flowId);
      if (!draftGraph) throw new Fault('FLOW_DRAFT_NOT_FOUND');
      return { graph: draftGraph, title: `${name} · 초안 ${latestVersion + 1}`, way: null };
    }),
  )
  .handle(async ({ prepared }) => prepared);
