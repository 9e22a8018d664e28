import { listMembers } from '../../db/identity/members.ts';
import type { Subject } from '../declare/subject.ts';
import { Member, viewMember } from './schemas.ts';

export const MEMBER: Subject = {
  type: 'MEMBER',
  idField: 'userId',
  listing: { given: ['userId', 'joinedAt'] },
  data: Member,
  read: async (tx, userId) => {
    const [found] = await listMembers(tx, userId);
    return found ? viewMember(found) : null;
  },
};
