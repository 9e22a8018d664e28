import { listApprovals, namesOf } from '../../db/approvals/queries.ts';
import { viewListed } from '../../db/approvals/views.ts';
import { APPROVAL_STATUSES } from '../../domain/approvals/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { amongAll, named, read } from '../declare/parameters.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { ListedApproval } from './schemas.ts';

const Query = Type.Object({
  ...paging,
  status: named(amongAll(APPROVAL_STATUSES), `Any of ${APPROVAL_STATUSES.join(', ')}, separated by commas`),
  operationId: Type.Optional(Type.String({ maxLength: 100 })),
});

export const list = endpoint({
  id: 'approvals.list',
  route: 'GET /v1/approval-requests',
  summary: 'List what agents asked for, newest first',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agentAccess: 'none',
  change: 'none',
  isLarge: true,
  query: Query,
  data: listOf(ListedApproval),
  errors: ['INVALID_PARAMETER', 'AGENT_OPERATION_DENIED'],
}).handle(async ({ tx, query, deps }) => {
  const { status: _, operationId = null, ...paged } = query;
  const statuses = read(Query, query).status ?? null;
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
