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

/**
 * The delivery rule that a registration stores, or every problem with it. The type defaults to PAID, an omitted fee
 * to the store's at that moment; nothing is corrected silently: FREE with a fee of 500 is refused.
 */
export function shippingRule(request: ShippingRequest, storeFeeWon: number): ShippingRule {
  const deliveryType = request.deliveryType ?? 'PAID';
  const conditionalFreeWon = request.conditionalFreeAmount ?? null;
  const fieldErrors: FieldError[] = [];
  const field = (name: string, message: string) => fieldErrors.push({ field: `fulfillment.shipping.${name}`, code: 'INVALID', message });
  if (deliveryType === 'FREE' && (request.deliveryFee ?? 0) !== 0) field('deliveryFee', 'FREE delivery has no fee.');
  if (deliveryType === 'CONDITIONAL_FREE' && conditionalFreeWon === null)
    field('conditionalFreeAmount', 'CONDITIONAL_FREE needs the amount from which delivery is free.');
  if (deliveryType !== 'CONDITIONAL_FREE' && conditionalFreeWon !== null)
    field('conditionalFreeAmount', 'Only CONDITIONAL_FREE has such an amount.');
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
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
