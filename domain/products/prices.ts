/** Prices of a product on a day: discounts and price limits (docs/contract.md#prices, D58). Amounts in won. */
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

export interface Prices {
  readonly salePriceWon: number;
  readonly discount: Discount | null;
  /** The smallest additional price of the product's variants. */
  readonly lowestAdditionalWon: number;
}
/**
 * PRICE_CONFLICT when a variant would cost less than 10 won, or a discounted one less than 1, now or within the discount's period. A
 * discount whose last day has passed bounds nothing (D95). `today`: the Korean day.
 */
export function checkPrices({ salePriceWon, discount, lowestAdditionalWon }: Prices, today: string): void {
  const isTooLow = salePriceWon + lowestAdditionalWon < MIN_WON;
  const isOver = discount === null || discount.endDate < today;
  const isTooCheap = !isOver && lessDiscount(salePriceWon, discount) + Math.min(0, lowestAdditionalWon) < MIN_DISCOUNTED_WON;
  if (isTooLow || isTooCheap) throw new Fault('PRICE_CONFLICT');
}

/** Whether this may be sold: no writing leaves less than a won a piece or a night, and what was written before that held is not sold. */
export const isSellableAt = (unitPriceWon: number, nights: readonly { readonly price: number }[] = []): boolean =>
  unitPriceWon >= MIN_DISCOUNTED_WON && nights.every(({ price }) => price >= MIN_DISCOUNTED_WON);

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
