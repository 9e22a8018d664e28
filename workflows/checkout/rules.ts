/** What a checkout costs and how long it holds (part A § Buyer checkout payment flow, D41). */
import type { DeliveryType, FulfillmentMethod } from '../catalog/rules.ts';
import { MINUTE } from '../kernel/time.ts';
import { type RemoteArea, remoteArea, remoteAreaLabel } from './remoteAreas.ts';

export const CHECKOUT_LIFETIME_MS = 30 * MINUTE;
export const CHECKOUT_LINES = 100;
/** The largest amount that anything may have. */
const MOST_WON = 2_000_000_000;

export interface Address {
  readonly receiverName: string;
  readonly phone: string;
  readonly zipCode: string;
  readonly address1: string;
  readonly address2?: string;
}
export interface Buyer {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
}
/** One line as it was priced. Amounts in won. */
export interface CheckoutLine {
  readonly productId: string;
  readonly productName: string;
  readonly variantId: string;
  readonly optionLabel: string | null;
  readonly quantity: number;
  readonly unitPriceWon: number;
  readonly fulfillmentMethod: FulfillmentMethod;
  readonly deliveryType: DeliveryType;
  readonly deliveryFeeWon: number;
  readonly conditionalFreeWon: number | null;
}
export interface Amounts {
  readonly productAmount: number;
  readonly deliveryFee: number;
  readonly couponDiscountAmount: number;
  readonly pointAmount: number;
  readonly totalAmount: number;
}
export interface Delivery {
  readonly baseFee: number;
  readonly remoteSurcharge: number;
  readonly remoteArea: RemoteArea;
  readonly remoteAreaLabel: string | null;
  readonly bundleCount: number;
  readonly freeByThreshold: boolean;
  readonly zipCode: string | null;
}

export const lineTotalWon = (line: CheckoutLine): number => line.unitPriceWon * line.quantity;

/** Whether a line or the total is beyond 2,000,000,000 won, delivery fees included. */
export const isTooMuch = (lines: readonly CheckoutLine[]): boolean => price(lines, null).amounts.totalAmount > MOST_WON;

/** The delivery bundle of each line, from 1: lines with the same delivery policy travel together. */
export function bundleNumbers(lines: readonly CheckoutLine[]): number[] {
  const keys: string[] = [];
  return lines.map(({ deliveryType, deliveryFeeWon, conditionalFreeWon }) => {
    const key = [deliveryType, deliveryFeeWon, conditionalFreeWon].join('/');
    if (!keys.includes(key)) keys.push(key);
    return keys.indexOf(key) + 1;
  });
}

/**
 * Amounts and delivery of a checkout. Each bundle pays its fee once; a conditional-free bundle pays nothing from its
 * amount on (≥). Two lines of 10,000 with the same 3,000 policy: 23,000.
 */
export function price(lines: readonly CheckoutLine[], zipCode: string | null): { amounts: Amounts; delivery: Delivery } {
  const bundles = Map.groupBy(
    lines.map((line, i) => ({ line, bundle: bundleNumbers(lines)[i] })),
    (entry) => entry.bundle,
  );
  const baseFee = [...bundles.values()].reduce((sum, entries) => sum + bundleFee(entries.map((entry) => entry.line)), 0);
  const area = zipCode === null ? 'NONE' : remoteArea(zipCode);
  const productAmount = lines.reduce((sum, line) => sum + lineTotalWon(line), 0);
  return {
    amounts: { productAmount, deliveryFee: baseFee, couponDiscountAmount: 0, pointAmount: 0, totalAmount: productAmount + baseFee },
    delivery: {
      baseFee,
      remoteSurcharge: 0,
      remoteArea: area,
      remoteAreaLabel: remoteAreaLabel(area),
      bundleCount: bundles.size,
      freeByThreshold: false,
      zipCode,
    },
  };
}

function bundleFee(lines: readonly CheckoutLine[]): number {
  const [first] = lines;
  if (!first) return 0;
  const sum = lines.reduce((total, line) => total + lineTotalWon(line), 0);
  return first.conditionalFreeWon !== null && sum >= first.conditionalFreeWon ? 0 : first.deliveryFeeWon;
}
