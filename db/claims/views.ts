/** The API's views of claims (docs/contract.md#claims), which list their fields explicitly. */
import type { Listing } from '../../domain/audit/changes.ts';
import { historyLine } from '../../domain/claims/history.ts';
import { isOpen } from '../../domain/claims/rules.ts';
import { korean, koreanOf } from '../../domain/kernel/time.ts';
import type { Tx } from '../kernel/tx.ts';
import { OrderEntity, type OrderItem, OrderItemEntity } from '../orders/entities.ts';
import { quoteDeparture, readRests } from '../orders/departures.ts';
import { type Claim, type ClaimAmounts, type ClaimStep, ClaimStepEntity, type ExpectedAmounts } from './entities.ts';
import { departureOf, NO_AMOUNTS } from './item.ts';

/** How a claim's fields are listed in previews and in the audit log; what is expected is computed, not changed. */
export const CLAIM_LISTING: Listing = {
  given: [
    'claimId',
    'claimNo',
    'refundId',
    'history',
    'expectedRefundAmount',
    'expectedDeliveryFeeRefundAmount',
    'expectedPointRefundAmount',
    'collection.registeredAt',
    'collection.completedAt',
    'redelivery.registeredAt',
    'rejection.rejectedAt',
    'requestedAt',
    'closedAt',
    'lastChangedAt',
  ],
  hidden: ['explanation', 'note', 'trackingNumber', 'evidenceImages', 'images', 'holdReason'],
};

/** What of an item no quote reads, and is large: not loaded for a list. */
const IN_LIST = { exclude: ['storedState', 'flowFacts', 'claims', 'tracking', 'trackingReading'], disableIdentityMap: true } as const;
type ItemOptions = typeof IN_LIST | Record<string, never>;

/** Claims with their history and what an approval would give back, in five queries whatever their number. */
export async function viewClaims(tx: Tx, claims: readonly Claim[], options: ItemOptions = {}) {
  const { em, storeId } = tx;
  if (claims.length === 0) return [];
  const claimId = { $in: claims.map((claim) => claim.claimId) };
  const steps = await em.find(ClaimStepEntity, { storeId, claimId }, { orderBy: { claimId: 'asc', seq: 'asc' } });
  const expected = await expectedOf(tx, claims, options);
  return claims.map((claim) =>
    viewClaim(
      claim,
      expected.get(claim.claimId) ?? NONE,
      steps.filter((step) => step.claimId === claim.claimId),
    ),
  );
}
export type ClaimView = Awaited<ReturnType<typeof viewClaims>>[number];

/** Claims as a list has them: of their photos the first. */
export const viewListedClaims = async (tx: Tx, claims: readonly Claim[]) => (await viewClaims(tx, claims, IN_LIST)).map(withFirstPhotos);
function withFirstPhotos({ images, inspection, rejection, ...claim }: ClaimView) {
  const photos = [images, inspection?.images ?? [], rejection?.evidenceImages ?? []];
  return {
    ...claim,
    images: images.slice(0, 1),
    inspection: inspection && { ...inspection, images: inspection.images.slice(0, 1) },
    rejection: rejection && { ...rejection, evidenceImages: rejection.evidenceImages.slice(0, 1) },
    ...(photos.some(({ length }) => length > 1) && { truncated: true }),
  };
}

const NONE: ExpectedAmounts = { refundAmount: 0, pointRefundAmount: 0, deliveryFeeRefundAmount: 0 };

/** An open claim's expectation is what an approval would give back now; a closed one keeps that of its end. */
async function expectedOf(tx: Tx, claims: readonly Claim[], options: ItemOptions): Promise<ReadonlyMap<string, ExpectedAmounts>> {
  const { em, storeId } = tx;
  const known = new Map(claims.flatMap(({ claimId, expected }) => (expected ? [[claimId, expected] as const] : [])));
  const open = claims.filter((claim) => isOpen(claim.status) && claim.type !== 'EXCHANGE');
  if (open.length === 0) return known;
  const its = { storeId, orderItemId: { $in: open.map((claim) => claim.orderItemId) } };
  const items = (await em.find(OrderItemEntity, its, options)) as OrderItem[];
  const orders = await em.find(OrderEntity, { storeId, orderId: { $in: open.map((claim) => claim.orderId) } });
  const rests = await readRests(tx, orders);
  for (const claim of open) {
    const [item, rest] = [items.find(({ orderItemId }) => orderItemId === claim.orderItemId), rests.get(claim.orderId)];
    if (!item || !rest) continue;
    const { refundWon, pointRefundWon, deliveryFeeRefundWon } = quoteDeparture(rest, item, departureOf(claim));
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
  holdExpiresAt: koreanOf(claim.holdUntil),
  holdUsed: claim.isHoldUsed,
  ...viewHandling(claim),
  stockShortfall: claim.stockShortfall,
  ...viewAmounts(claim.amounts ?? { ...NO_AMOUNTS, deductAmount: isOpen(claim.status) ? claim.flowFeeWon : 0 }),
  testPayment: claim.testPayment,
  history: steps.map(({ name, by, at: when }) => ({ at: koreanOf(when), name, by, message: historyLine(claim, name, by) })),
  requestedAt: koreanOf(claim.requestedAt),
  closedAt: koreanOf(claim.closedAt),
  lastChangedAt: koreanOf(claim.lastChangedAt, 'milliseconds'),
});

/** What the row alone shows, for the difference that a change makes. */
export const viewRow = (claim: Claim): ClaimView => viewClaim(claim, NONE, []);

/** How the goods came back, what was sent for them, why it was rejected; null where it has not happened. */
const viewHandling = ({ collection, inspection, redelivery, rejection }: Claim) => ({
  collection: collection
    ? {
        ...collection,
        registeredAt: korean(collection.registeredAt),
        completedAt: collection.completedAt === null ? null : korean(collection.completedAt),
      }
    : null,
  inspection: inspection ? { ...inspection, images: [...inspection.images] } : null,
  redelivery: redelivery ? { ...redelivery, registeredAt: korean(redelivery.registeredAt) } : null,
  rejection: rejection ? { ...rejection, evidenceImages: [...rejection.evidenceImages], rejectedAt: korean(rejection.rejectedAt) } : null,
});

const viewAmounts = (amounts: ClaimAmounts) => ({
  refundAmount: amounts.refundAmount,
  pointRefundAmount: amounts.pointRefundAmount,
  deliveryFeeRefundAmount: amounts.deliveryFeeRefundAmount,
  deliveryFeeChargeAmount: amounts.deliveryFeeChargeAmount,
  deliveryFeeChargeRefundAmount: amounts.deliveryFeeChargeRefundAmount,
  couponChargeAmount: amounts.couponChargeAmount,
  couponChargeRefundAmount: amounts.couponChargeRefundAmount,
  deductAmount: amounts.deductAmount,
  refundId: amounts.refundId,
});

/** What goes back and what is charged by an approval (docs/contract.md#claims). */
export const viewRefund = (claim: ClaimView) => ({ claimId: claim.claimId, quantity: claim.quantity, ...viewAmounts(claim) });

/** A claim as its buyer sees it. */
export const withoutSellersOwn = ({ holdReason: _reason, stockShortfall: _shortfall, ...claim }: ClaimView) => claim;
export type BuyerClaimView = ReturnType<typeof withoutSellersOwn>;
