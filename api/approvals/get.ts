import { findApproval } from '../../db/approvals/queries.ts';
import { viewApproval } from '../../db/approvals/views.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Approval } from './schemas.ts';

export const get = endpoint({
  id: 'approvals.get',
  route: 'GET /v1/approval-requests/{approvalId}',
  summary: 'Read what an agent asked for, what would change and how it was decided; agents read their own',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agentAccess: 'own',
  change: 'none',
  data: Approval,
  errors: ['APPROVAL_NOT_FOUND'],
}).handle(async ({ tx, params, deps, isAgent, principal }) => {
  const approval = await findApproval(tx, params.approvalId);
  // Another agent's does not exist.
  if (isAgent && approval.principal !== principal) throw new Fault('APPROVAL_NOT_FOUND');
  return viewApproval(tx, approval, { consoleUrl: deps.config.mail.consoleUrl, keyring: isAgent ? deps.keyring : null });
});
