/** An invitation's transition: loads under lock, decides, applies the effects, writes. */
import { LockMode } from '@mikro-orm/core';
import { decide, type InvitationEffect } from '../../domain/invitations/machine.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { joinMember } from '../identity/members.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { findStore } from '../stores/queries.ts';
import { countSend, newLink } from './commands.ts';
import { type Invitation, InvitationEntity } from './entities.ts';
import { INVITATION_LISTING, viewInvitation } from './queries.ts';
import { columnsOf, stateOf } from './rows.ts';

interface TransitionContext {
  readonly tx: Tx;
  readonly keyring: Keyring;
  readonly invitation: Invitation;
}

/** Null when there is no such invitation. Refusals are Faults: the machine's, and those of its effects. */
export async function transitionInvitation(
  tx: Tx,
  keyring: Keyring,
  { storeId, entityId: invitationId }: RunRef,
  event: RunEvent<'invitation'>,
): Promise<TransitionResult<'invitation'> | null> {
  const { em, at } = tx;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const [invitation, store] = await Promise.all([em.findOne(InvitationEntity, { storeId, invitationId }, { lockMode }), findStore(tx)]);
  if (!invitation || !store) return null;
  const before = viewInvitation(invitation);
  const { state, effects, plan } = decide(stateOf(invitation), event, at);
  for (const effect of effects) await applyEffect({ tx, keyring, invitation }, effect);
  Object.assign(invitation, columnsOf(state));
  const clock = store.clockOffsetMs;
  if (event.type !== 'command') return { plan, clock };
  // The reply to a cancel has no data.
  const body = event.command.name === 'cancel' ? null : viewInvitation(invitation);
  const views = { before, after: viewInvitation(invitation), listing: INVITATION_LISTING };
  return { plan, clock, reply: { status: 200, body }, views };
}

async function applyEffect({ tx, keyring, invitation }: TransitionContext, effect: InvitationEffect): Promise<void> {
  const { storeId, invitationId, email, role } = invitation;
  switch (effect.type) {
    case 'refuseAnother': {
      const another = { storeId, email, status: 'PENDING', invitationId: { $ne: invitationId } } as const;
      const pending = await tx.em.findOne(InvitationEntity, another);
      if (pending) throw new Fault('INVITATION_PENDING', { details: { invitationId: pending.invitationId } });
      return;
    }
    case 'countSend':
      return countSend(tx, { storeId, sender: effect.userId, recipient: email });
    case 'newLink':
      return void Object.assign(invitation, newLink(keyring, storeId, invitationId));
    case 'join':
      return joinMember(tx, effect.userId, role);
    default:
      return effect satisfies never;
  }
}
