import { listInvitations, viewInvitation } from '../../db/invitations/queries.ts';
import { INVITATION_STATUSES } from '../../domain/invitations/rules.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { among, named, read } from '../kernel/query.ts';
import { listOf, page, paging, Type } from '../kernel/schema.ts';
import { Invitation } from './schemas.ts';

export const list = endpoint({
  id: 'invitations.list',
  route: 'GET /v1/store/invitations',
  summary: 'List the invitations of the store, newest first',
  access: 'store',
  scopes: ['member:r'],
  change: 'none',
  query: Type.Object({ ...paging, status: named({ enum: INVITATION_STATUSES }, 'In this status') }),
  data: listOf(Invitation),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const { status, ...paged } = query;
  const wanted = read('status', status, among(INVITATION_STATUSES)) ?? null;
  const { items, total } = await listInvitations(tx, { ...paged, status: wanted });
  return page(paged, items.map(viewInvitation), total);
});
