/**
 * What goes back and what is charged when units leave an order: by a seller's cancel, a claim or the end of a flow
 * (docs/contract.md#refunds, D20, D49). Amounts in won; no amount is rounded twice.
 */
import type { RefundPolicy } from '../products/refundPolicy.ts';

/**
 * The share of `paidWon` for units `left + 1 … left + quantity` of `ordered`: cumulative, so that parts sum to the whole. 10,000 over 3
 * gives 3,333 + 3,333 + 3,334; never a division of the remainder.
 */
export function shareOf(paidWon: number, ordered: number, left: number, quantity: number): number {
  const upTo = (count: number) => Number((BigInt(paidWon) * BigInt(count)) / BigInt(ordered));
  return upTo(left + quantity) - upTo(left);
}

/** An amount by the kind of money that it was paid with. */
export interface Money {
  readonly cashWon: number;
  readonly pointWon: number;
}

/** A line of an order as it was paid. */
export interface PaidLine {
  /** The units ordered. */
  readonly quantity: number;
  readonly totalPriceWon: number;
  readonly couponDiscountWon: number;
  readonly pointAllocationWon: number;
}
/**
 * The part of a line for `quantity` units when `left` units of it have left before, each kind of money by itself: 10,000 of which 1,000 by
 * coupon and 3,000 in points, over 2 units: 3,000 in cash and 1,500 in points each.
 */
export function lineShare(line: PaidLine, left: number, quantity: number): Money {
  const share = (won: number) => shareOf(won, line.quantity, left, quantity);
  const cashWon = share(line.totalPriceWon - line.couponDiscountWon - line.pointAllocationWon);
  return { cashWon, pointWon: share(line.pointAllocationWon) };
}

/** A delivery bundle of an order: its fee as it was paid, and what was refunded and charged of it since. */
export interface Bundle {
  readonly baseFeeWon: number;
  readonly surchargeWon: number;
  /** What of the fee was paid in points. */
  readonly pointAllocationWon: number;
  /** The amount from which the product's own rule made delivery free; null where there is no such rule, or it was not reached. */
  readonly conditionalFreeWon: number | null;
  /** The fee below that amount. */
  readonly ruleFeeWon: number;
  readonly feeRefundedWon: number;
  /** The shortfall that is charged now: in all, and what of it was taken from points. */
  readonly shortfallChargedWon: number;
  readonly shortfallChargedPointWon: number;
}
/** The coupon of an order, and what was charged because too little of the order remains for it. */
export interface Coupon {
  /** What the order has to cost at least for the coupon. */
  readonly minOrderWon: number;
  readonly chargedWon: number;
  readonly chargedPointWon: number;
}

/** Units that leave, and what remains afterwards. Exchanged units remain: the buyer has others for them. */
export interface RefundTerms {
  /** A return, after the dispatch; or a cancel, before it. */
  readonly isReturn: boolean;
  readonly isSellerFault: boolean;
  /** Of the line that leaves. */
  readonly policy: RefundPolicy;
  readonly share: Money;
  /** Null: the line is not shipped. */
  readonly bundle: Bundle | null;
  /** The price of the goods that remain in the bundle; 0: all of it has left. */
  readonly bundleRestWon: number;
  /** Null: the order has none. */
  readonly coupon: Coupon | null;
  /** The price of the goods that remain in the order, and the coupon's discount on them. */
  readonly orderRestWon: number;
  readonly restDiscountWon: number;
  /** An additional deduction: the seller's, or the fee of the flow. */
  readonly deductWon: number;
}

export interface RefundAmounts {
  /** In cash, to the original payment. */
  readonly refundWon: number;
  readonly pointRefundWon: number;
  /** The cash part of the bundle's fee. */
  readonly deliveryFeeRefundWon: number;
  /** The fee of the return, and the fee that a conditional free delivery would have cost. */
  readonly deliveryFeeChargeWon: number;
  /** An earlier charge of the latter, given back with the rest of the bundle. */
  readonly deliveryFeeChargeRefundWon: number;
  readonly couponChargeWon: number;
  readonly couponChargeRefundWon: number;
  readonly deductWon: number;
  /** Fields of bundle and coupon afterwards. */
  readonly bundle: Pick<Bundle, 'feeRefundedWon' | 'shortfallChargedWon' | 'shortfallChargedPointWon'> | null;
  readonly coupon: Pick<Coupon, 'chargedWon' | 'chargedPointWon'> | null;
}

/**
 * Refund = share of the goods + delivery fee − its charges + charges given back − coupon charge − deduction, never below 0. What is charged
 * comes out of cash first, then out of points, and each charge is at most what the ones before it have left; what was charged comes back in
 * the kind of money that it was taken from.
 */
export function computeRefund(terms: RefundTerms): RefundAmounts {
  const fee = bundleFeeRefund(terms);
  const shortfallBack = shortfallRefund(terms);
  const couponBack = couponRefund(terms);
  const purse = createPurse([terms.share, fee, shortfallBack, couponBack]);
  const returnFee = purse.take(returnFeeOf(terms));
  const shortfall = purse.take(shortfallOf(terms));
  const couponCharge = purse.take(couponChargeOf(terms));
  const deduct = purse.take(terms.deductWon);
  const rest = purse.rest();
  const { bundle, coupon } = terms;
  return {
    refundWon: rest.cashWon,
    pointRefundWon: rest.pointWon,
    deliveryFeeRefundWon: fee.cashWon,
    deliveryFeeChargeWon: sum(returnFee) + sum(shortfall),
    deliveryFeeChargeRefundWon: sum(shortfallBack),
    couponChargeWon: sum(couponCharge),
    couponChargeRefundWon: sum(couponBack),
    deductWon: sum(deduct),
    bundle: bundle && {
      feeRefundedWon: bundle.feeRefundedWon + sum(fee),
      shortfallChargedWon: bundle.shortfallChargedWon - sum(shortfallBack) + sum(shortfall),
      shortfallChargedPointWon: bundle.shortfallChargedPointWon - shortfallBack.pointWon + shortfall.pointWon,
    },
    coupon: coupon && {
      chargedWon: coupon.chargedWon - sum(couponBack) + sum(couponCharge),
      chargedPointWon: coupon.chargedPointWon - couponBack.pointWon + couponCharge.pointWon,
    },
  };
}

/** What goes back for units that were refunded before they leave (F40): nothing, of whatever kind. */
export const NOTHING_BACK: RefundAmounts = {
  refundWon: 0,
  pointRefundWon: 0,
  deliveryFeeRefundWon: 0,
  deliveryFeeChargeWon: 0,
  deliveryFeeChargeRefundWon: 0,
  couponChargeWon: 0,
  couponChargeRefundWon: 0,
  deductWon: 0,
  bundle: null,
  coupon: null,
};

const NOTHING: Money = { cashWon: 0, pointWon: 0 };
const sum = ({ cashWon, pointWon }: Money): number => cashWon + pointWon;

/** What goes back so far; `take` takes at most what is there, cash before points. */
function createPurse(amounts: readonly Money[]) {
  let cashWon = amounts.reduce((total, amount) => total + amount.cashWon, 0);
  let pointWon = amounts.reduce((total, amount) => total + amount.pointWon, 0);
  return {
    take(wantedWon: number): Money {
      const taken = { cashWon: Math.min(wantedWon, cashWon), pointWon: Math.min(Math.max(0, wantedWon - cashWon), pointWon) };
      cashWon -= taken.cashWon;
      pointWon -= taken.pointWon;
      return taken;
    },
    rest: (): Money => ({ cashWon, pointWon }),
  };
}

/** `sellerFaultFreeShipping` off: a fault of the seller is treated like a change of mind. */
const isSellerPaying = ({ isSellerFault, policy }: RefundTerms): boolean => isSellerFault && policy.sellerFaultFreeShipping;

/**
 * The fee and the surcharge of a bundle, once, when all of it has left: at the seller's fault, or by a cancel before the dispatch where
 * `preShipmentDeliveryFeeRefund` is on. Whatever left before, the reason and the policy of what leaves last decide.
 */
function bundleFeeRefund(terms: RefundTerms): Money {
  const { bundle, bundleRestWon, isReturn, policy } = terms;
  if (!bundle || bundleRestWon > 0) return NOTHING;
  if (!isSellerPaying(terms) && (isReturn || !policy.preShipmentDeliveryFeeRefund)) return NOTHING;
  const { baseFeeWon, surchargeWon, pointAllocationWon: pointWon, feeRefundedWon } = bundle;
  return feeRefundedWon > 0 ? NOTHING : { cashWon: baseFeeWon + surchargeWon - pointWon, pointWon };
}

/** `returnDeliveryFee`, per return that is not the seller's fault. */
function returnFeeOf(terms: RefundTerms): number {
  return terms.bundle && terms.isReturn && !isSellerPaying(terms) ? terms.policy.returnDeliveryFee : 0;
}

/**
 * With `conditionalFreeShortfallCharge` on, a bundle whose delivery was free by its product's rule, and whose rest costs less than
 * `conditionalFreeWon`, is charged `ruleFeeWon`: once. 20,000 with a 3,000 fee: 10,000 − 3,000 first, then 10,000 + 3,000.
 */
function shortfallOf(terms: RefundTerms): number {
  const { bundle, bundleRestWon, policy } = terms;
  if (!bundle || bundleRestWon === 0 || isSellerPaying(terms) || !policy.conditionalFreeShortfallCharge) return 0;
  const { baseFeeWon, conditionalFreeWon, shortfallChargedWon, ruleFeeWon } = bundle;
  const isCharged = shortfallChargedWon > 0 || baseFeeWon > 0 || conditionalFreeWon === null || bundleRestWon >= conditionalFreeWon;
  return isCharged ? 0 : ruleFeeWon;
}

/** The shortfall that was charged comes back when the rest leaves. */
function shortfallRefund({ bundle, bundleRestWon }: RefundTerms): Money {
  if (!bundle || bundleRestWon > 0) return NOTHING;
  return {
    cashWon: bundle.shortfallChargedWon - bundle.shortfallChargedPointWon,
    pointWon: bundle.shortfallChargedPointWon,
  };
}

/**
 * With `couponShortfallCharge` on, an order whose rest costs less than its coupon asks for is charged the coupon's discount on that rest:
 * once, and never at the seller's fault.
 */
function couponChargeOf({ coupon, orderRestWon, restDiscountWon, isSellerFault, policy }: RefundTerms): number {
  if (!coupon || isSellerFault || !policy.couponShortfallCharge) return 0;
  return coupon.chargedWon === 0 && orderRestWon < coupon.minOrderWon ? restDiscountWon : 0;
}

/** What was charged beyond the coupon's discount on the rest comes back as the rest leaves: points first, which were taken last. */
function couponRefund({ coupon, restDiscountWon }: RefundTerms): Money {
  const backWon = coupon ? Math.max(0, coupon.chargedWon - restDiscountWon) : 0;
  const pointWon = Math.min(backWon, coupon?.chargedPointWon ?? 0);
  return { cashWon: backWon - pointWon, pointWon };
}
