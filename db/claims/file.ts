/**
 * A buyer files a claim: preview and submission call the same function, so their refusals and order are the same (docs/contract.md#claims).
 */
import { randomInt } from 'node:crypto';
import { checkFiling, type FilingMode } from '../../domain/claims/filing.ts';
import { decide, planOf } from '../../domain/claims/machine.ts';
import { type ClaimRequest, type ClaimType, isSellerFault } from '../../domain/claims/rules.ts';
import { claimNo } from '../../domain/kernel/ids.ts';
import { koreanDay } from '../../domain/kernel/time.ts';
import { DEFAULT_REFUND_POLICY } from '../../domain/products/refundPolicy.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { type TransitionContext, wakeMoving } from '../orders/flows/context.ts';
import { type Order, OrderEntity, type OrderItem } from '../orders/entities.ts';
import { openRun } from '../runs/commands.ts';
import { nameUploads } from '../uploads/commands.ts';
import { emit } from '../webhooks/events.ts';
import { claimable, isShippedItem } from '../orders/flows/claimable.ts';
import { applyEffects, writeStep } from './effects.ts';
import { type Claim, type ClaimAmounts, ClaimEntity } from './entities.ts';
import { applyAllDue, dueState, exchangeOption, pauseItem, quoteClaim, showClaim } from './item.ts';
import { claimRun, columnsOf, stateOf } from './rows.ts';

/** A request that may be filed: how, for how many units, and what an approval would give back now. */
export interface Filing {
  readonly mode: FilingMode;
  readonly quantity: number;
  readonly order: Order;
  readonly amounts: ClaimAmounts;
  /** What its flow deducts, fixed now. */
  readonly flowFeeWon: number;
  /** What an exchange costs the buyer, who is billed by the seller (D51). */
  readonly deliveryFeeWon: number;
  readonly exchangeOptionId: string | null;
}

/**
 * What filing a request means. Refusals are Faults: INVALID_STATUS, CLAIM_IN_PROGRESS, EXCHANGE_NOT_SUPPORTED, PERIOD_EXPIRED,
 * INVALID_QUANTITY, VARIANT_NOT_FOUND.
 */
export async function assessClaim(tx: Tx, item: OrderItem, request: ClaimRequest): Promise<Filing> {
  const { em, storeId, at } = tx;
  const { type, reason } = request;
  const { mode, quantity, deductWon: flowFeeWon } = checkFiling(claimable(item, await dueState(tx, item)), request, at);
  const exchangeOptionId = type === 'EXCHANGE' ? await exchangeOption(tx, item, request.exchangeOptionId ?? item.variantId) : null;
  const order = await em.findOneOrFail(OrderEntity, { storeId, orderId: item.orderId });
  const amounts = await quoteClaim(tx, order, item, { type, reason, quantity, flowFeeWon });
  return { mode, quantity, order, amounts, flowFeeWon, deliveryFeeWon: exchangeFee(item, request), exchangeOptionId };
}

function exchangeFee(item: OrderItem, { type, reason }: ClaimRequest): number {
  const policy = item.refundPolicy ?? DEFAULT_REFUND_POLICY;
  return type !== 'EXCHANGE' || (isSellerFault(reason) && policy.sellerFaultFreeShipping) ? 0 : policy.exchangeDeliveryFee;
}

const REQUESTED = {
  CANCEL: 'CLAIM.CANCEL_REQUESTED',
  RETURN: 'CLAIM.RETURN_REQUESTED',
  EXCHANGE: 'CLAIM.EXCHANGE_REQUESTED',
} as const satisfies Record<ClaimType, string>;

/** Files a claim for a locked item; one that completes at once is approved in the same transaction. */
export async function fileClaim(context: TransitionContext, request: ClaimRequest, publicUrl: string): Promise<Claim> {
  const { tx, item } = context;
  const { em, storeId, at, realNow } = tx;
  await applyAllDue(context);
  const { mode, quantity, order, flowFeeWon, deliveryFeeWon, exchangeOptionId } = await assessClaim(tx, item, request);
  const { type, reason, detail = null, images = [] } = request;
  const { orderId, orderNo, testPayment, customerId = null } = order;
  const claim = em.create(ClaimEntity, {
    storeId,
    claimId: newId('clm', at),
    claimNo: await freeClaimNo(tx),
    type,
    status: 'REQUESTED',
    orderId,
    orderNo,
    orderItemId: item.orderItemId,
    variantId: item.variantId,
    quantity,
    reason,
    detail,
    images: [...images],
    customerId,
    isShipped: isShippedItem(item),
    exchangeOptionId,
    deliveryFeeWon,
    isHoldUsed: false,
    restockedQuantity: 0,
    stockShortfall: 0,
    stepCount: 0,
    testPayment,
    flowFeeWon,
    requestedAt: new Date(at),
    lastChangedAt: new Date(at),
  });
  em.persist(claim);
  await nameUploads(tx, images, publicUrl);
  writeStep(tx, claim, { name: 'request', by: 'BUYER', at });
  const { claimId, orderItemId } = claim;
  await emit(tx, [
    { type: REQUESTED[type], at, data: { claimId, orderId, orderItemId, claimType: type, status: 'REQUESTED', testPayment } },
  ]);
  await pauseItem(context, claim);
  if (mode === 'AT_ONCE') await completeAtOnce(context, claim);
  else openRun(tx, { ...claimRun(claim), wakeAt: null, status: planOf(stateOf(claim)).status, createdAt: realNow });
  await showClaim(context, claim);
  await wakeMoving(tx, item);
  return claim;
}

/** Approved by itself: nothing is left to be done, so it needs no run. */
async function completeAtOnce(context: TransitionContext, claim: Claim): Promise<void> {
  const { at } = context.tx;
  const approval = { name: 'approve', input: { seen: 'REQUESTED' } } as const;
  const { state, effects } = decide(stateOf(claim), { type: 'command', command: approval }, at);
  await applyEffects(
    context,
    claim,
    effects.map((effect) => (effect.type === 'history' ? { ...effect, by: 'SYSTEM' } : effect)),
    state,
    {},
  );
  Object.assign(claim, columnsOf(state, at));
}

/** 8 random digits collide on a busy day. */
async function freeClaimNo({ sql, storeId, at }: Tx): Promise<string> {
  for (;;) {
    const number = claimNo(koreanDay(at), randomInt(100_000_000));
    const [taken] = await sql`SELECT 1 AS ok FROM claim WHERE store_id = ${storeId} AND claim_no = ${number}`;
    if (!taken) return number;
  }
}
