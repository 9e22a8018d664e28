import { listMembers } from '../../db/identity/members.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Type } from '../kernel/schema.ts';
import { Member, viewMember } from './schemas.ts';

export const list = endpoint({
  id: 'members.list',
  route: 'GET /v1/store/members',
  summary: 'List the members of the store',
  access: 'store',
  scopes: ['member:r'],
  change: 'none',
  data: closed({ items: Type.Array(Member) }),
}).handle(async ({ tx }) => ({ items: (await listMembers(tx)).map(viewMember) }));
