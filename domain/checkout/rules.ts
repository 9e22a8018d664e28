/** What a checkout costs and how long it is valid (docs/contract.md#checkout, docs/contract.md#delivery). */
import type { PricedStay } from '../products/calendar.ts';
import type { ProductRefundPolicy } from '../products/refundPolicy.ts';
import type { DeliveryType, FulfillmentMethod, FulfillmentType } from '../products/rules.ts';
import { MINUTE } from '../kernel/time.ts';
import { type RemoteArea, remoteArea, remoteAreaLabel } from './remoteAreas.ts';

export const CHECKOUT_LIFETIME_MS = 30 * MINUTE;
export const CHECKOUT_LINES = 100;
/** The largest amount that any price or total may have. Won. */
const MAX_WON = 2_000_000_000;

export interface Address {
  readonly receiverName: string;
  readonly phone: string;
  readonly zipCode: string;
  readonly address1: string;
  readonly address2?: string;
}
/** The storefront visit that a cart line, payment or order came from, with the ids that the shop sends. */
export interface Visit {
  readonly visitorId: string | null;
  readonly sessionId: string | null;
}
export interface Buyer {
  readonly name: string;
  readonly phone: string;
  readonly email: string;
  /** Absent for guests. */
  readonly customerId?: string;
}
/** A checkout line at the prices of its moment. Amounts in won. */
export interface CheckoutLine {
  readonly productId: string;
  readonly productName: string;
  readonly variantId: string;
  readonly optionLabel: string | null;
  readonly quantity: number;
  readonly unitPriceWon: number;
  readonly fulfillmentMethod: FulfillmentMethod;
  /** Absent on lines that were stored before MANUAL existed: SHIPPING. */
  readonly fulfillmentType?: FulfillmentType;
  readonly deliveryType: DeliveryType;
  readonly deliveryFeeWon: number;
  readonly conditionalFreeWon: number | null;
  /** The nights of a product that is sold by the night. */
  readonly stay?: PricedStay | null;
  /** Addresses of dispatch and return, copied from the address book. */
  readonly shipFrom?: FrozenAddress | null;
  readonly returnTo?: FrozenAddress | null;
  readonly pickupLocation?: FrozenLocation | null;
  /** The product's overrides of its store's refund policy. */
  readonly refundPolicy?: ProductRefundPolicy | null;
  /** The product's own rate of earning points; absent: the store's. */
  readonly productEarnRateBp?: number;
}
/** A line of a payment, with what its start has fixed besides; absent on payments of before there were points: 0. */
export interface PaymentLine extends CheckoutLine {
  readonly pointAllocationWon?: number;
  readonly earnRateBp?: number;
}
export interface FrozenAddress {
  readonly addressId: string;
  readonly name: string;
  readonly receiver: string;
  readonly mobile: string;
  readonly zipCode: string;
  readonly address: string;
  readonly detailAddress: string | null;
}
export interface FrozenLocation {
  readonly pickupLocationId: string;
  readonly name: string;
  readonly address: string;
  readonly contact: string;
  readonly availableHours: string | null;
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
  /** What of the fee is paid in points; absent on orders of before there were points: 0. */
  readonly pointAllocation?: number;
}

/** As the API shows it. */
export const viewDelivery = (delivery: Delivery) => ({ ...delivery, pointAllocation: delivery.pointAllocation ?? 0 });

export const lineTotalWon = (line: CheckoutLine): number => line.unitPriceWon * line.quantity;

/** Whether a line is shipped: PICKUP and PROVIDED lines need no address and pay no delivery fee. */
export const isShipped = ({ fulfillmentMethod: method }: Pick<CheckoutLine, 'fulfillmentMethod'>): boolean =>
  method === 'CARRIER' || method === 'DIRECT';

/** The store's settings for delivery fees (docs/contract.md#settings). Won. */
export interface ShippingPolicy {
  readonly freeThresholdWon: number | null;
  readonly jejuSurchargeWon: number;
  readonly isolatedSurchargeWon: number;
}
export const NO_POLICY: ShippingPolicy = { freeThresholdWon: null, jejuSurchargeWon: 0, isolatedSurchargeWon: 0 };

/** Whether the total is beyond 2,000,000,000 won, whatever delivery may add. */
export const isTooMuch = (lines: readonly CheckoutLine[]): boolean => isBeyond(price(lines, null, NO_POLICY).amounts);
/** Whether an amount is more than anything may cost: 2,000,000,000 won, delivery included. */
export const isBeyond = ({ totalAmount }: Pick<Amounts, 'totalAmount'>): boolean => totalAmount > MAX_WON;

/**
 * The delivery bundle of each line, from 1: lines that ship from one address under the same delivery policy are one bundle; 0 for lines
 * that are not shipped.
 */
export function bundleNumbers(lines: readonly CheckoutLine[]): number[] {
  const keys: string[] = [];
  return lines.map((line) => {
    if (!isShipped(line)) return 0;
    const key = [line.shipFrom?.addressId ?? '', line.deliveryType, line.deliveryFeeWon, line.conditionalFreeWon].join('/');
    if (!keys.includes(key)) keys.push(key);
    return keys.indexOf(key) + 1;
  });
}

/** What one bundle costs to deliver, as the order will store it. */
export interface BundlePrice {
  readonly bundleNo: number;
  readonly baseFeeWon: number;
  readonly surchargeWon: number;
  readonly conditionalFreeWon: number | null;
  readonly ruleFeeWon: number;
  /** What of the fee is paid in points; absent: 0. */
  readonly pointAllocationWon?: number;
}
export interface Priced {
  readonly amounts: Amounts;
  readonly delivery: Delivery;
  readonly bundles: readonly BundlePrice[];
}

/**
 * Amounts and delivery of a checkout. Each bundle pays its fee once. A CONDITIONAL_FREE bundle pays none from its amount on (≥), and no
 * bundle does when the shipped goods reach the store's threshold. Every bundle pays the remote surcharge. Two lines of 10,000 with one
 * 3,000 policy to Jeju at 2,000: 25,000.
 */
export function price(lines: readonly CheckoutLine[], zipCode: string | null, policy: ShippingPolicy): Priced {
  const numbers = bundleNumbers(lines);
  const productAmount = sumOf(lines);
  const isFree = policy.freeThresholdWon !== null && sumOf(lines.filter(isShipped)) >= policy.freeThresholdWon;
  const area = zipCode === null ? 'NONE' : remoteArea(zipCode);
  const surchargeWon = { NONE: 0, JEJU: policy.jejuSurchargeWon, ISOLATED: policy.isolatedSurchargeWon }[area];
  const bundles = [...new Set(numbers)]
    .filter((bundleNo) => bundleNo > 0)
    .map((bundleNo): BundlePrice => {
      const inside = lines.filter((_, i) => numbers[i] === bundleNo);
      const { deliveryFeeWon: ruleFeeWon, conditionalFreeWon } = inside[0]!;
      const isReached = conditionalFreeWon !== null && sumOf(inside) >= conditionalFreeWon;
      return { bundleNo, surchargeWon, conditionalFreeWon, ruleFeeWon, baseFeeWon: isFree || isReached ? 0 : ruleFeeWon };
    });
  const baseFee = bundles.reduce((sum, bundle) => sum + bundle.baseFeeWon, 0);
  const remoteSurcharge = bundles.length * surchargeWon;
  const deliveryFee = baseFee + remoteSurcharge;
  return {
    bundles,
    amounts: { productAmount, deliveryFee, couponDiscountAmount: 0, pointAmount: 0, totalAmount: productAmount + deliveryFee },
    delivery: {
      baseFee,
      remoteSurcharge,
      remoteArea: area,
      remoteAreaLabel: remoteAreaLabel(area),
      bundleCount: bundles.length,
      freeByThreshold: isFree && bundles.length > 0,
      zipCode,
    },
  };
}

const sumOf = (lines: readonly CheckoutLine[]): number => lines.reduce((sum, line) => sum + lineTotalWon(line), 0);
