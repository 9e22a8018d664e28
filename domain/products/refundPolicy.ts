/** Refund policies: the store's rules, and a product's overrides. Amounts in won. */

/** The store's refund rules, copied to each order item at payment (docs/contract.md#settings). */
export interface RefundPolicy {
  readonly preShipmentDeliveryFeeRefund: boolean;
  readonly returnDeliveryFee: number;
  readonly exchangeDeliveryFee: number;
  readonly sellerFaultFreeShipping: boolean;
  readonly conditionalFreeShortfallCharge: boolean;
  readonly couponShortfallCharge: boolean;
}
/** The rules that a product may override: all but the one about coupons. */
export type ProductRefundPolicy = Partial<Omit<RefundPolicy, 'couponShortfallCharge'>>;
export const DEFAULT_REFUND_POLICY: RefundPolicy = {
  preShipmentDeliveryFeeRefund: true,
  returnDeliveryFee: 0,
  exchangeDeliveryFee: 0,
  sellerFaultFreeShipping: true,
  conditionalFreeShortfallCharge: false,
  couponShortfallCharge: true,
};
