/** The invitation's row as its machine's state, and back. */
import type { InvitationState } from '../../domain/invitations/machine.ts';
import type { Invitation } from './entities.ts';

export const stateOf = (invitation: Invitation): InvitationState => ({
  storeId: invitation.storeId,
  invitationId: invitation.invitationId,
  status: invitation.status,
  sendNo: invitation.sendNo,
  sendAttempts: invitation.sendAttempts,
  nextSendAt: invitation.nextSendAt?.getTime() ?? null,
  expiresAt: invitation.expiresAt.getTime(),
  deliveryStatus: invitation.deliveryStatus ?? null,
  deliveryErrorCode: invitation.deliveryErrorCode ?? null,
});

/** What a decision may have changed, as columns. */
export const columnsOf = ({ status, sendNo, sendAttempts, nextSendAt, expiresAt, deliveryStatus, deliveryErrorCode }: InvitationState) => ({
  status,
  sendNo,
  sendAttempts,
  nextSendAt: nextSendAt === null ? null : new Date(nextSendAt),
  expiresAt: new Date(expiresAt),
  deliveryStatus,
  deliveryErrorCode,
});
