/** An invitation's transition: loads under lock, decides, applies the effects, writes. */
import { LockMode } from '@mikro-orm/core';
import { decide, type InvitationEffect } from '../../domain/invitations/machine.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { joinMember } from '../identity/members.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Em } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { readStore } from '../stores/queries.ts';
import { countSend, newLink } from './commands.ts';
import { type Invitation, InvitationEntity } from './entities.ts';
import { viewInvitation } from './queries.ts';
import { columnsOf, stateOf } from './rows.ts';

interface TransitionContext {
  readonly em: Em;
  readonly keyring: Keyring;
  readonly invitation: Invitation;
  readonly at: number;
  readonly realNow: number;
}

/** Null when there is no such invitation. Refusals are Faults: the machine's, and those of its effects. */
export async function transitionInvitation(
  em: Em,
  keyring: Keyring,
  { storeId, entityId: invitationId }: RunRef,
  event: RunEvent<'invitation'>,
  at: number,
  realNow: number,
): Promise<TransitionResult<'invitation'> | null> {
  const invitation = await em.findOne(InvitationEntity, { storeId, invitationId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!invitation) return null;
  const { state, effects, plan } = decide(stateOf(invitation), event, at);
  for (const effect of effects) await applyEffect({ em, keyring, invitation, at, realNow }, effect);
  Object.assign(invitation, columnsOf(state));
  const { clockOffsetMs: clock } = await readStore(em, storeId);
  if (event.type !== 'command') return { plan, clock };
  // The reply to a cancel has no data (D76).
  const body = event.command.name === 'cancel' ? null : viewInvitation(invitation);
  return { plan, clock, reply: { status: 200, body } };
}

async function applyEffect({ em, keyring, invitation, at, realNow }: TransitionContext, effect: InvitationEffect): Promise<void> {
  const { storeId, invitationId, email, role } = invitation;
  switch (effect.type) {
    case 'refuseAnother': {
      const another = { storeId, email, status: 'PENDING', invitationId: { $ne: invitationId } } as const;
      const pending = await em.findOne(InvitationEntity, another);
      if (pending) throw new Fault('INVITATION_PENDING', { details: { invitationId: pending.invitationId } });
      return;
    }
    case 'countSend':
      return countSend(em, { storeId, sender: effect.userId, recipient: email }, realNow);
    case 'newLink':
      return void Object.assign(invitation, newLink(keyring, storeId, invitationId));
    case 'join':
      return joinMember(em, storeId, effect.userId, role, at);
    default:
      return effect satisfies never;
  }
}
