import { endpoint } from '../declare/endpoint.ts';
import { Approval, DecisionRequest } from './schemas.ts';
import { DECISION_ERRORS, sendDecision } from './sendDecision.ts';
import { APPROVAL } from './subject.ts';

export const reject = endpoint({
  id: 'approvals.reject',
  route: 'POST /v1/approval-requests/{approvalId}/reject',
  summary: 'Reject what an agent asked for; it is not carried out',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agentAccess: 'none',
  agent: 'denied',
  target: APPROVAL,
  change: 'workflow',
  idempotent: true,
  body: DecisionRequest,
  data: Approval,
  errors: DECISION_ERRORS,
}).handle(async (call) => (await sendDecision(call, 'reject')).record);
