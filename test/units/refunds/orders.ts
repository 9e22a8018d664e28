/** Orders for the properties of refunds: generated, as the database holds them, and as the system settles what leaves them. */
import fc from 'fast-check';
import { type Departure as Leaving, type OrderRest, quoteDeparture, quoteSettlement } from '../../../db/orders/departures.ts';
import type { Order, OrderBundle, OrderItem } from '../../../db/orders/entities.ts';
import type { RefundAmounts } from '../../../domain/refunds/rules.ts';
import type { Answer, Departure, ModelBundle, ModelLine, ModelOrder, ModelPolicy } from './model.ts';

export const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
export const priceOf = ({ unitPrice, quantity }: Pick<ModelLine, 'unitPrice' | 'quantity'>): number => unitPrice * quantity;

/** A bundle's rule, before it is known what is in it. */
interface Rule {
  readonly kind: 'PAID' | 'FREE' | 'CONDITIONAL';
  readonly fee: number;
  /** Of a conditional rule: the amount, in percent of what is ordered; up to 100 it is reached. */
  readonly percent: number;
}
const rule: fc.Arbitrary<Rule> = fc.record({
  kind: fc.constantFrom('PAID', 'FREE', 'CONDITIONAL', 'CONDITIONAL'),
  fee: fc.integer({ min: 1, max: 5000 }),
  percent: fc.integer({ min: 1, max: 150 }),
});
const policy: fc.Arbitrary<ModelPolicy> = fc.record({
  preShipmentDeliveryFeeRefund: fc.boolean(),
  returnDeliveryFee: fc.constantFrom(0, 0, 2500, 60_000),
  sellerFaultFreeShipping: fc.boolean(),
  conditionalFreeShortfallCharge: fc.boolean(),
  couponShortfallCharge: fc.boolean(),
});
const line = fc.record({
  group: fc.integer({ min: -1, max: 2 }),
  unitPrice: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 10, max: 20_000 })),
  quantity: fc.integer({ min: 1, max: 7 }),
  couponPercent: fc.constantFrom(0, 10, 33, 100),
  policy,
});

function bundleOf({ kind, fee, percent }: Rule, ordered: number, isFree: boolean, surcharge: number): ModelBundle {
  if (kind === 'FREE') return { baseFee: 0, surcharge, points: 0, freeFrom: null, feeBelow: 0 };
  const freeFrom = kind === 'CONDITIONAL' ? Math.max(1, Math.floor((ordered * percent) / 100)) : null;
  const isReached = freeFrom !== null && ordered >= freeFrom;
  return { baseFee: isFree || isReached ? 0 : fee, surcharge, points: 0, freeFrom, feeBelow: fee };
}

/** Shares by what was paid, floor each, the rest one won each to the first that were paid for. */
function share(points: number, paid: readonly number[]): number[] {
  const total = sum(paid);
  if (total === 0) return paid.map(() => 0);
  const shares = paid.map((amount) => Math.floor((points * amount) / total));
  let rest = points - sum(shares);
  return shares.map((amount, index) => {
    if (rest === 0 || amount === paid[index]) return amount;
    rest -= 1;
    return amount + 1;
  });
}

/** Orders as they may have been paid: lines that are shipped and not, a coupon, points that pay goods and then fees. */
export const orders: fc.Arbitrary<ModelOrder> = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: 5 }),
    rules: fc.tuple(rule, rule, rule),
    isFreeByStore: fc.boolean(),
    surcharge: fc.constantFrom(0, 0, 2000),
    /** In percent of the goods; over 100 nothing fulfils it, 0 is no coupon. */
    minOrderPercent: fc.constantFrom(0, 1, 50, 100),
    pointPercent: fc.constantFrom(0, 0, 20, 90, 100),
    paysFees: fc.boolean(),
  })
  .map(({ lines: drafts, rules, isFreeByStore, surcharge, minOrderPercent, pointPercent, paysFees }) => {
    const places = [...new Set(drafts.map(({ group }) => group).filter((group) => group >= 0))];
    const plain = drafts.map((draft): ModelLine => {
      const coupon = minOrderPercent === 0 ? 0 : Math.floor((priceOf(draft) * draft.couponPercent) / 100);
      const { unitPrice, quantity } = draft;
      return { bundle: draft.group < 0 ? null : places.indexOf(draft.group), unitPrice, quantity, coupon, points: 0, policy: draft.policy };
    });
    const bundles = places.map((group, index) => {
      const ordered = sum(plain.filter(({ bundle }) => bundle === index).map(priceOf));
      return bundleOf(rules[group]!, ordered, isFreeByStore, surcharge);
    });
    const goods = plain.map((paid) => priceOf(paid) - paid.coupon);
    const fees = bundles.map(({ baseFee, surcharge: added }) => baseFee + added);
    const points = Math.floor(((sum(goods) + (paysFees ? sum(fees) : 0)) * pointPercent) / 100);
    const onGoods = share(Math.min(points, sum(goods)), goods);
    const onFees = share(points - sum(onGoods), fees);
    const price = sum(plain.map(priceOf));
    return {
      lines: plain.map((paid, index) => ({ ...paid, points: onGoods[index]! })),
      bundles: bundles.map((bundle, index) => ({ ...bundle, points: onFees[index]! })),
      coupon: minOrderPercent === 0 ? null : { minOrder: Math.max(1, Math.floor((price * minOrderPercent) / 100)) },
    };
  });

/** What somebody requests. `pick` and `size` are counted round: a line that exists, at most the units that remain of it. */
export interface Request extends Omit<Departure, 'line' | 'quantity'> {
  readonly pick: number;
  readonly size: number;
  readonly isRejected: boolean;
  /** Its flow refunds what remains of the line before, on the way. */
  readonly isSettled: boolean;
}
export const requests: fc.Arbitrary<readonly Request[]> = fc.array(
  fc.record({
    pick: fc.nat(20),
    size: fc.nat(20),
    way: fc.constantFrom('CANCEL', 'CANCEL', 'RETURN', 'RETURN', 'EXCHANGE'),
    blame: fc.constantFrom('SELLER', 'BUYER'),
    deduct: fc.constantFrom(0, 0, 0, 777, 1_000_000),
    isRejected: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
    isSettled: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
  }),
  { maxLength: 14 },
);

/** An order in the database: rows, and what leaves them. */
export class StoredOrder {
  readonly order: Order;
  readonly items: OrderItem[];
  readonly bundles: OrderBundle[];

  constructor({ lines, bundles, coupon }: ModelOrder) {
    const order = { orderId: 'ord', couponMinOrderWon: coupon?.minOrder ?? null, couponChargedWon: 0, couponChargedPointWon: 0 };
    this.order = order as Order;
    this.items = lines.map((paid, index) => {
      const item = {
        orderItemId: `oit_${index}`,
        orderId: 'ord',
        bundleNo: paid.bundle === null ? 0 : paid.bundle + 1,
        unitPriceWon: paid.unitPrice,
        totalPriceWon: priceOf(paid),
        quantity: paid.quantity,
        canceledQuantity: 0,
        exchangedQuantity: 0,
        isSettled: false,
        couponDiscountWon: paid.coupon,
        pointAllocationWon: paid.points,
        refundPolicy: { ...paid.policy, exchangeDeliveryFee: 3000 },
      };
      return item as OrderItem;
    });
    this.bundles = bundles.map((bundle, index) => {
      const row = {
        orderId: 'ord',
        bundleNo: index + 1,
        baseFeeWon: bundle.baseFee,
        surchargeWon: bundle.surcharge,
        pointAllocationWon: bundle.points,
        conditionalFreeWon: bundle.freeFrom,
        ruleFeeWon: bundle.feeBelow,
        feeRefundedWon: 0,
        shortfallChargedWon: 0,
        shortfallChargedPointWon: 0,
      };
      return row as OrderBundle;
    });
  }

  activeQuantity(line: number): number {
    const { quantity, canceledQuantity } = this.items[line]!;
    return quantity - canceledQuantity;
  }

  /** The departure that is requested; null where nothing of any line remains. */
  departureOf({ pick, size, way, blame, deduct }: Request): Departure | null {
    const open = this.items.map((_, index) => index).filter((index) => this.activeQuantity(index) > 0);
    if (open.length === 0) return null;
    const chosen = open[pick % open.length]!;
    // What is paid back is not exchanged besides.
    const leaves = way === 'EXCHANGE' && this.items[chosen]!.isSettled ? 'RETURN' : way;
    return { line: chosen, quantity: (size % this.activeQuantity(chosen)) + 1, way: leaves, blame, deduct };
  }

  get rest(): OrderRest {
    return { order: this.order, lines: this.items, bundles: this.bundles };
  }
  quote({ line: index, quantity, way, blame, deduct }: Departure): RefundAmounts {
    const leaving: Leaving = { quantity, isReturn: way === 'RETURN', isSellerFault: blame === 'SELLER', deductWon: deduct };
    return quoteDeparture(this.rest, this.items[index]!, leaving);
  }

  /** As `refundUnits` and `exchangeUnits` write it. */
  leave(departure: Departure): Answer {
    const item = this.items[departure.line]!;
    const isExchange = departure.way === 'EXCHANGE';
    const amounts = isExchange ? null : this.quote(departure);
    item.canceledQuantity += departure.quantity;
    if (isExchange) item.exchangedQuantity += departure.quantity;
    if (amounts) this.write(item, amounts);
    return answerOf(amounts);
  }

  /** As `settleItem` writes it. */
  settle(line: number, deduct: number): Answer {
    const item = this.items[line]!;
    const amounts = quoteSettlement(this.rest, item, deduct);
    item.isSettled = true;
    this.write(item, amounts);
    return answerOf(amounts);
  }

  private write({ bundleNo: no }: OrderItem, { bundle, coupon }: RefundAmounts): void {
    const row = this.bundles.find(({ bundleNo }) => bundleNo === no);
    if (row) Object.assign(row, bundle);
    if (coupon) Object.assign(this.order, { couponChargedWon: coupon.chargedWon, couponChargedPointWon: coupon.chargedPointWon });
  }
}

const ANSWERS = {
  refund: 'refundWon',
  pointRefund: 'pointRefundWon',
  deliveryFeeRefund: 'deliveryFeeRefundWon',
  deliveryFeeCharge: 'deliveryFeeChargeWon',
  deliveryFeeChargeRefund: 'deliveryFeeChargeRefundWon',
  couponCharge: 'couponChargeWon',
  couponChargeRefund: 'couponChargeRefundWon',
  deduct: 'deductWon',
} as const satisfies Readonly<Record<keyof Answer, keyof RefundAmounts>>;
const answerOf = (amounts: RefundAmounts | null): Answer =>
  Object.fromEntries(Object.entries(ANSWERS).map(([name, field]) => [name, amounts?.[field] ?? 0])) as unknown as Answer;
