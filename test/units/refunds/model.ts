/**
 * A second model of refunds, written from the specification (the chapter on claims) before its author
 * read domain/refunds. Every unit carries the money that it was paid with; what goes back is counted by walking over units. The properties
 * compare both.
 */

/** Won by the kind of money. */
export interface Purse {
  cash: number;
  points: number;
}
export interface ModelPolicy {
  readonly preShipmentDeliveryFeeRefund: boolean;
  readonly returnDeliveryFee: number;
  readonly sellerFaultFreeShipping: boolean;
  readonly conditionalFreeShortfallCharge: boolean;
  readonly couponShortfallCharge: boolean;
}
export interface ModelLine {
  /** Its bundle; null where it is not shipped. */
  readonly bundle: number | null;
  readonly unitPrice: number;
  readonly quantity: number;
  readonly coupon: number;
  readonly points: number;
  readonly policy: ModelPolicy;
}
export interface ModelBundle {
  readonly baseFee: number;
  readonly surcharge: number;
  readonly points: number;
  /** The amount from which the product itself makes delivery free, and the fee below it. */
  readonly freeFrom: number | null;
  readonly feeBelow: number;
}
export interface ModelOrder {
  readonly lines: readonly ModelLine[];
  readonly bundles: readonly ModelBundle[];
  readonly coupon: { readonly minOrder: number } | null;
}
export interface Departure {
  readonly line: number;
  readonly quantity: number;
  readonly way: 'CANCEL' | 'RETURN' | 'EXCHANGE';
  readonly blame: 'SELLER' | 'BUYER';
  readonly deduct: number;
}
/** What a departure answers: the amounts of a claim. */
export interface Answer {
  readonly refund: number;
  readonly pointRefund: number;
  readonly deliveryFeeRefund: number;
  readonly deliveryFeeCharge: number;
  readonly deliveryFeeChargeRefund: number;
  readonly couponCharge: number;
  readonly couponChargeRefund: number;
  readonly deduct: number;
}

interface Unit extends Purse {
  readonly price: number;
  readonly coupon: number;
  is: 'WITH_BUYER' | 'GONE' | 'SWAPPED';
  /** Its flow has given its money back while it stayed. */
  isSettled?: true;
}
/** What is charged now, and whether anything ever was: nothing is charged twice. */
interface Charge {
  standing: Purse;
  isMade: boolean;
}
const noCharge = (): Charge => ({ standing: { cash: 0, points: 0 }, isMade: false });

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
const total = (purse: Purse) => purse.cash + purse.points;

/** The unit at `position` (from 1) of `count`, of an amount that is spread by position (D20). */
function atPosition(amount: number, position: number, count: number): number {
  const upTo = (cumulative: number) => (amount * cumulative - ((amount * cumulative) % count)) / count;
  return upTo(position) - upTo(position - 1);
}

function unitsOf(line: ModelLine): Unit[] {
  const price = line.unitPrice * line.quantity;
  return Array.from({ length: line.quantity }, (_, index) => {
    const share = (amount: number) => atPosition(amount, index + 1, line.quantity);
    const cash = share(price - line.coupon - line.points);
    return { price: line.unitPrice, cash, points: share(line.points), coupon: share(line.coupon), is: 'WITH_BUYER' };
  });
}

/** Cash first, then points, stopping at 0: takes from the purse and answers what was taken. */
function take(purse: Purse, amount: number): Purse {
  const cash = Math.min(purse.cash, amount);
  const points = Math.min(purse.points, amount - cash);
  purse.cash -= cash;
  purse.points -= points;
  return { cash, points };
}
/** Charges once: what is there of `amount`. A charge of nothing is none. */
function charge(made: Charge, purse: Purse, amount: number): number {
  if (made.isMade) return 0;
  const taken = take(purse, amount);
  if (total(taken) === 0) return 0;
  made.standing = taken;
  made.isMade = true;
  return total(taken);
}
const priceOf = (units: readonly { readonly price: number }[]) => sum(units.map(({ price }) => price));
function put(purse: Purse, back: Purse): void {
  purse.cash += back.cash;
  purse.points += back.points;
}

/** An order after its payment. */
export class RefundModel {
  readonly order: ModelOrder;
  readonly units: Unit[][];
  private readonly shortfalls: Charge[];
  private readonly couponCharge: Charge = noCharge();

  constructor(order: ModelOrder) {
    this.order = order;
    this.units = order.lines.map(unitsOf);
    this.shortfalls = order.bundles.map(noCharge);
  }

  /** Units of a line leave: approved, all at once. */
  leave(departure: Departure): Answer {
    const { line, quantity, way } = departure;
    const leaving = this.units[line]!.filter((unit) => unit.is === 'WITH_BUYER').slice(0, quantity);
    for (const unit of leaving) unit.is = way === 'EXCHANGE' ? 'SWAPPED' : 'GONE';
    if (way === 'EXCHANGE' || leaving.some(({ isSettled }) => isSettled)) return NOTHING;
    const purse: Purse = { cash: sum(leaving.map((unit) => unit.cash)), points: sum(leaving.map((unit) => unit.points)) };
    // What comes back is there before anything is deducted: the formula is one sum.
    const deliveryFeeRefund = this.feeBack(departure, purse);
    const deliveryFeeChargeRefund = this.shortfallBack(departure, purse);
    const couponChargeRefund = this.couponBack(purse);
    const returnFee = total(take(purse, this.returnFee(departure)));
    const deliveryFeeCharge = returnFee + charge(this.shortfallOf(departure), purse, this.shortfall(departure));
    const couponCharge = charge(this.couponCharge, purse, this.couponShortfall(departure));
    const deduct = total(take(purse, departure.deduct));
    return {
      refund: purse.cash,
      pointRefund: purse.points,
      deliveryFeeRefund,
      deliveryFeeCharge,
      deliveryFeeChargeRefund,
      couponCharge,
      couponChargeRefund,
      deduct,
    };
  }

  /** Its flow refunds what remains of a line, which stays with the buyer, once: the goods, less its fee. */
  settle(line: number, deduct: number): Answer {
    const paid = this.units[line]!.filter((unit) => unit.is === 'WITH_BUYER' && !unit.isSettled);
    if (paid.length === 0) return NOTHING;
    for (const unit of paid) unit.isSettled = true;
    const purse: Purse = { cash: sum(paid.map(({ cash }) => cash)), points: sum(paid.map(({ points }) => points)) };
    const couponChargeRefund = this.couponBack(purse);
    const deducted = total(take(purse, deduct));
    return { ...NOTHING, refund: purse.cash, pointRefund: purse.points, couponChargeRefund, deduct: deducted };
  }

  private policyOf({ line }: Departure): ModelPolicy {
    return this.order.lines[line]!.policy;
  }
  private bundleOf({ line }: Departure): ModelBundle | null {
    const { bundle } = this.order.lines[line]!;
    return bundle === null ? null : this.order.bundles[bundle]!;
  }
  private shortfallOf({ line }: Departure): Charge {
    const { bundle } = this.order.lines[line]!;
    return bundle === null ? noCharge() : this.shortfalls[bundle]!;
  }
  /** "Seller fault plus sellerFaultFreeShipping"; with the switch off a fault of the seller is a change of mind. */
  private isAtSellersCost(departure: Departure): boolean {
    return departure.blame === 'SELLER' && this.policyOf(departure).sellerFaultFreeShipping;
  }
  private bundleRest({ line }: Departure): Unit[] {
    const { bundle } = this.order.lines[line]!;
    return this.rest((other) => other.bundle === bundle);
  }

  /** The bundle's fee, with its surcharge, when nothing of it remains: rows 1 to 3 of the table. Answers the cash of it. */
  private feeBack(departure: Departure, purse: Purse): number {
    const bundle = this.bundleOf(departure);
    if (bundle === null || this.bundleRest(departure).length > 0) return 0;
    const isBeforeShipment = departure.way === 'CANCEL' && this.policyOf(departure).preShipmentDeliveryFeeRefund;
    if (!isBeforeShipment && !this.isAtSellersCost(departure)) return 0;
    const cash = bundle.baseFee + bundle.surcharge - bundle.points;
    put(purse, { cash, points: bundle.points });
    return cash;
  }

  /** "Given back when the rest leaves later". */
  private shortfallBack(departure: Departure, purse: Purse): number {
    if (this.bundleOf(departure) === null || this.bundleRest(departure).length > 0) return 0;
    const shortfall = this.shortfallOf(departure);
    const { standing } = shortfall;
    put(purse, standing);
    shortfall.standing = { cash: 0, points: 0 };
    return total(standing);
  }

  /** Row 2 of the table: per claim, not where the seller pays, nothing for what is not shipped. */
  private returnFee(departure: Departure): number {
    const isCharged = departure.way === 'RETURN' && this.bundleOf(departure) !== null && !this.isAtSellersCost(departure);
    return isCharged ? this.policyOf(departure).returnDeliveryFee : 0;
  }

  /** Row 4 of the table. */
  private shortfall(departure: Departure): number {
    const bundle = this.bundleOf(departure);
    if (bundle === null || bundle.freeFrom === null || bundle.baseFee > 0) return 0;
    const rest = priceOf(this.bundleRest(departure));
    const ordered = priceOf(
      this.units.flatMap((units, index) => (this.order.lines[index]!.bundle === this.order.lines[departure.line]!.bundle ? units : [])),
    );
    const wasMadeFree = ordered >= bundle.freeFrom;
    const isShort = rest > 0 && rest < bundle.freeFrom;
    const isAllowed = this.policyOf(departure).conditionalFreeShortfallCharge && !this.isAtSellersCost(departure);
    return wasMadeFree && isShort && isAllowed ? bundle.feeBelow : 0;
  }

  /**
   * The specification names the coupon's charge and no rule for it; this is what was decided: the discount of what remains, where that is
   * worth less than the coupon requires, once, and not at the seller's fault. No more than the discount of what remains stays charged.
   */
  private couponShortfall(departure: Departure): number {
    const { coupon } = this.order;
    if (coupon === null || departure.blame === 'SELLER' || !this.policyOf(departure).couponShortfallCharge) return 0;
    const rest = priceOf(this.rest(() => true).filter(({ isSettled }) => !isSettled));
    return rest > 0 && rest < coupon.minOrder ? this.discountOfRest() : 0;
  }
  private couponBack(purse: Purse): number {
    const { standing } = this.couponCharge;
    const back = Math.max(0, total(standing) - this.discountOfRest());
    const points = Math.min(back, standing.points);
    standing.points -= points;
    standing.cash -= back - points;
    put(purse, { cash: back - points, points });
    return back;
  }
  discountOfRest(): number {
    return sum(
      this.order.lines.map(({ coupon, quantity }, index) => {
        const gone = this.units[index]!.filter((unit) => unit.is === 'GONE' || unit.isSettled).length;
        return coupon - sum(Array.from({ length: gone }, (_, position) => atPosition(coupon, position + 1, quantity)));
      }),
    );
  }

  /** What the buyer still has; for a unit that was exchanged there is another one. */
  private rest(isOf: (line: ModelLine) => boolean): Unit[] {
    return this.units.flatMap((units, index) => (isOf(this.order.lines[index]!) ? units.filter((unit) => unit.is !== 'GONE') : []));
  }
}

const NOTHING: Answer = {
  refund: 0,
  pointRefund: 0,
  deliveryFeeRefund: 0,
  deliveryFeeCharge: 0,
  deliveryFeeChargeRefund: 0,
  couponCharge: 0,
  couponChargeRefund: 0,
  deduct: 0,
};
