import { checkedFacts } from '../../db/flows/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Check } from './issues.ts';
import { FLOW_HEAD } from './subject.ts';
import { whole } from './threads.ts';

export const check = endpoint({
  id: 'flows.check',
  route: 'POST /v1/commerce-flows/{flowId}/draft/check',
  summary: 'Tell all problems of the draft, or of the newest version where there is none; nothing is changed',
  access: 'store',
  scopes: ['flow:r'],
  agent: 'direct',
  target: FLOW_HEAD,
  facts: ['publishable'],
  change: 'none',
  data: Check,
  errors: ['FLOW_NOT_FOUND'],
})
  .before((call) => whole(call, async (tx) => ({ type: 'check', draft: await checkedFacts(tx, call.params.flowId) })))
  .handle(async ({ prepared: { publishable, blocking, warnings } }) => ({ publishable, blocking: [...blocking], warnings: [...warnings] }));
