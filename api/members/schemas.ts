import type { ShownMember } from '../../db/identity/members.ts';
import { korean } from '../../domain/kernel/time.ts';
import { closed, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const Member = closed(
  { userId: Id, email: Type.String(), name: nullable(Type.String()), role: oneOf(['OWNER', 'ADMIN', 'STAFF']), joinedAt: Timestamp },
  { title: 'Member' },
);
/** OWNER is assigned only by a transfer of ownership. */
export const AssignedRole = oneOf(['ADMIN', 'STAFF']);

export const viewMember = ({ joinedAt, ...member }: ShownMember) => ({ ...member, joinedAt: korean(joinedAt) });
