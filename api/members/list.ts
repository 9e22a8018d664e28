import { countMembers, listMembers } from '../../db/identity/members.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, Type, wholePaging } from '../declare/schema.ts';
import { Member, viewMember } from './schemas.ts';

export const list = endpoint({
  id: 'members.list',
  route: 'GET /v1/store/members',
  summary: 'List the members of the store',
  access: 'store',
  scopes: ['member:r'],
  change: 'none',
  query: Type.Object(wholePaging),
  data: listOf(Member),
}).handle(async ({ tx, query }) => {
  const items = await listMembers(tx, null, query);
  return page(query, items.map(viewMember), await countMembers(tx));
});
