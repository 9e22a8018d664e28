import { listInvitations, viewInvitation } from '../../db/invitations/queries.ts';
import { INVITATION_STATUSES } from '../../domain/invitations/rules.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { listOf, oneOf, page, paging, Type } from '../kernel/schema.ts';
import { Invitation } from './schemas.ts';

export const list = endpoint({
  id: 'invitations.list',
  route: 'GET /v1/store/invitations',
  summary: 'List the invitations of the store, newest first',
  access: 'store',
  scopes: ['member:r'],
  change: 'none',
  query: Type.Object({ ...paging, status: Type.Optional(oneOf(INVITATION_STATUSES)) }),
  data: listOf(Invitation),
}).handle(async ({ tx, query }) => {
  const { status = null, ...paged } = query;
  const { items, total } = await listInvitations(tx, { ...paged, status });
  return page(paged, items.map(viewInvitation), total);
});
