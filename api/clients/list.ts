import { listClients } from '../../db/identity/clients.ts';
import { fitted } from '../kernel/answers.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { listOf, oneOf, page, paging, Type } from '../kernel/schema.ts';
import { CLIENT_CUT, ListedClient, viewClient } from './schemas.ts';

export const list = endpoint({
  id: 'clients.list',
  route: 'GET /v1/store/api-clients',
  summary: 'List the OAuth clients of the store, newest first',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  change: 'none',
  query: Type.Object({ ...paging, status: Type.Optional(oneOf(['ACTIVE', 'REVOKED'])) }),
  data: listOf(ListedClient),
}).handle(async ({ tx, query }) => {
  const { status = null, ...paged } = query;
  const { items, total } = await listClients(tx, { ...paged, status });
  return fitted(page(paged, items.map(viewClient), total), query.size, CLIENT_CUT);
});
