import type { viewInvitation } from '../../db/invitations/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Invitation } from './schemas.ts';
import { sendCommand } from './sendCommand.ts';
import { INVITATION } from './subject.ts';

export const resend = endpoint({
  id: 'invitations.resend',
  route: 'POST /v1/store/invitations/{invitationId}/resend',
  summary: 'Mail a new link for another seven days; the old one is dead',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['member:rw'],
  agent: 'denied',
  target: INVITATION,
  change: 'workflow',
  idempotent: true,
  data: Invitation,
  errors: ['INVITATION_NOT_FOUND', 'INVITATION_NOT_PENDING', 'INVITATION_PENDING'],
}).handle(async (call) => (await sendCommand(call, 'resend')) as ReturnType<typeof viewInvitation>);
