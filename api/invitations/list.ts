import { listInvitations, viewInvitation } from '../../db/invitations/queries.ts';
import { INVITATION_STATUSES } from '../../domain/invitations/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, named, read } from '../declare/parameters.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { Invitation } from './schemas.ts';

const Query = Type.Object({ ...paging, status: named(among(INVITATION_STATUSES), 'In this status') });

export const list = endpoint({
  id: 'invitations.list',
  route: 'GET /v1/store/invitations',
  summary: 'List the invitations of the store, newest first',
  access: 'store',
  scopes: ['member:r'],
  change: 'none',
  query: Query,
  data: listOf(Invitation),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const { status: _, ...paged } = query;
  const { items, total } = await listInvitations(tx, { ...paged, status: read(Query, query).status ?? null });
  return page(paged, items.map(viewInvitation), total);
});
