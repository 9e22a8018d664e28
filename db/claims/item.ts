/** The order item of a claim: its flow pauses and goes on, units leave it, and it shows its claims. */
import { step } from '../../domain/flows/run/step.ts';
import type { FlowState, ReduceCause } from '../../domain/flows/run/state.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { isSellerFault } from '../../domain/claims/rules.ts';
import type { Tx } from '../kernel/tx.ts';
import { advance } from '../orders/flows/advance.ts';
import { type EffectResults, lockOrder, touch, type TransitionContext } from '../orders/flows/context.ts';
import type { Order, OrderItem } from '../orders/entities.ts';
import { lockMoving } from '../orders/groupTransition.ts';
import { closeItem, type Departure, type RequestedAmounts, quoteDeparture, readRests, refundUnits } from '../orders/departures.ts';
import { flowFacts } from '../flows/facts.ts';
import { flowOf } from '../flows/loaded.ts';
import { readGroup } from '../orders/queries.ts';
import { flowStateOf } from '../orders/flows/states.ts';
import { readStore } from '../stores/queries.ts';
import type { Claim, ClaimAmounts } from './entities.ts';
import { summaryOf } from './rows.ts';

/**
 * Locks the item, and its order before any stock: a seller's cancel of another item has the order when it takes the same stock.
 * ORDER_ITEM_NOT_FOUND.
 */
export async function lockItem(tx: Tx, orderItemId: string): Promise<TransitionContext> {
  const context = await lockMoving(tx, orderItemId);
  await lockOrder(context);
  return context;
}

/** What has fallen due happens before the claim: a decision whose time has come is not stopped by it. */
export { applyAllDue } from '../orders/flows/advance.ts';

/** The state of the item's flow with what has fallen due, which its run may not have applied yet. */
export async function dueState(tx: Tx, item: OrderItem): Promise<FlowState> {
  const members = item.groupId ? await readGroup(tx, item.groupId) : [item];
  const state = flowStateOf(item);
  const result = step(flowOf(item), state, { type: 'elapsed' }, tx.at, flowFacts(item, members, await readStore(tx)));
  return result.ok ? result.state : state;
}

/** The item's deadlines rest while the claim is open. */
export const pauseItem = (context: TransitionContext, { claimId }: Claim): Promise<unknown> =>
  advance(context, { type: 'claim.opened', claimId, member: context.item.orderItemId });

/** Who does something about a claim, as the flow's record tells it. */
export type Doer = 'SELLER' | 'BUYER';

/** The item's deadlines go on with the time that was left. */
export const resumeItem = (context: TransitionContext, { claimId }: Claim, by: Doer): Promise<unknown> =>
  advance(context, { type: 'claim.closed', claimId }, { details: { by } });

const LEAVES = { CANCEL: 'CLAIM_CANCEL', RETURN: 'CLAIM_RETURN', EXCHANGE: 'CLAIM_EXCHANGE' } as const satisfies Record<
  Claim['type'],
  ReduceCause
>;

/** Takes the claim's units out of the item's flow. */
function reduce(
  context: TransitionContext,
  { type, claimId, quantity }: Claim,
  by: Doer,
  depart: (order: Order) => Promise<EffectResults>,
) {
  const { orderItemId: member } = context.item;
  return advance(context, { type: 'reduced', member, quantity, cause: LEAVES[type], refId: claimId }, { depart, details: { by } });
}

/** The fields of a claim that decide what goes back. */
type ClaimTerms = Pick<Claim, 'type' | 'reason' | 'quantity' | 'flowFeeWon'>;

/** How its units leave; without a deduction of its own with the fee of its flow. */
export const departureOf = ({ type, reason, quantity, flowFeeWon }: ClaimTerms, deductWon = flowFeeWon): Departure => ({
  quantity,
  isReturn: type === 'RETURN',
  isSellerFault: isSellerFault(reason),
  deductWon,
});

/** Refunds the claim's units, which leave the item. */
export async function refundClaim(
  context: TransitionContext,
  claim: Claim,
  { deductWon, isHeld, by }: { readonly deductWon: number; readonly isHeld: boolean; readonly by: Doer },
): Promise<ClaimAmounts> {
  const { tx, item } = context;
  let amounts: ClaimAmounts | undefined;
  await reduce(context, claim, by, async (order) => {
    const requested = await refundUnits(tx, order, item, { ...departureOf(claim, deductWon), cause: 'CLAIM', isHeld });
    closeItem(item);
    amounts = amountsOf(requested);
    const { refundAmount, pointRefundAmount } = amounts;
    // Of a return no ORDER.CANCELED is sent.
    const canceled = claim.type === 'CANCEL' ? { quantity: claim.quantity, refundAmount, pointRefundAmount } : null;
    return { recorded: { claimId: claim.claimId, refundAmount, pointRefundAmount }, canceled };
  });
  return amounts!;
}

/** The claim's units leave the item; the buyer has others for them, and nothing goes back. */
export async function exchangeUnits(context: TransitionContext, claim: Claim, by: Doer): Promise<void> {
  const { item } = context;
  await reduce(context, claim, by, () => {
    item.canceledQuantity += claim.quantity;
    item.exchangedQuantity += claim.quantity;
    closeItem(item);
    return Promise.resolve({ recorded: { claimId: claim.claimId }, canceled: null });
  });
}

const amountsOf = (amounts: RequestedAmounts): ClaimAmounts => ({
  refundAmount: amounts.refundWon,
  pointRefundAmount: amounts.pointRefundWon,
  deliveryFeeRefundAmount: amounts.deliveryFeeRefundWon,
  deliveryFeeChargeAmount: amounts.deliveryFeeChargeWon,
  deliveryFeeChargeRefundAmount: amounts.deliveryFeeChargeRefundWon,
  couponChargeAmount: amounts.couponChargeWon,
  couponChargeRefundAmount: amounts.couponChargeRefundWon,
  deductAmount: amounts.deductWon,
  refundId: amounts.refundId,
});

/** What an approval would give back now; nothing for an exchange. */
export async function quoteClaim(tx: Tx, order: Order, item: OrderItem, claim: ClaimTerms): Promise<ClaimAmounts> {
  if (claim.type === 'EXCHANGE') return NO_AMOUNTS;
  const rest = (await readRests(tx, [order])).get(order.orderId)!;
  return amountsOf({ ...quoteDeparture(rest, item, departureOf(claim)), refundId: null });
}
export const NO_AMOUNTS: ClaimAmounts = {
  refundAmount: 0,
  pointRefundAmount: 0,
  deliveryFeeRefundAmount: 0,
  deliveryFeeChargeAmount: 0,
  deliveryFeeChargeRefundAmount: 0,
  couponChargeAmount: 0,
  couponChargeRefundAmount: 0,
  deductAmount: 0,
  refundId: null,
};

/**
 * An option of the item's product, which is not dropped before this transaction ends, or the one that was bought, even where it is deleted.
 * VARIANT_NOT_FOUND.
 */
export async function exchangeOption({ sql, storeId }: Tx, item: OrderItem, optionId: string): Promise<string> {
  if (optionId === item.variantId) return optionId;
  const [row] = await sql`SELECT 1 AS ok FROM variant WHERE store_id = ${storeId} AND variant_id = ${optionId}
    AND product_id = ${item.productId} AND deleted_at IS NULL FOR KEY SHARE`;
  if (!row) throw new Fault('VARIANT_NOT_FOUND');
  return optionId;
}

/** Item and order show the claim as it is now; the three have the same time of change. */
export async function showClaim(context: TransitionContext, claim: Claim): Promise<void> {
  const { tx, item } = context;
  const others = item.claims.filter(({ claimId }) => claimId !== claim.claimId);
  item.claims = [...others, summaryOf(claim)].toSorted((a, b) => a.requestedAt - b.requestedAt || (a.claimId < b.claimId ? -1 : 1));
  touch(context, await lockOrder(context));
  tx.feed.changedClaim(claim.claimId);
  claim.lastChangedAt = new Date(tx.at);
}
