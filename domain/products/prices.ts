/** Prices of a product on a day: discounts and price limits (docs/contract.md#prices, D42, D58). Amounts in won. */
import { Fault, type FieldError } from '../kernel/errors.ts';

export const DISCOUNT_METHODS = ['RATE', 'AMOUNT'] as const;
export interface Discount {
  readonly method: (typeof DISCOUNT_METHODS)[number];
  /** Percent for RATE, won for AMOUNT. */
  readonly value: number;
  /** Korean days, both inclusive. */
  readonly startDate: string;
  readonly endDate: string;
}
/** The lowest price of a variant. */
export const MIN_WON = 10;
const MIN_DISCOUNTED_WON = 1;

/** The sale price minus the discount, regardless of its period: 10,000 at 15 % is 8,500; 9,990 at 33 % is 6,694. */
const lessDiscount = (salePriceWon: number, { method, value }: Pick<Discount, 'method' | 'value'>): number =>
  salePriceWon - (method === 'RATE' ? Math.floor((salePriceWon * value) / 100) : value);

/** The discounted price on a Korean day; null outside the discount's period. */
export const discountedWon = (salePriceWon: number, discount: Discount | null, day: string): number | null =>
  discount && discount.startDate <= day && day <= discount.endDate ? lessDiscount(salePriceWon, discount) : null;

/** The buyer's price on a day, without a variant's additional price. */
export const buyerPriceWon = (salePriceWon: number, discount: Discount | null, day: string): number =>
  discountedWon(salePriceWon, discount, day) ?? salePriceWon;

/**
 * PRICE_CONFLICT when a variant would cost less than 10 won, or a discounted one less than 1, now or within the discount's period.
 * `lowestAdditionalWon`: the smallest additional price of the product's variants.
 */
export function checkPrices(salePriceWon: number, discount: Discount | null, lowestAdditionalWon: number): void {
  const isTooLow = salePriceWon + lowestAdditionalWon < MIN_WON;
  const discounted = discount && lessDiscount(salePriceWon, discount) + Math.min(0, lowestAdditionalWon);
  if (isTooLow || (discounted !== null && discounted < MIN_DISCOUNTED_WON)) throw new Fault('PRICE_CONFLICT');
}

/** Problems of a requested discount: a RATE is 1 to 99 percent, an AMOUNT 1 won up to one less than the sale price (setDiscount). */
export function discountProblems(wanted: { readonly [K in keyof Discount]?: Discount[K] | null | undefined }): FieldError[] {
  const { method, value, startDate, endDate } = wanted;
  const problem = (field: string, code: string, message: string): FieldError => ({ field, code, message });
  if (method === null) return [];
  const missing = (['value', 'startDate', 'endDate'] as const).filter((name) => !(name in wanted));
  return [
    ...missing.map((name) => problem(name, 'REQUIRED', 'A discount needs it.')),
    ...(method === 'RATE' && value !== undefined && value !== null && value > 99
      ? [problem('value', 'OUT_OF_RANGE', 'A rate is 1 to 99 percent.')]
      : []),
    ...(startDate && endDate && endDate < startDate ? [problem('endDate', 'OUT_OF_RANGE', 'It ends before it starts.')] : []),
  ];
}
