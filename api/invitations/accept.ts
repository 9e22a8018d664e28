import { findInvitation, findLink, invitationRun, type viewInvitation } from '../../db/invitations/queries.ts';
import { userEmail } from '../../db/identity/people.ts';
import { checkCommand } from '../../domain/invitations/machine.ts';
import { FRESH_LOGIN_MS } from '../../domain/invitations/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { SECOND } from '../../domain/kernel/time.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { Invitation } from './schemas.ts';

export const accept = endpoint({
  id: 'invitations.accept',
  route: 'POST /v1/invitations/accept',
  summary: 'Accept an invitation as the person it was sent to, shortly after a login at the console',
  access: 'user',
  console: [],
  agent: 'denied',
  change: 'workflow',
  idempotent: true,
  body: closed({ token: Type.String({ minLength: 1, maxLength: 100 }) }, { title: 'InvitationAcceptance' }),
  data: Invitation,
  errors: ['INVITATION_NOT_FOUND', 'RECENT_LOGIN_REQUIRED', 'ALREADY_MEMBER'],
}).handle(async ({ commands, deps, body, person, realNow, setHeader }) => {
  const { userId, authTime } = person!;
  const link = await findLink(deps.orm, body.token);
  // An invalid link and another person's link get the same refusal.
  if (!link || (await userEmail(deps.orm, userId)) !== link.email) throw new Fault('INVITATION_NOT_FOUND');
  const there = commands.within(link.tenant, { type: 'INVITATION', id: link.invitationId });
  // Accepted under this key before, and the response was lost: replay it.
  const stored = await there.stored();
  if (stored) {
    setHeader('Idempotent-Replayed', 'true');
    return stored.body as ReturnType<typeof viewInvitation>;
  }
  const command = { name: 'accept', input: { userId, sendNo: link.sendNo } } as const;
  checkCommand(link, command);
  if (realNow - authTime * SECOND > FRESH_LOGIN_MS) throw new Fault('RECENT_LOGIN_REQUIRED');
  const invitation = await there.read((tx) => findInvitation(tx, link.invitationId));
  const reply = await there.send(invitationRun(invitation), command);
  await commands.storeReply(reply);
  return reply.body as ReturnType<typeof viewInvitation>;
});
