/** The refund of a cancel (docs/contract.md#cancel, D20, D50, D73). Amounts in won; no amount is rounded twice. */
import type { RefundPolicy } from '../products/refundPolicy.ts';

/**
 * The share of `paidWon` for units `canceled + 1 … canceled + quantity` of `ordered`: cumulative, so that split cancels
 * sum to what was paid. 10,000 over 3 gives 3,333 + 3,333 + 3,334; never a division of the remainder.
 */
export function refundShare(paidWon: number, ordered: number, canceled: number, quantity: number): number {
  const upTo = (count: number) => Number((BigInt(paidWon) * BigInt(count)) / BigInt(ordered));
  return upTo(canceled + quantity) - upTo(canceled);
}

/** A delivery bundle of an order: its fee as it was paid, and what was refunded and charged of it since. */
export interface Bundle {
  readonly baseFeeWon: number;
  readonly surchargeWon: number;
  /** The amount from which the product's own rule made delivery free; null where there is no such rule. */
  readonly conditionalFreeWon: number | null;
  /** The fee below that amount. */
  readonly ruleFeeWon: number;
  readonly feeRefundedWon: number;
  readonly shortfallChargedWon: number;
}
export interface SellerCancel {
  readonly policy: RefundPolicy;
  readonly bundle: Bundle;
  /** The goods' part of the refund. */
  readonly shareWon: number;
  /** What the bundle's remaining goods cost after this cancel; 0 when the whole bundle is canceled. */
  readonly remainingWon: number;
}
export interface CancelAmounts {
  readonly refundWon: number;
  readonly deliveryFeeRefundWon: number;
  readonly deliveryFeeChargeWon: number;
  /** The bundle's fee fields afterwards. */
  readonly feeRefundedWon: number;
  readonly shortfallChargedWon: number;
}

/**
 * A seller's cancel before shipment. The bundle's fee is refunded once, when all its items are canceled, unless `sellerFaultFreeShipping`
 * and `preShipmentDeliveryFeeRefund` are both off (D50). With `sellerFaultFreeShipping` off and `conditionalFreeShortfallCharge` on (off by
 * default), a bundle whose delivery was free and whose rest costs less than `conditionalFreeWon` is charged `ruleFeeWon`: once, at most the
 * share of the goods, and refunded when the rest is canceled too. 20,000 with a 3,000 fee: 10,000 first, then 13,000.
 */
export function computeSellerCancel({ policy, bundle, shareWon, remainingWon }: SellerCancel): CancelAmounts {
  const isEmpty = remainingWon === 0;
  const paidFeeWon = bundle.baseFeeWon + bundle.surchargeWon;
  const refundsFee = isEmpty && (policy.sellerFaultFreeShipping || policy.preShipmentDeliveryFeeRefund);
  const deliveryFeeRefundWon = refundsFee ? paidFeeWon - bundle.feeRefundedWon : 0;
  const chargeBackWon = isEmpty ? bundle.shortfallChargedWon : 0;
  const chargesShortfall =
    !isEmpty &&
    !policy.sellerFaultFreeShipping &&
    policy.conditionalFreeShortfallCharge &&
    bundle.shortfallChargedWon === 0 &&
    bundle.baseFeeWon === 0 &&
    bundle.conditionalFreeWon !== null &&
    remainingWon < bundle.conditionalFreeWon;
  const deliveryFeeChargeWon = chargesShortfall ? Math.min(bundle.ruleFeeWon, shareWon) : 0;
  return {
    deliveryFeeRefundWon,
    deliveryFeeChargeWon,
    refundWon: shareWon + deliveryFeeRefundWon + chargeBackWon - deliveryFeeChargeWon,
    feeRefundedWon: bundle.feeRefundedWon + deliveryFeeRefundWon,
    shortfallChargedWon: bundle.shortfallChargedWon - chargeBackWon + deliveryFeeChargeWon,
  };
}

export const CANCEL_REASONS = ['OUT_OF_STOCK', 'PRICE_ERROR', 'UNDELIVERABLE', 'OTHER'] as const;
