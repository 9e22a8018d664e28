/** What a cancel gives back (docs/contract.md#cancel, D20, D50, D73). Amounts in won; nothing here is rounded twice. */
import type { RefundPolicy } from '../products/refundPolicy.ts';

/**
 * The share of `paidWon` for units `canceled + 1 … canceled + quantity` of `ordered`: cumulative, so that split cancels
 * sum to what was paid. 10,000 over 3 gives 3,333 + 3,333 + 3,334; never a division of the remainder.
 */
export function refundShare(paidWon: number, ordered: number, canceled: number, quantity: number): number {
  const upTo = (count: number) => Number((BigInt(paidWon) * BigInt(count)) / BigInt(ordered));
  return upTo(canceled + quantity) - upTo(canceled);
}

/** One delivery bundle of an order as it was paid, and what has happened to its fee since. */
export interface Bundle {
  readonly baseFeeWon: number;
  readonly surchargeWon: number;
  /** The amount from which the product's own rule made delivery free; null where there is no such rule. */
  readonly conditionalFreeWon: number | null;
  /** The fee that the rule asks below that amount. */
  readonly ruleFeeWon: number;
  readonly feeRefundedWon: number;
  readonly shortfallChargedWon: number;
}
export interface SellerCancel {
  readonly policy: RefundPolicy;
  readonly bundle: Bundle;
  /** The share of the goods. */
  readonly shareWon: number;
  /** What the bundle's remaining goods cost, after this cancel; 0 when the whole bundle has left. */
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
 * A seller's cancel before shipment. The bundle's fee comes back once, when the whole bundle has left: by
 * `sellerFaultFreeShipping`, or with that off by `preShipmentDeliveryFeeRefund` (D50). With the switch off a bundle that was
 * free by its product's condition must pay the fee of what is left: at most what is refundable, and given back when the rest
 * leaves. 20,000 with a 3,000 fee: 10,000 first, then 13,000.
 */
export function computeSellerCancel({ policy, bundle, shareWon, remainingWon }: SellerCancel): CancelAmounts {
  const isEmpty = remainingWon === 0;
  const paidFeeWon = bundle.baseFeeWon + bundle.surchargeWon;
  const giveFeeBack = isEmpty && (policy.sellerFaultFreeShipping || policy.preShipmentDeliveryFeeRefund);
  const deliveryFeeRefundWon = giveFeeBack ? paidFeeWon - bundle.feeRefundedWon : 0;
  const chargeBackWon = isEmpty ? bundle.shortfallChargedWon : 0;
  const owesShortfall =
    !isEmpty &&
    !policy.sellerFaultFreeShipping &&
    policy.conditionalFreeShortfallCharge &&
    bundle.shortfallChargedWon === 0 &&
    bundle.baseFeeWon === 0 &&
    bundle.conditionalFreeWon !== null &&
    remainingWon < bundle.conditionalFreeWon;
  const deliveryFeeChargeWon = owesShortfall ? Math.min(bundle.ruleFeeWon, shareWon) : 0;
  return {
    deliveryFeeRefundWon,
    deliveryFeeChargeWon,
    refundWon: shareWon + deliveryFeeRefundWon + chargeBackWon - deliveryFeeChargeWon,
    feeRefundedWon: bundle.feeRefundedWon + deliveryFeeRefundWon,
    shortfallChargedWon: bundle.shortfallChargedWon - chargeBackWon + deliveryFeeChargeWon,
  };
}

export const CANCEL_REASONS = ['OUT_OF_STOCK', 'PRICE_ERROR', 'UNDELIVERABLE', 'OTHER'] as const;
