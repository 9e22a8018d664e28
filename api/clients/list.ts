import { listClients } from '../../db/identity/clients.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, named, read } from '../declare/parameters.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { CLIENT_CUT, ListedClient, viewClient } from './schemas.ts';

const STATUSES = ['ACTIVE', 'REVOKED'] as const;

const Query = Type.Object({ ...paging, status: named(among(STATUSES), 'In this status') });

export const list = endpoint({
  id: 'clients.list',
  route: 'GET /v1/store/api-clients',
  summary: 'List the OAuth clients of the store, newest first',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  change: 'none',
  isLarge: true,
  query: Query,
  data: listOf(ListedClient),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const { status: _, ...paged } = query;
  const { items, total } = await listClients(tx, { ...paged, status: read(Query, query).status ?? null });
  return fitted(page(paged, items.map(viewClient), total), query.size, CLIENT_CUT);
});
