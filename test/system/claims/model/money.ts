/**
 * What goes back for units that leave an order, written a second time from the specification (docs/contract.md#refunds, D20, D49, D50, D53, D73): no
 * line of domain/refunds is used here. Won.
 */
export interface Money {
  cash: number;
  points: number;
}
export interface Policy {
  readonly preShipmentDeliveryFeeRefund: boolean;
  readonly returnDeliveryFee: number;
  readonly exchangeDeliveryFee: number;
  readonly sellerFaultFreeShipping: boolean;
  readonly conditionalFreeShortfallCharge: boolean;
  readonly couponShortfallCharge: boolean;
}
export interface Goods {
  readonly unitPrice: number;
  readonly quantity: number;
  /** What was paid for all units, and the coupon's discount on them. */
  readonly paid: Money;
  readonly coupon: number;
  readonly policy: Policy;
  /** Null: nothing is shipped. */
  readonly bundle: number | null;
  /** Units that left; of them the exchanged ones, for which the buyer has others. */
  left: number;
  exchanged: number;
}
export interface BundleBook {
  /** Fee and surcharge as they were paid. */
  readonly paid: Money;
  /** Free at order time by the rule of its products: from this amount on, else `ruleFee`. Null: not by that rule. */
  readonly freeFrom: number | null;
  readonly ruleFee: number;
  isFeeBack: boolean;
  /** The shortfall that is charged now. */
  charged: Money;
}
export interface OrderBook {
  readonly lines: Goods[];
  readonly bundles: BundleBook[];
  /** Null: bought without one. */
  readonly coupon: { readonly minOrder: number; charged: Money } | null;
}
export interface Departure {
  readonly quantity: number;
  readonly isReturn: boolean;
  readonly isFault: boolean;
  readonly deduct: number;
}
/** Named as in the API. */
export interface Amounts {
  readonly refundAmount: number;
  readonly pointRefundAmount: number;
  readonly deliveryFeeRefundAmount: number;
  readonly deliveryFeeChargeAmount: number;
  readonly deliveryFeeChargeRefundAmount: number;
  readonly couponChargeAmount: number;
  readonly couponChargeRefundAmount: number;
  readonly deductAmount: number;
}
export const NO_MONEY: Amounts = {
  refundAmount: 0,
  pointRefundAmount: 0,
  deliveryFeeRefundAmount: 0,
  deliveryFeeChargeAmount: 0,
  deliveryFeeChargeRefundAmount: 0,
  couponChargeAmount: 0,
  couponChargeRefundAmount: 0,
  deductAmount: 0,
};

const total = ({ cash, points }: Money): number => cash + points;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The amounts when units of `goods` leave now; with `isFinal` the books change accordingly, else they stay. */
export function leave(order: OrderBook, goods: Goods, departure: Departure, isFinal: boolean): Amounts {
  const { quantity, isReturn, isFault, deduct } = departure;
  const { policy } = goods;
  const share = (paid: number) =>
    Math.floor((paid * (goods.left + quantity)) / goods.quantity) - Math.floor((paid * goods.left) / goods.quantity);
  const bundle = goods.bundle === null ? null : order.bundles[goods.bundle]!;
  const remaining = (line: Goods) => line.quantity - line.left + line.exchanged - (line === goods ? quantity : 0);
  const priceOf = (lines: readonly Goods[]) => sum(lines.map((line) => line.unitPrice * remaining(line)));
  const bundleRest = priceOf(order.lines.filter((line) => line.bundle === goods.bundle));
  const isEmptied = bundle !== null && bundleRest === 0;
  /** The seller's fault, and the seller pays for the ways. */
  const isSellerPaying = isFault && policy.sellerFaultFreeShipping;

  const fund: Money = { cash: share(goods.paid.cash), points: share(goods.paid.points) };
  const add = (money: Money): Money => {
    fund.cash += money.cash;
    fund.points += money.points;
    return money;
  };
  const take = (amount: number): Money => {
    const cash = Math.min(amount, fund.cash);
    const points = Math.min(amount - cash, fund.points);
    fund.cash -= cash;
    fund.points -= points;
    return { cash, points };
  };
  const nothing = { cash: 0, points: 0 };

  const isFeeDue = isSellerPaying || (!isReturn && policy.preShipmentDeliveryFeeRefund);
  const fee = add(isEmptied && !bundle.isFeeBack && isFeeDue ? bundle.paid : nothing);
  const shortfallBack = add(isEmptied ? { ...bundle.charged } : nothing);
  // Exchanged units remain: the buyer has others for them, with the same discount.
  const gone = (line: Goods) => line.quantity - remaining(line);
  const restDiscount = sum(order.lines.map((line) => line.coupon - Math.floor((line.coupon * gone(line)) / line.quantity)));
  const tooMuch = order.coupon ? Math.max(0, total(order.coupon.charged) - restDiscount) : 0;
  const pointsBack = Math.min(tooMuch, order.coupon?.charged.points ?? 0);
  const couponBack = add({ cash: tooMuch - pointsBack, points: pointsBack });

  const returnFee = take(bundle && isReturn && !isSellerPaying ? policy.returnDeliveryFee : 0);
  const isShort =
    bundle !== null &&
    bundle.freeFrom !== null &&
    bundleRest > 0 &&
    bundleRest < bundle.freeFrom &&
    total(bundle.charged) === 0 &&
    policy.conditionalFreeShortfallCharge &&
    !isSellerPaying;
  const shortfall = take(isShort ? bundle.ruleFee : 0);
  const orderRest = priceOf(order.lines);
  const isCouponShort =
    order.coupon !== null &&
    policy.couponShortfallCharge &&
    !isFault &&
    total(order.coupon.charged) === 0 &&
    orderRest > 0 &&
    orderRest < order.coupon.minOrder;
  const couponCharge = take(isCouponShort ? restDiscount : 0);
  const deducted = take(deduct);

  if (isFinal) {
    goods.left += quantity;
    if (bundle) {
      bundle.isFeeBack ||= total(fee) > 0;
      bundle.charged = difference(bundle.charged, shortfallBack, shortfall);
    }
    if (order.coupon) order.coupon.charged = difference(order.coupon.charged, couponBack, couponCharge);
  }
  return {
    refundAmount: fund.cash,
    pointRefundAmount: fund.points,
    deliveryFeeRefundAmount: fee.cash,
    deliveryFeeChargeAmount: total(returnFee) + total(shortfall),
    deliveryFeeChargeRefundAmount: total(shortfallBack),
    couponChargeAmount: total(couponCharge),
    couponChargeRefundAmount: total(couponBack),
    deductAmount: total(deducted),
  };
}
const difference = (before: Money, back: Money, charged: Money): Money => ({
  cash: before.cash - back.cash + charged.cash,
  points: before.points - back.points + charged.points,
});
