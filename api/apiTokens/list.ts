import { listApiTokens } from '../../db/identity/apiTokens.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { ApiToken, viewApiToken } from './schemas.ts';

export const list = endpoint({
  id: 'apiTokens.list',
  route: 'GET /v1/store/api-tokens',
  summary: 'List the API tokens that are not revoked, newest first',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  change: 'none',
  query: Type.Object(paging),
  data: listOf(ApiToken),
}).handle(async ({ tx, query }) => {
  const { items, total } = await listApiTokens(tx, query);
  return page(query, items.map(viewApiToken), total);
});
