import { invite } from '../../db/invitations/commands.ts';
import { viewInvitation } from '../../db/invitations/queries.ts';
import { mayHandle } from '../../domain/invitations/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Invitation, InvitationRequest } from './schemas.ts';
import { INVITATION } from './subject.ts';

export const create = endpoint({
  id: 'invitations.create',
  route: 'POST /v1/store/invitations',
  summary: 'Invite somebody by mail; only the OWNER invites an ADMIN',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['member:rw'],
  agent: 'denied',
  target: INVITATION,
  change: 'here',
  idempotent: true,
  body: InvitationRequest,
  status: 201,
  data: Invitation,
  errors: ['ALREADY_MEMBER', 'INVITATION_PENDING'],
}).handle(async ({ tx, body, person, role, deps }) => {
  if (!mayHandle(role!, body.role)) throw new Fault('INSUFFICIENT_ROLE');
  const invitation = await invite(tx, deps.keyring, { ...body, invitedBy: person!.userId });
  return viewInvitation(invitation);
});
