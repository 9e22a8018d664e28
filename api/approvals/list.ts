import { listApprovals, namesOf } from '../../db/approvals/queries.ts';
import { viewListed } from '../../db/approvals/views.ts';
import { APPROVAL_STATUSES, type ApprovalStatus } from '../../domain/approvals/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { listOf, page, paging, Type } from '../kernel/schema.ts';
import { ListedApproval } from './schemas.ts';

export const list = endpoint({
  id: 'approvals.list',
  route: 'GET /v1/approval-requests',
  summary: 'List what agents asked for, newest first',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agentAccess: 'none',
  change: 'none',
  query: Type.Object({
    ...paging,
    status: Type.Optional(Type.String({ description: `Any of ${APPROVAL_STATUSES.join(', ')}, separated by commas` })),
    operationId: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  data: listOf(ListedApproval),
  errors: ['INVALID_PARAMETER', 'AGENT_OPERATION_DENIED'],
}).handle(async ({ tx, query, deps }) => {
  const { status, operationId = null, ...paged } = query;
  const statuses = status === undefined ? null : statusesIn(status);
  const { items, total } = await listApprovals(tx, { ...paged, statuses, operationId });
  const names = await namesOf(
    tx,
    items.map(({ approverUserId }) => approverUserId),
  );
  const shown = items.map((approval) => {
    const { changesTruncated } = approval;
    const { previewDigest, ...listed } = viewListed(approval, tx.at, deps.config.mail.consoleUrl, names);
    return { ...listed, previewDigest: changesTruncated ? null : previewDigest, changesTruncated };
  });
  return page(paged, shown, total);
});

const isStatus = (text: string): text is ApprovalStatus => (APPROVAL_STATUSES as readonly string[]).includes(text);
/** INVALID_PARAMETER for anything else. */
function statusesIn(text: string): ApprovalStatus[] {
  const named = text.split(',');
  if (!named.every(isStatus)) throw new Fault('INVALID_PARAMETER', { details: { parameter: 'status' } });
  return named;
}
