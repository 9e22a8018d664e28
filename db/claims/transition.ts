/** A claim's transition: loads under lock, decides, applies the effects, writes. Lock order: claim, item, order, payment. */
import { LockMode } from '@mikro-orm/core';
import { decide } from '../../domain/claims/machine.ts';
import type { Collection, Inspection, Redelivery, Rejection } from '../../domain/claims/rules.ts';
import type { Command, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { consumeText } from '../runs/text.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { findStore } from '../stores/queries.ts';
import { applyEffects } from './effects.ts';
import { type Claim, ClaimEntity } from './entities.ts';
import { lockItem, showClaim } from './item.ts';
import { columnsOf, stateOf } from './rows.ts';
import { CLAIM_LISTING, type ClaimView, viewClaims, viewRefund, withoutSellersOwn } from './views.ts';

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
  const before = event.type === 'command' ? (await viewClaims(tx, [claim]))[0]! : null;
  const record = event.type === 'command' ? await recordOf(tx, claim, event.command) : {};
  await applyEffects(context, claim, effects, state, record);
  Object.assign(claim, columnsOf(state, at));
  await showClaim(context, claim);
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

/** What a command writes into the claim. Text was passed by its id (X24); more than one as JSON. */
async function recordOf(tx: Tx, claim: Claim, command: Command<'claim'>): Promise<Partial<Claim>> {
  const { at } = tx;
  const text = (id: string | undefined) => consumeText(tx, id);
  const texts = async <T extends object>(id: string | undefined): Promise<T | null> => {
    const found = await text(id);
    return found === null ? null : (JSON.parse(found) as T);
  };
  switch (command.name) {
    case 'hold':
      return { holdReason: await text(command.input.reasonId) };
    case 'reject': {
      const typed = await texts<Pick<Rejection, 'explanation' | 'evidenceImages'>>(command.input.explanationId);
      return { rejection: { explanation: '', evidenceImages: [], ...typed, reason: command.input.reason, rejectedAt: at } };
    }
    case 'collect': {
      const { method, carrierCode = null, trackingNumberId } = command.input;
      const collection: Collection = {
        method,
        carrierCode,
        trackingNumber: await text(trackingNumberId),
        registeredAt: at,
        completedAt: null,
      };
      return { collection };
    }
    case 'completeCollection': {
      const { soundQuantity = claim.quantity, damagedQuantity = 0, missingQuantity = 0, inspectionId } = command.input;
      const typed = await texts<Pick<Inspection, 'note' | 'images'>>(inspectionId);
      const inspection: Inspection = { soundQuantity, damagedQuantity, missingQuantity, note: null, images: [], ...typed };
      return { inspection, ...(claim.collection && { collection: { ...claim.collection, completedAt: at } }) };
    }
    case 'redeliver': {
      const { optionId = claim.exchangeOptionId ?? claim.variantId, carrierCode, trackingNumberId } = command.input;
      const redelivery: Redelivery = { optionId, carrierCode, trackingNumber: (await text(trackingNumberId)) ?? '', registeredAt: at };
      return { redelivery };
    }
    case 'approve':
    case 'completeExchange':
    case 'release':
    case 'withdraw':
      return {};
    default:
      return command satisfies never;
  }
}
