import { changeMember } from '../../db/identity/members.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { AssignedRole, Member, viewMember } from './schemas.ts';
import { MEMBER } from './subject.ts';

export const change = endpoint({
  id: 'members.change',
  route: 'PATCH /v1/store/members/{userId}',
  summary: 'Change the role of a member, at once',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['member:rw'],
  agent: 'denied',
  target: MEMBER,
  change: 'here',
  body: closed({ role: AssignedRole }, { title: 'MemberChange' }),
  data: Member,
  errors: ['MEMBER_NOT_FOUND', 'OWNER_CANNOT_LEAVE'],
}).handle(async ({ tx, params, body, person, role }) => {
  const actor = { userId: person!.userId, role: role! };
  const changed = await changeMember(tx, { actor, userId: params.userId, to: body.role });
  return viewMember(changed!);
});
