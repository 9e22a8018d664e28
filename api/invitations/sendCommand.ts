import { findInvitation, invitationRun } from '../../db/invitations/queries.ts';
import { mayHandle } from '../../domain/invitations/rules.ts';
import type { Role } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Commands } from '../declare/commands.ts';

interface CommandCaller {
  readonly commands: Commands;
  readonly role: Role | null;
  readonly person: { readonly userId: string } | null;
  readonly params: { readonly invitationId: string };
}

/** Sends a command to an invitation's run. INSUFFICIENT_ROLE: only an OWNER may change an ADMIN's invitation (docs/contract.md#members). */
export async function sendCommand(call: CommandCaller, name: 'resend' | 'cancel'): Promise<unknown> {
  const { commands, role, person, params } = call;
  const invitation = await commands.read((tx) => findInvitation(tx, params.invitationId));
  if (!mayHandle(role!, invitation.role)) throw new Fault('INSUFFICIENT_ROLE');
  return (await commands.send(invitationRun(invitation), { name, input: { userId: person!.userId } })).body;
}
