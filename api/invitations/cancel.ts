import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { sendCommand } from './sendCommand.ts';
import { INVITATION } from './subject.ts';

export const cancel = endpoint({
  id: 'invitations.cancel',
  route: 'DELETE /v1/store/invitations/{invitationId}',
  summary: 'Cancel an invitation; its link is dead',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['member:rw'],
  agent: 'denied',
  target: INVITATION,
  change: 'workflow',
  idempotent: true,
  data: Type.Null(),
  errors: ['INVITATION_NOT_FOUND', 'INVITATION_NOT_PENDING'],
}).handle(async (call) => {
  await sendCommand(call, 'cancel');
  return null;
});
