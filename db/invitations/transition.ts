/** An invitation's transition: its mail, its seven days, and what people decide. */
import { LockMode } from '@mikro-orm/core';
import { sendGap } from '../../domain/invitations/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Call, Command, Outcome, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { korean } from '../../domain/kernel/time.ts';
import { joinMember } from '../identity/members.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Em } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { readStore } from '../stores/queries.ts';
import { type Invitation, InvitationEntity } from './entities.ts';
import { countSend, newLink } from './commands.ts';
import { viewInvitation } from './queries.ts';

interface TransitionContext {
  readonly em: Em;
  readonly keyring: Keyring;
  readonly invitation: Invitation;
  readonly at: number;
  readonly realNow: number;
}

export async function transitionInvitation(
  em: Em,
  keyring: Keyring,
  run: RunRef,
  event: RunEvent<'invitation'>,
  at: number,
  realNow: number,
): Promise<TransitionResult<'invitation'> | null> {
  const { storeId, entityId: invitationId } = run;
  const invitation = await em.findOne(InvitationEntity, { storeId, invitationId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!invitation) return null;
  // Its last day is over whichever event comes first.
  if (invitation.status === 'PENDING' && invitation.expiresAt.getTime() <= at) invitation.status = 'EXPIRED';
  if (event.type === 'command') await handleCommand({ em, keyring, invitation, at, realNow }, event.command);
  else if (event.type === 'outcome' && event.callId === callId(invitation)) applyMailOutcome(invitation, event.outcome, at);
  const { clockOffsetMs } = await readStore(em, storeId);
  const reply = event.type === 'command' ? { reply: { status: 200, body: answerOf(event.command, invitation) } } : {};
  return { plan: planOf(invitation, at), clock: clockOffsetMs, ...reply };
}

/** What the caller is answered; a canceled invitation is not shown again (D76). */
const answerOf = ({ name }: Command<'invitation'>, invitation: Invitation) => (name === 'cancel' ? null : viewInvitation(invitation));

async function handleCommand(context: TransitionContext, command: Command<'invitation'>): Promise<void> {
  const { em, keyring, invitation, at, realNow } = context;
  const { storeId, invitationId, status } = invitation;
  if (command.name === 'resend') {
    if (status !== 'PENDING' && status !== 'EXPIRED') throw new Fault('INVITATION_NOT_PENDING');
    // Another one may have been sent to the address since this one expired.
    const other = status === 'EXPIRED' && (await em.findOne(InvitationEntity, { storeId, email: invitation.email, status: 'PENDING' }));
    if (other) throw new Fault('INVITATION_PENDING', { details: { invitationId: other.invitationId } });
    await countSend(em, { storeId, sender: command.input.userId, recipient: invitation.email }, realNow);
    Object.assign(invitation, newLink(keyring, storeId, invitationId, at), { status: 'PENDING', sendNo: invitation.sendNo + 1 });
  } else if (command.name === 'cancel') {
    if (status !== 'PENDING') throw new Fault('INVITATION_NOT_PENDING');
    Object.assign(invitation, { status: 'CANCELED', nextSendAt: null });
  } else {
    if (status !== 'PENDING' || invitation.sendNo !== command.input.sendNo) throw new Fault('INVITATION_NOT_FOUND');
    await joinMember(em, storeId, command.input.userId, invitation.role, at);
    Object.assign(invitation, { status: 'ACCEPTED', nextSendAt: null });
  }
}

const callId = ({ invitationId, sendNo, sendAttempts }: Invitation) => `${invitationId}-${sendNo}-${sendAttempts + 1}`;

/** The mail has gone, can never go, or is tried again; an answer that was lost is a try that did not go. */
function applyMailOutcome(invitation: Invitation, outcome: Outcome<'invitation'>, at: number): void {
  invitation.sendAttempts++;
  const gap = outcome.result === 'SENT' || outcome.result === 'REFUSED' ? null : sendGap(invitation.sendAttempts);
  invitation.nextSendAt = gap === null ? null : new Date(at + gap);
  if (outcome.result === 'SENT') Object.assign(invitation, { deliveryStatus: 'SENT', deliveryErrorCode: null });
  else if (gap === null)
    Object.assign(invitation, {
      deliveryStatus: 'FAILED',
      deliveryErrorCode: outcome.result === 'LOST' ? 'NO_ANSWER' : (outcome.code ?? 'NO_ANSWER'),
    });
}

function planOf(invitation: Invitation, at: number): TransitionResult<'invitation'>['plan'] {
  const { storeId, invitationId, status, sendNo, sendAttempts } = invitation;
  if (status !== 'PENDING') return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const expires = invitation.expiresAt.getTime();
  const sends = invitation.nextSendAt?.getTime() ?? null;
  const call: Call<'invitation'> = {
    id: callId(invitation),
    name: 'sendInvitation',
    storeId,
    input: { invitationId, sendNo, attempt: sendAttempts + 1 },
  };
  const note =
    sends === null ? `Waits for the recipient until ${korean(expires)}.` : `Mail ${sendNo}, try ${sendAttempts + 1} at ${korean(sends)}.`;
  return { wakeAt: Math.min(expires, sends ?? expires), calls: sends !== null && sends <= at ? [call] : [], done: false, note, status };
}
