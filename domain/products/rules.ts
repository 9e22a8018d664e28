/** Products: statuses, types, methods, price unit and variant numbers (docs/contract.md#products). Delivery: fulfillment.ts. */
import { Fault } from '../kernel/errors.ts';

export const SALES_STATUSES = ['ON_SALE', 'SOLD_OUT', 'STOPPED', 'ENDED'] as const;
export type SalesStatus = (typeof SALES_STATUSES)[number];
export const DELIVERY_TYPES = ['FREE', 'PAID', 'CONDITIONAL_FREE'] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];
export const FULFILLMENT_TYPES = ['SHIPPING', 'MANUAL'] as const;
export type FulfillmentType = (typeof FULFILLMENT_TYPES)[number];
/** The fulfillment methods of each type; the first is the default. */
export const METHODS = { SHIPPING: ['CARRIER', 'DIRECT', 'PICKUP'], MANUAL: ['PROVIDED', 'PICKUP'] } as const;
export const FULFILLMENT_METHODS = ['CARRIER', 'DIRECT', 'PICKUP', 'PROVIDED'] as const;
export type FulfillmentMethod = (typeof FULFILLMENT_METHODS)[number];
export const CATEGORY_LEVELS = 4;
export const ADDRESS_TYPES = ['SHIPPING', 'RETURN'] as const;
export type AddressType = (typeof ADDRESS_TYPES)[number];

/** INVALID_PRICE_UNIT unless the sale price is a multiple of 10 won. */
export function checkPriceUnit(salePriceWon: number): void {
  if (salePriceWon % 10 !== 0) throw new Fault('INVALID_PRICE_UNIT');
}

/** `7-01`: product number and a two-digit sequence, three digits past 99. */
export const variantNo = (productNo: number, sequence: number): string => `${productNo}-${String(sequence).padStart(2, '0')}`;

/** Buyers see a variant as sold out when it is not sellable or has no stock (D60). */
export const isSoldOut = (variant: { readonly isSellable: boolean; readonly stockQuantity: number }): boolean =>
  !variant.isSellable || variant.stockQuantity === 0;
