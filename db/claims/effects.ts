/** What a claim's decision does besides its own row: stock, the item, the refund, the history, the event. */
import type { ClaimEffect, ClaimState } from '../../domain/claims/machine.ts';
import { isOpen } from '../../domain/claims/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import type { TransitionContext } from '../orders/flows/context.ts';
import { OrderEntity } from '../orders/entities.ts';
import { recordUnsellable, returnStock, takeAtMost, takeUnits } from '../products/stock.ts';
import { emit } from '../webhooks/events.ts';
import { type Claim, type ClaimAmounts, type ClaimStep, ClaimStepEntity } from './entities.ts';
import { type Doer, exchangeOption, exchangeUnits, quoteClaim, refundClaim, resumeItem } from './item.ts';

/**
 * Applies the effects in their order; `record`: further columns, that the command brought. Refusals of effects are Faults: OUT_OF_STOCK.
 */
export async function applyEffects(
  context: TransitionContext,
  claim: Claim,
  effects: readonly ClaimEffect[],
  next: ClaimState,
  record: Partial<Claim>,
): Promise<void> {
  const { tx } = context;
  if (isOpen(claim.status) && !isOpen(next.status)) claim.expected = await expectedOf(context, claim);
  const by = doerOf(effects);
  for (const effect of effects) await applyEffect(context, claim, effect, by);
  Object.assign(claim, record);
  if (!isOpen(claim.status) || next.status !== 'COMPLETED') return;
  const { claimId, orderId, orderItemId, type: claimType, testPayment } = claim;
  const data = { claimId, orderId, orderItemId, claimType, status: 'COMPLETED', testPayment } as const;
  await emit(tx, [{ type: 'CLAIM.COMPLETED', at: tx.at, data }]);
}

/** What an approval would have given back, for the record of a claim that closes. */
async function expectedOf({ tx, item }: TransitionContext, claim: Claim): Promise<Claim['expected']> {
  const order = await tx.em.findOneOrFail(OrderEntity, { storeId: claim.storeId, orderId: claim.orderId });
  const { refundAmount, pointRefundAmount, deliveryFeeRefundAmount } = await quoteClaim(tx, order, item, claim);
  return { refundAmount, pointRefundAmount, deliveryFeeRefundAmount };
}

/** A cancel that completes at once, by itself in the claim's history, is what its buyer does. */
const doerOf = (effects: readonly ClaimEffect[]): Doer =>
  effects.some((effect) => effect.type === 'history' && effect.by === 'SELLER') ? 'SELLER' : 'BUYER';

async function applyEffect(context: TransitionContext, claim: Claim, effect: ClaimEffect, by: Doer): Promise<void> {
  switch (effect.type) {
    case 'history':
      return writeStep(context.tx, claim, effect, effect.name === 'approve' ? (claim.amounts ?? null) : null);
    case 'restock':
      return restock(context, claim, effect);
    case 'takeBack':
      return takeBack(context, claim, effect.quantity);
    case 'takeExchange':
      return takeExchange(context, claim, effect.optionId ?? claim.variantId);
    // Its units leave from where the claim holds them: an item of a group does not join the others before.
    case 'refund':
      claim.amounts = await refundClaim(context, claim, { ...effect, by });
      await resumeItem(context, claim, by);
      return;
    case 'exchange':
      await exchangeUnits(context, claim, by);
      await resumeItem(context, claim, by);
      return;
    case 'resume':
      await resumeItem(context, claim, by);
      return;
    default:
      return effect satisfies never;
  }
}

type Effect<T extends ClaimEffect['type']> = Extract<ClaimEffect, { readonly type: T }>;

/** Sound units that their flow has given back to stock already are not given back again (F40), nor taken out by a rejection. */
async function restock({ tx, item }: TransitionContext, claim: Claim, effect: Effect<'restock'>): Promise<void> {
  const { claimId: reference, variantId } = claim;
  const { damagedQuantity, missingQuantity } = effect;
  const quantity = item.isRestocked ? 0 : effect.soundQuantity;
  const reason = claim.type === 'CANCEL' ? 'CANCEL' : 'RETURN';
  if (quantity > 0) await returnStock(tx, [{ variantId, quantity, stay: item.stay ?? null }], { reason, reference, at: tx.at });
  await recordUnsellable(tx, { variantId, quantity: damagedQuantity, reason: 'RETURN_DAMAGED', reference });
  await recordUnsellable(tx, { variantId, quantity: missingQuantity, reason: 'RETURN_MISSING', reference });
}

/** What has been sold meanwhile is the claim's shortfall. */
async function takeBack({ tx, item }: TransitionContext, claim: Claim, quantity: number): Promise<void> {
  if (item.isRestocked) return;
  const { claimId: reference, variantId } = claim;
  const line = { variantId, quantity, stay: item.stay ?? null };
  claim.stockShortfall = await takeAtMost(tx, line, { reason: 'RETURN_REJECTED', reference });
  await recordUnsellable(tx, { variantId, quantity: claim.stockShortfall, reason: 'RETURN_SHORTFALL', reference });
}

async function takeExchange({ tx, item }: TransitionContext, { claimId: reference, quantity }: Claim, optionId: string): Promise<void> {
  const line = { variantId: await exchangeOption(tx, item, optionId), quantity, stay: item.stay ?? null };
  if (!(await takeUnits(tx, line, { reason: 'EXCHANGE', reference }))) throw new Fault('OUT_OF_STOCK');
}

/** Appends a line to the history. Whoever calls has the claim's row locked, or has just made it. */
export function writeStep(
  { em, storeId }: Tx,
  claim: Claim,
  { name, by, at }: Pick<ClaimStep, 'name' | 'by'> & { readonly at: number },
  detail: ClaimAmounts | null = null,
): void {
  claim.stepCount += 1;
  em.persist(em.create(ClaimStepEntity, { storeId, claimId: claim.claimId, seq: claim.stepCount, name, by, at: new Date(at), detail }));
}
