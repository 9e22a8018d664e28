/** What a product may be: price units and the delivery rule (part A § Product). */
import { Fault, type FieldError } from '../kernel/errors.ts';

export const SALES_STATUSES = ['ON_SALE', 'SOLD_OUT', 'STOPPED', 'ENDED'] as const;
export type SalesStatus = (typeof SALES_STATUSES)[number];
export const DELIVERY_TYPES = ['FREE', 'PAID', 'CONDITIONAL_FREE'] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];
export const FULFILLMENT_TYPES = ['SHIPPING', 'MANUAL'] as const;
export type FulfillmentType = (typeof FULFILLMENT_TYPES)[number];
/** How each type may reach the buyer; the first is what a product without a word of its own gets (D41). */
export const METHODS = { SHIPPING: ['CARRIER', 'DIRECT'], MANUAL: ['PROVIDED'] } as const;
export const FULFILLMENT_METHODS = ['CARRIER', 'DIRECT', 'PROVIDED'] as const;
export type FulfillmentMethod = (typeof FULFILLMENT_METHODS)[number];
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

/** What is wrong with how a product is fulfilled: a MANUAL product has no shipping, and each type has methods of its own. */
export function fulfillmentProblems(fulfillment: {
  readonly type?: unknown;
  readonly methods?: unknown;
  readonly shipping?: unknown;
}): FieldError[] {
  const { type, methods = [], shipping } = fulfillment;
  if (type !== 'SHIPPING' && type !== 'MANUAL') return [];
  const known: readonly unknown[] = METHODS[type];
  const foreign = Array.isArray(methods)
    ? methods.filter((method) => FULFILLMENT_METHODS.some((m) => m === method) && !known.includes(method))
    : [];
  return [
    ...foreign.map((method) => ({
      field: 'fulfillment.methods',
      code: 'INVALID',
      message: `${type} products have no method ${String(method)}.`,
    })),
    ...(type === 'MANUAL' && shipping !== undefined && shipping !== null
      ? [{ field: 'fulfillment.shipping', code: 'INVALID', message: 'Only SHIPPING products are shipped.' }]
      : []),
    ...(type === 'SHIPPING' && typeof shipping === 'object' && shipping !== null ? shippingProblems(shipping) : []),
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
