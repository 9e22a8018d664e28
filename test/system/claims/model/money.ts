/**
 * What goes back for units that leave an order, written a second time from the specification (docs/contract.md#refunds): no line of
 * domain/refunds is used here. Won.
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

const NOTHING: Money = { cash: 0, points: 0 };
const total = ({ cash, points }: Money): number => cash + points;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** What remains with the buyer after the departure. */
interface Rest {
  readonly bundleWon: number;
  readonly orderWon: number;
  /** Of the coupon. */
  readonly discountWon: number;
}
const shareOf = (paid: number, { left, quantity: ordered }: Goods, quantity: number): number =>
  Math.floor((paid * (left + quantity)) / ordered) - Math.floor((paid * left) / ordered);

/** Exchanged units remain: the buyer has others for them, at the same price and with the same discount. */
function restOf({ lines }: OrderBook, goods: Goods, quantity: number): Rest {
  const gone = (line: Goods) => line.left - line.exchanged + (line === goods ? quantity : 0);
  const priceOf = (some: readonly Goods[]) => sum(some.map((line) => line.unitPrice * (line.quantity - gone(line))));
  return {
    bundleWon: priceOf(lines.filter((line) => line.bundle === goods.bundle)),
    orderWon: priceOf(lines),
    discountWon: sum(lines.map((line) => line.coupon - Math.floor((line.coupon * gone(line)) / line.quantity))),
  };
}

/** What comes back besides the share of the goods. */
function givenBack({ coupon }: OrderBook, bundle: BundleBook | null, rest: Rest, isFeeDue: boolean) {
  const isEmptied = bundle !== null && rest.bundleWon === 0;
  const fee = isEmptied && !bundle.isFeeBack && isFeeDue ? bundle.paid : NOTHING;
  const shortfall = isEmptied ? { ...bundle.charged } : NOTHING;
  const tooMuch = coupon ? Math.max(0, total(coupon.charged) - rest.discountWon) : 0;
  const points = Math.min(tooMuch, coupon?.charged.points ?? 0);
  return { fee, shortfall, coupon: { cash: tooMuch - points, points } };
}

/** What is not shipped costs nothing to send back. */
const returnFeeOf = ({ bundle, policy }: Goods): number => (bundle === null ? 0 : policy.returnDeliveryFee);
/** For a bundle that was free by its products' rule, and whose rest would not have been. */
const shortfallOf = (bundle: BundleBook | null, { bundleWon }: Rest): number =>
  bundle?.freeFrom && bundleWon > 0 && bundleWon < bundle.freeFrom && total(bundle.charged) === 0 ? bundle.ruleFee : 0;
/** For an order whose rest costs less than its coupon asks for. */
const couponShortfallOf = ({ coupon }: OrderBook, { orderWon, discountWon }: Rest): number =>
  coupon && total(coupon.charged) === 0 && orderWon > 0 && orderWon < coupon.minOrder ? discountWon : 0;

/** Takes at most what is there, cash before points. */
function take(fund: Money, amount: number): Money {
  const cash = Math.min(amount, fund.cash);
  const points = Math.min(amount - cash, fund.points);
  fund.cash -= cash;
  fund.points -= points;
  return { cash, points };
}

/** The amounts when units of `goods` leave now; with `isFinal` the books change accordingly, else they stay. */
export function leave(order: OrderBook, goods: Goods, departure: Departure, isFinal: boolean): Amounts {
  const { quantity, isReturn, isFault, deduct } = departure;
  const { policy, paid } = goods;
  const bundle = goods.bundle === null ? null : order.bundles[goods.bundle]!;
  const rest = restOf(order, goods, quantity);
  const isSellerPaying = isFault && policy.sellerFaultFreeShipping;
  const back = givenBack(order, bundle, rest, isSellerPaying || (!isReturn && policy.preShipmentDeliveryFeeRefund));
  const share = { cash: shareOf(paid.cash, goods, quantity), points: shareOf(paid.points, goods, quantity) };
  const all = [share, back.fee, back.shortfall, back.coupon];
  const fund = { cash: sum(all.map(({ cash }) => cash)), points: sum(all.map(({ points }) => points)) };
  const returnFee = take(fund, isReturn && !isSellerPaying ? returnFeeOf(goods) : 0);
  const shortfall = take(fund, policy.conditionalFreeShortfallCharge && !isSellerPaying ? shortfallOf(bundle, rest) : 0);
  const couponCharge = take(fund, policy.couponShortfallCharge && !isFault ? couponShortfallOf(order, rest) : 0);
  const deducted = take(fund, deduct);
  if (isFinal) {
    goods.left += quantity;
    if (bundle) Object.assign(bundle, booked(bundle, back, shortfall));
    if (order.coupon) order.coupon.charged = difference(order.coupon.charged, back.coupon, couponCharge);
  }
  return {
    refundAmount: fund.cash,
    pointRefundAmount: fund.points,
    deliveryFeeRefundAmount: back.fee.cash,
    deliveryFeeChargeAmount: total(returnFee) + total(shortfall),
    deliveryFeeChargeRefundAmount: total(back.shortfall),
    couponChargeAmount: total(couponCharge),
    couponChargeRefundAmount: total(back.coupon),
    deductAmount: total(deducted),
  };
}
const booked = ({ isFeeBack, charged }: BundleBook, back: { readonly fee: Money; readonly shortfall: Money }, shortfall: Money) => ({
  isFeeBack: isFeeBack || total(back.fee) > 0,
  charged: difference(charged, back.shortfall, shortfall),
});
const difference = (before: Money, back: Money, charged: Money): Money => ({
  cash: before.cash - back.cash + charged.cash,
  points: before.points - back.points + charged.points,
});
