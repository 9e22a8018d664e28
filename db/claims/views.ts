/** The API's views of claims (docs/contract.md#claims), which list their fields explicitly. */
import type { Listing } from '../../domain/audit/changes.ts';
import { historyLine } from '../../domain/claims/history.ts';
import { isOpen } from '../../domain/claims/rules.ts';
import { korean } from '../../domain/kernel/time.ts';
import type { Tx } from '../kernel/tx.ts';
import { OrderEntity, OrderItemEntity } from '../orders/entities.ts';
import { quoteDeparture, readRests } from '../orders/leave.ts';
import { type Claim, type ClaimStep, ClaimStepEntity, type ExpectedAmounts } from './entities.ts';
import { departureOf } from './item.ts';

const at = (time: Date | null | undefined): string | null => (time ? korean(time.getTime()) : null);

/** How a claim's fields are listed in previews and in the audit log (G14). */
export const CLAIM_LISTING: Listing = {
  given: ['claimId', 'claimNo', 'refundId', 'history'],
  hidden: ['explanation', 'note', 'trackingNumber', 'evidenceImages', 'images', 'holdReason'],
};

/** Claims with their history and what an approval would give back, in five queries whatever their number. */
export async function viewClaims(tx: Tx, claims: readonly Claim[]) {
  const { em, storeId } = tx;
  if (claims.length === 0) return [];
  const claimId = { $in: claims.map((claim) => claim.claimId) };
  const steps = await em.find(ClaimStepEntity, { storeId, claimId }, { orderBy: { claimId: 'asc', seq: 'asc' } });
  const expected = await expectedOf(tx, claims);
  return claims.map((claim) =>
    viewClaim(
      claim,
      expected.get(claim.claimId) ?? NONE,
      steps.filter((step) => step.claimId === claim.claimId),
    ),
  );
}
export type ClaimView = Awaited<ReturnType<typeof viewClaims>>[number];

const NONE: ExpectedAmounts = { refundAmount: 0, pointRefundAmount: 0, deliveryFeeRefundAmount: 0 };

/** An open claim's expectation is what an approval would give back now; a closed one keeps that of its end. */
async function expectedOf(tx: Tx, claims: readonly Claim[]): Promise<ReadonlyMap<string, ExpectedAmounts>> {
  const { em, storeId } = tx;
  const known = new Map(claims.flatMap(({ claimId, expected }) => (expected ? [[claimId, expected] as const] : [])));
  const open = claims.filter((claim) => isOpen(claim.status) && claim.type !== 'EXCHANGE');
  if (open.length === 0) return known;
  const items = await em.find(OrderItemEntity, { storeId, orderItemId: { $in: open.map((claim) => claim.orderItemId) } });
  const orders = await em.find(OrderEntity, { storeId, orderId: { $in: open.map((claim) => claim.orderId) } });
  const rests = await readRests(tx, orders);
  for (const claim of open) {
    const [item, rest] = [items.find(({ orderItemId }) => orderItemId === claim.orderItemId), rests.get(claim.orderId)];
    if (!item || !rest) continue;
    const { refundWon, pointRefundWon, deliveryFeeRefundWon } = quoteDeparture(rest, item, departureOf(claim, 0));
    known.set(claim.claimId, { refundAmount: refundWon, pointRefundAmount: pointRefundWon, deliveryFeeRefundAmount: deliveryFeeRefundWon });
  }
  return known;
}

const viewClaim = (claim: Claim, expected: ExpectedAmounts, steps: readonly ClaimStep[]) => ({
  claimId: claim.claimId,
  claimNo: claim.claimNo,
  type: claim.type,
  status: claim.status,
  orderId: claim.orderId,
  orderNo: claim.orderNo,
  orderItemId: claim.orderItemId,
  optionId: claim.variantId,
  quantity: claim.quantity,
  reason: claim.reason,
  detail: claim.detail ?? null,
  images: [...claim.images],
  requestedBy: claim.customerId ? ('MEMBER' as const) : ('GUEST' as const),
  exchangeOptionId: claim.exchangeOptionId ?? null,
  expectedRefundAmount: expected.refundAmount,
  expectedDeliveryFeeRefundAmount: expected.deliveryFeeRefundAmount,
  expectedPointRefundAmount: expected.pointRefundAmount,
  claimDeliveryFee: claim.deliveryFeeWon,
  holdReason: claim.holdReason ?? null,
  holdExpiresAt: at(claim.holdUntil),
  holdUsed: claim.isHoldUsed,
  collection: claim.collection
    ? {
        ...claim.collection,
        registeredAt: korean(claim.collection.registeredAt),
        completedAt: claim.collection.completedAt === null ? null : korean(claim.collection.completedAt),
      }
    : null,
  inspection: claim.inspection ? { ...claim.inspection, images: [...claim.inspection.images] } : null,
  redelivery: claim.redelivery ? { ...claim.redelivery, registeredAt: korean(claim.redelivery.registeredAt) } : null,
  rejection: claim.rejection
    ? { ...claim.rejection, evidenceImages: [...claim.rejection.evidenceImages], rejectedAt: korean(claim.rejection.rejectedAt) }
    : null,
  stockShortfall: claim.stockShortfall,
  refundAmount: claim.amounts?.refundAmount ?? 0,
  pointRefundAmount: claim.amounts?.pointRefundAmount ?? 0,
  deliveryFeeRefundAmount: claim.amounts?.deliveryFeeRefundAmount ?? 0,
  deliveryFeeChargeAmount: claim.amounts?.deliveryFeeChargeAmount ?? 0,
  deliveryFeeChargeRefundAmount: claim.amounts?.deliveryFeeChargeRefundAmount ?? 0,
  couponChargeAmount: claim.amounts?.couponChargeAmount ?? 0,
  couponChargeRefundAmount: claim.amounts?.couponChargeRefundAmount ?? 0,
  deductAmount: claim.amounts?.deductAmount ?? 0,
  refundId: claim.amounts?.refundId ?? null,
  testPayment: claim.testPayment,
  history: steps.map(({ name, by, at: when }) => ({ at: korean(when.getTime()), name, by, message: historyLine(claim, name, by) })),
  requestedAt: korean(claim.requestedAt.getTime()),
  closedAt: at(claim.closedAt),
  lastChangedAt: korean(claim.lastChangedAt.getTime(), 'milliseconds'),
});

/** What goes back and what is charged by an approval (docs/contract.md#claims). */
export const viewRefund = (claim: ClaimView) => ({
  claimId: claim.claimId,
  quantity: claim.quantity,
  refundAmount: claim.refundAmount,
  pointRefundAmount: claim.pointRefundAmount,
  deliveryFeeRefundAmount: claim.deliveryFeeRefundAmount,
  deliveryFeeChargeAmount: claim.deliveryFeeChargeAmount,
  deliveryFeeChargeRefundAmount: claim.deliveryFeeChargeRefundAmount,
  couponChargeAmount: claim.couponChargeAmount,
  couponChargeRefundAmount: claim.couponChargeRefundAmount,
  deductAmount: claim.deductAmount,
  refundId: claim.refundId,
});

/** A claim as its buyer sees it. */
export const withoutSellersOwn = ({ holdReason: _reason, stockShortfall: _shortfall, ...claim }: ClaimView) => claim;
export type BuyerClaimView = ReturnType<typeof withoutSellersOwn>;
