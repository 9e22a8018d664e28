import { findInvitation, invitationRun } from '../../db/invitations/queries.ts';
import { mayHandle } from '../../domain/invitations/rules.ts';
import type { Role } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { CommandContent } from '../../workflows/kernel/messages.ts';
import type { Commands } from '../declare/commands.ts';
import { createSender } from '../declare/sender.ts';

interface CommandCaller {
  readonly commands: Commands;
  readonly role: Role | null;
  readonly person: { readonly userId: string } | null;
  readonly params: { readonly invitationId: string };
}

/** Sends a command to an invitation's run. INSUFFICIENT_ROLE: only an OWNER may change an ADMIN's invitation (docs/contract.md#members). */
export async function sendCommand(call: CommandCaller, name: 'resend' | 'cancel'): Promise<unknown> {
  const input = { userId: call.person!.userId };
  return (await send(call, call.params.invitationId, () => ({ name, input }))).reply.body;
}
const send = createSender({
  read: findInvitation,
  check: ({ role }, _: CommandContent<'invitation'>, caller: CommandCaller) => {
    if (!mayHandle(caller.role!, role)) throw new Fault('INSUFFICIENT_ROLE');
  },
  send: (commands, invitation, content: CommandContent<'invitation'>) => commands.send(invitationRun(invitation), content),
});
