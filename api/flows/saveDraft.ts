import { saveDraft as save } from '../../db/flows/commands.ts';
import { numberProblems } from '../../domain/flows/run/data.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Draft, DraftRequest, viewDraft } from './schemas.ts';
import { COMMERCE_FLOW, refuseDefault } from './subject.ts';

export const saveDraft = endpoint({
  id: 'flows.saveDraft',
  route: 'PUT /v1/commerce-flows/{flowId}/draft',
  summary: 'Replace the draft, or open that of the next version; only its form is judged',
  access: 'store',
  scopes: ['flow:rw'],
  agent: 'direct',
  target: COMMERCE_FLOW,
  change: 'here',
  first: refuseDefault,
  body: DraftRequest,
  check: ({ graph }) => numberProblems(graph, 'graph'),
  data: Draft,
  errors: ['FLOW_NOT_FOUND', 'FLOW_DEFAULT_LOCKED'],
}).handle(async ({ tx, params, body }) => viewDraft(await save(tx, params.flowId, body.graph)));
