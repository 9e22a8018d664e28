/** What a seller gives back when: the store's rules, and what a product says otherwise (D80). Amounts in won. */

/** The store's refund rules, frozen on each order item at payment (docs/contract.md#settings). */
export interface RefundPolicy {
  readonly preShipmentDeliveryFeeRefund: boolean;
  readonly returnDeliveryFee: number;
  readonly exchangeDeliveryFee: number;
  readonly sellerFaultFreeShipping: boolean;
  readonly conditionalFreeShortfallCharge: boolean;
  readonly couponShortfallCharge: boolean;
}
/** What a product may say otherwise than its store; coupons are the store's alone (D80). */
export type ProductRefundPolicy = Partial<Omit<RefundPolicy, 'couponShortfallCharge'>>;
export const DEFAULT_REFUND_POLICY: RefundPolicy = {
  preShipmentDeliveryFeeRefund: true,
  returnDeliveryFee: 0,
  exchangeDeliveryFee: 0,
  sellerFaultFreeShipping: true,
  conditionalFreeShortfallCharge: false,
  couponShortfallCharge: true,
};
