/** Maps between an invitation's row and its machine's state. */
import type { InvitationState } from '../../domain/invitations/machine.ts';
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import type { Invitation } from './entities.ts';

export const stateOf = (invitation: Invitation): InvitationState => ({
  storeId: invitation.storeId,
  invitationId: invitation.invitationId,
  status: invitation.status,
  sendNo: invitation.sendNo,
  sendAttempts: invitation.sendAttempts,
  nextSendAt: msOf(invitation.nextSendAt),
  expiresAt: invitation.expiresAt.getTime(),
  deliveryStatus: invitation.deliveryStatus ?? null,
  deliveryErrorCode: invitation.deliveryErrorCode ?? null,
});

/** The columns that a decision may change. */
export const columnsOf = ({ status, sendNo, sendAttempts, nextSendAt, expiresAt, deliveryStatus, deliveryErrorCode }: InvitationState) => ({
  status,
  sendNo,
  sendAttempts,
  nextSendAt: dateOf(nextSendAt),
  expiresAt: new Date(expiresAt),
  deliveryStatus,
  deliveryErrorCode,
});
