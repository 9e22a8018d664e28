import { findInvitation, INVITATION_LISTING, viewInvitation } from '../../db/invitations/queries.ts';
import type { Subject } from '../declare/subject.ts';
import { Invitation } from './schemas.ts';

export const INVITATION: Subject = {
  type: 'INVITATION',
  idField: 'invitationId',
  listing: INVITATION_LISTING,
  data: Invitation,
  read: async (tx, invitationId) => viewInvitation(await findInvitation(tx, invitationId)),
};
