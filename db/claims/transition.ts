/** A claim's transition: loads under lock, decides, applies the effects, writes. Lock order: claim, item, order, stock, payment. */
import { LockMode } from '@mikro-orm/core';
import { decide } from '../../domain/claims/machine.ts';
import { isOpen } from '../../domain/claims/rules.ts';
import { type Command, type RunEvent, type RunRef } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { wakeMoving } from '../orders/flows/context.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { findStore } from '../stores/queries.ts';
import { applyEffects } from './effects.ts';
import { ClaimEntity } from './entities.ts';
import { lockItem, showClaim } from './item.ts';
import { recordOf } from './record.ts';
import { columnsOf, stateOf } from './rows.ts';
import { CLAIM_LISTING, type ClaimView, viewClaims, viewRefund, viewRow, withoutSellersOwn } from './views.ts';

/** Null when there is no such claim. Refusals are Faults: the machine's, and OUT_OF_STOCK. */
export async function transitionClaim(
  tx: Tx,
  { storeId, entityId: claimId }: RunRef,
  event: RunEvent<'claim'>,
): Promise<TransitionResult<'claim'> | null> {
  const { em, at } = tx;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const [claim, store] = await Promise.all([em.findOne(ClaimEntity, { storeId, claimId }, { lockMode }), findStore(tx)]);
  if (!claim || !store) return null;
  const clock = store.clockOffsetMs;
  const { state, effects, plan } = decide(stateOf(claim), event, at);
  if (effects.length === 0) return { plan, clock };
  const context = await lockItem(tx, claim.orderItemId);
  const before = event.type === 'command' ? viewRow(claim) : null;
  const record = event.type === 'command' ? await recordOf(tx, claim, event.command) : {};
  await applyEffects(context, claim, effects, state, record);
  Object.assign(claim, columnsOf(state, at));
  await showClaim(context, claim);
  // The item's deadlines go on, or it has ended.
  if (!isOpen(state.status)) await wakeMoving(tx, context.item);
  if (!before) return { plan, clock };
  await em.flush();
  const after = (await viewClaims(tx, [claim]))[0]!;
  const body = event.type === 'command' ? replyOf(event.command, after) : null;
  return { plan, clock, reply: { status: 200, body }, views: { before, after, listing: CLAIM_LISTING } };
}

/** An approval is answered with what goes back, the buyer with what buyers see. */
function replyOf({ name }: Command<'claim'>, claim: ClaimView): object {
  if (name === 'approve') return viewRefund(claim);
  return name === 'withdraw' ? withoutSellersOwn(claim) : claim;
}
