import { INVITATION_STATUSES } from '../../domain/invitations/rules.ts';
import { AssignedRole } from '../members/schemas.ts';
import { closed, Email, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const Invitation = closed(
  {
    invitationId: Id,
    email: Type.String(),
    role: AssignedRole,
    status: oneOf(INVITATION_STATUSES),
    deliveryStatus: nullable(oneOf(['SENT', 'FAILED'], 'Null: not sent yet')),
    deliveryErrorCode: nullable(Type.String()),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  },
  { title: 'Invitation' },
);
export const InvitationRequest = closed({ email: Email, role: AssignedRole }, { title: 'InvitationRequest' });
