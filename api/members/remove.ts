import { Fault } from '../../domain/kernel/errors.ts';
import { changeMember } from '../../db/identity/members.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { MEMBER } from './subject.ts';

export const remove = endpoint({
  id: 'members.remove',
  route: 'DELETE /v1/store/members/{userId}',
  summary: 'Remove a member, or leave; only a new invitation brings them back',
  access: 'store',
  // STAFF may remove themselves; any other removal is refused by their role.
  console: ['OWNER', 'ADMIN', 'STAFF'],
  agent: 'denied',
  target: MEMBER,
  change: 'here',
  // Of others they learn nothing, not even who is there.
  first: async (_, { userId }, { role, person }) => {
    if (role === 'STAFF' && userId !== person!.userId) throw new Fault('INSUFFICIENT_ROLE');
  },
  data: Type.Null(),
  errors: ['MEMBER_NOT_FOUND', 'OWNER_CANNOT_LEAVE'],
}).handle(async ({ tx, params, person, role }) => {
  const actor = { userId: person!.userId, role: role! };
  await changeMember(tx, { actor, userId: params.userId, to: null });
  return null;
});
