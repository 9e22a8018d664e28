/** What a product may be: price units and the delivery rule (part A § Product). */
import { Fault, type FieldError } from '../kernel/errors.ts';

export const SALES_STATUSES = ['ON_SALE', 'SOLD_OUT', 'STOPPED', 'ENDED'] as const;
export type SalesStatus = (typeof SALES_STATUSES)[number];
export const DELIVERY_TYPES = ['FREE', 'PAID', 'CONDITIONAL_FREE'] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];
export const SHIPPING_METHODS = ['CARRIER', 'DIRECT'] as const;
export type FulfillmentMethod = (typeof SHIPPING_METHODS)[number];
export const CATEGORY_LEVELS = 4;

export interface ShippingRequest {
  readonly deliveryType?: DeliveryType;
  readonly deliveryFee?: number;
  readonly conditionalFreeAmount?: number | null;
}
export interface ShippingRule {
  readonly deliveryType: DeliveryType;
  readonly deliveryFeeWon: number;
  readonly conditionalFreeWon: number | null;
}

/** What is wrong with a delivery rule; nothing is corrected silently: FREE with a fee of 500 is refused. */
export function shippingProblems(request: { readonly [K in keyof ShippingRequest]?: unknown }): FieldError[] {
  const { deliveryType = 'PAID', deliveryFee = 0, conditionalFreeAmount = null } = request;
  const problem = (name: string, message: string): FieldError => ({ field: `fulfillment.shipping.${name}`, code: 'INVALID', message });
  const isConditional = deliveryType === 'CONDITIONAL_FREE';
  return [
    ...(deliveryType === 'FREE' && deliveryFee !== 0 ? [problem('deliveryFee', 'FREE delivery has no fee.')] : []),
    ...(isConditional && conditionalFreeAmount === null
      ? [problem('conditionalFreeAmount', 'CONDITIONAL_FREE needs the amount from which delivery is free.')]
      : []),
    ...(!isConditional && conditionalFreeAmount !== null
      ? [problem('conditionalFreeAmount', 'Only CONDITIONAL_FREE has such an amount.')]
      : []),
  ];
}

/** The delivery rule that a registration stores. The type defaults to PAID, an omitted fee to the store's at that moment. */
export function shippingRule(request: ShippingRequest, storeFeeWon: number): ShippingRule {
  const { deliveryType = 'PAID', conditionalFreeAmount: conditionalFreeWon = null } = request;
  return { deliveryType, deliveryFeeWon: deliveryType === 'FREE' ? 0 : (request.deliveryFee ?? storeFeeWon), conditionalFreeWon };
}

/** Sale prices come in units of 10 won. */
export function checkPriceUnit(salePriceWon: number): void {
  if (salePriceWon % 10 !== 0) throw new Fault('INVALID_PRICE_UNIT');
}

/** `7-01`: product number and a two-digit sequence, three digits past 99. */
export const variantNo = (productNo: number, sequence: number): string => `${productNo}-${String(sequence).padStart(2, '0')}`;

/** Buyers see a variant as sold out when it is switched off or empty (D60). */
export const isSoldOut = (variant: { readonly isSellable: boolean; readonly stockQuantity: number }): boolean =>
  !variant.isSellable || variant.stockQuantity === 0;
