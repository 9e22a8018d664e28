/**
 * Whatever leaves an order, in whatever order: no won appears and none is lost, and a second model agrees (model.ts).
 * REFUND_CASES=20000 for the full count; a failure is shrunk and prints its seed.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shareOf } from '../../../domain/refunds/rules.ts';
import { type Answer, type Departure, type ModelOrder, type ModelPolicy, RefundModel } from './model.ts';
import { orders, priceOf, StoredOrder, sum, type Request, requests } from './orders.ts';

const numRuns = Number(process.env['REFUND_CASES'] ?? 150);
const chargesOf = (answer: Answer) =>
  answer.deliveryFeeCharge - answer.deliveryFeeChargeRefund + answer.couponCharge - answer.couponChargeRefund + answer.deduct;

/** What was paid, by the kind of money. */
function paidOf({ lines, bundles }: ModelOrder) {
  const coupon = sum(lines.map((line) => line.coupon));
  const points = sum([...lines, ...bundles].map((paid) => paid.points));
  const goods = sum(lines.map(priceOf));
  const fees = sum(bundles.map(({ baseFee, surcharge }) => baseFee + surcharge));
  return { cash: goods + fees - coupon - points, points, coupon };
}

/** The books of an order, beside the system's: what went back and what was reported, and what remains by the model's units. */
class Books {
  readonly model: RefundModel;
  readonly stored: StoredOrder;
  private readonly order: ModelOrder;
  private readonly back = { cash: 0, points: 0, coupon: 0 };
  private charges = 0;
  private readonly feesBack: number[];

  constructor(order: ModelOrder) {
    this.order = order;
    this.model = new RefundModel(order);
    this.stored = new StoredOrder(order);
    this.feesBack = order.bundles.map(() => 0);
  }

  leave(departure: Departure): Answer {
    const { line: index, quantity, way } = departure;
    const line = this.order.lines[index]!;
    const { couponDiscountWon, quantity: ordered, canceledQuantity } = this.stored.items[index]!;
    const isSettled = this.stored.items[index]!.isSettled;
    if (way !== 'EXCHANGE' && !isSettled) this.back.coupon += shareOf(couponDiscountWon, ordered, canceledQuantity, quantity);
    const before = this.stored.bundles.map(({ feeRefundedWon }) => feeRefundedWon);
    const answer = this.stored.leave(departure);
    expect(answer).toEqual(this.model.leave(departure));
    this.back.cash += answer.refund;
    this.back.points += answer.pointRefund;
    this.charges += chargesOf(answer);
    for (const [bundle, { feeRefundedWon }] of this.stored.bundles.entries()) {
      const cameBack = feeRefundedWon - before[bundle]!;
      if (cameBack !== 0) this.feesBack[bundle]! += 1;
      expect(cameBack === 0 || bundle === line.bundle).toBe(true);
    }
    for (const amount of Object.values(answer)) expect(amount).toBeGreaterThanOrEqual(0);
    if (isSettled) expect(sum(Object.values(answer))).toBe(0);
    this.balance();
    return answer;
  }

  /** A flow's refund on the way: the units stay, and nothing pays for them again. */
  settle(index: number, deduct: number): Answer {
    const { couponDiscountWon, quantity, canceledQuantity, isSettled } = this.stored.items[index]!;
    if (!isSettled) this.back.coupon += shareOf(couponDiscountWon, quantity, canceledQuantity, quantity - canceledQuantity);
    const before = JSON.stringify(this.stored.bundles);
    const answer = this.stored.settle(index, deduct);
    expect(answer).toEqual(this.model.settle(index, deduct));
    expect(JSON.stringify(this.stored.bundles)).toBe(before);
    this.back.cash += answer.refund;
    this.back.points += answer.pointRefund;
    this.charges += chargesOf(answer);
    for (const amount of Object.values(answer)) expect(amount).toBeGreaterThanOrEqual(0);
    this.balance();
    return answer;
  }

  /** Paid = remains + went back + was charged, in each kind of money. */
  private balance(): void {
    const { order, stored, back } = this;
    const paid = paidOf(order);
    const units = this.model.units.flat().filter(({ is, isSettled }) => is !== 'GONE' && !isSettled);
    const feesRetained = { cash: 0, points: 0 };
    for (const [index, { baseFee, surcharge, points }] of order.bundles.entries()) {
      const { feeRefundedWon } = stored.bundles[index]!;
      expect([0, baseFee + surcharge]).toContain(feeRefundedWon);
      expect(this.feesBack[index]).toBeLessThanOrEqual(1);
      if (feeRefundedWon > 0) continue;
      feesRetained.cash += baseFee + surcharge - points;
      feesRetained.points += points;
    }
    const charged = {
      cash: paid.cash - back.cash - sum(units.map(({ cash }) => cash)) - feesRetained.cash,
      points: paid.points - back.points - sum(units.map(({ points }) => points)) - feesRetained.points,
    };
    expect(charged.cash + charged.points).toBe(this.charges);
    const standing = {
      cash: sum(stored.bundles.map((bundle) => bundle.shortfallChargedWon - bundle.shortfallChargedPointWon)),
      points: sum(stored.bundles.map((bundle) => bundle.shortfallChargedPointWon)),
    };
    const { couponChargedWon, couponChargedPointWon } = stored.order;
    expect(charged.cash).toBeGreaterThanOrEqual(standing.cash + couponChargedWon - couponChargedPointWon);
    expect(charged.points).toBeGreaterThanOrEqual(standing.points + couponChargedPointWon);
    expect(Math.min(standing.cash, standing.points, couponChargedPointWon)).toBeGreaterThanOrEqual(0);
    expect(back.cash).toBeLessThanOrEqual(paid.cash);
    expect(back.points).toBeLessThanOrEqual(paid.points);
    expect(back.coupon + sum(units.map(({ coupon }) => coupon))).toBe(paid.coupon);
    expect(couponChargedWon).toBeLessThanOrEqual(this.model.discountOfRest());
  }
}

/** Everything that remains leaves, line by line. */
function leaveWhole(books: Books, way: Departure['way'] = 'CANCEL', blame: Departure['blame'] = 'BUYER'): Answer[] {
  return books.stored.items.flatMap((_, line) => {
    const quantity = books.stored.activeQuantity(line);
    return quantity > 0 ? [books.leave({ line, quantity, way, blame, deduct: 0 })] : [];
  });
}

describe('any sequence of cancels, returns, exchanges and rejections, with refunds of flows in between', () => {
  test('paid = remains + back + charged, by the kind of money, at every step; the second model agrees', () => {
    fc.assert(
      fc.property(orders, requests, fc.boolean(), (order, sequence, isEmptied) => {
        const books = new Books(order);
        for (const request of sequence) {
          const departure = books.stored.departureOf(request);
          if (!departure) break;
          if (request.isSettled) books.settle(departure.line, departure.deduct);
          if (!request.isRejected) books.leave(books.stored.departureOf(request)!);
          else if (departure.way !== 'EXCHANGE') quoteOnly(books.stored, departure);
        }
        if (isEmptied) leaveWhole(books);
      }),
      { numRuns },
    );
  });

  /** What is expected of a claim that is rejected changes nothing. */
  function quoteOnly(stored: StoredOrder, departure: Departure): void {
    const before = JSON.stringify(stored);
    stored.quote(departure);
    expect(JSON.stringify(stored)).toBe(before);
  }
});

const GENEROUS: ModelPolicy = {
  preShipmentDeliveryFeeRefund: true,
  returnDeliveryFee: 0,
  sellerFaultFreeShipping: true,
  conditionalFreeShortfallCharge: false,
  couponShortfallCharge: false,
};
const withPolicy = (order: ModelOrder, changes: Partial<ModelPolicy>): ModelOrder => ({
  ...order,
  lines: order.lines.map((line) => ({ ...line, policy: { ...line.policy, ...changes } })),
});
const totalsOf = (answers: readonly Answer[]) => ({
  cash: sum(answers.map(({ refund }) => refund)),
  points: sum(answers.map(({ pointRefund }) => pointRefund)),
});
function canceled(order: ModelOrder, sequence: readonly Request[]) {
  const books = new Books(order);
  const parts = sequence.flatMap((request) => {
    const departure = books.stored.departureOf(request);
    return departure ? [books.leave({ ...departure, way: 'CANCEL', deduct: 0 })] : [];
  });
  return totalsOf([...parts, ...leaveWhole(books)]);
}

describe('an order that leaves whole', () => {
  test('after its flows have refunded some of it: the goods are paid back once, and no fee for what they had settled', () => {
    fc.assert(
      fc.property(orders, requests, (order, sequence) => {
        const books = new Books(withPolicy(order, GENEROUS));
        const settled = new Set(sequence.filter(({ isSettled }) => isSettled).map(({ pick }) => pick % order.lines.length));
        const onTheWay = totalsOf([...settled].map((line) => books.settle(line, 0)));
        const { cash, points } = totalsOf(leaveWhole(books, 'CANCEL', 'SELLER'));
        const lines = order.lines.filter((_, index) => settled.has(index));
        expect(onTheWay).toEqual({
          cash: sum(lines.map((line) => priceOf(line) - line.coupon - line.points)),
          points: sum(lines.map((line) => line.points)),
        });
        const others = order.bundles.filter(
          (_, index) => settled.size > 0 && settled.has(order.lines.findLastIndex(({ bundle }) => bundle === index)),
        );
        const paid = paidOf(order);
        expect({ cash: paid.cash - cash - onTheWay.cash, points: paid.points - points - onTheWay.points }).toEqual({
          cash: sum(others.map(({ baseFee, surcharge, points: inPoints }) => baseFee + surcharge - inPoints)),
          points: sum(others.map(({ points: inPoints }) => inPoints)),
        });
      }),
      { numRuns },
    );
  });
  test('gives everything back, however its units are split, where nothing is charged', () => {
    fc.assert(
      fc.property(orders, requests, (order, sequence) => {
        const { cash, points } = paidOf(order);
        expect(canceled(withPolicy(order, GENEROUS), sequence)).toEqual({ cash, points });
      }),
      { numRuns },
    );
  });
  test('gives back shortfalls and coupon charges on the way, unless there was nothing left to charge them to', () => {
    const charging = { ...GENEROUS, conditionalFreeShortfallCharge: true, couponShortfallCharge: true };
    fc.assert(
      fc.property(orders, requests, (order, sequence) => {
        const { cash, points } = paidOf(order);
        expect(canceled(withPolicy(order, charging), sequence)).toEqual({ cash, points });
      }),
      { numRuns },
    );
  });
  test('at the seller’s fault is never charged, return or cancel, where the switch is on', () => {
    fc.assert(
      fc.property(orders, requests, (order, sequence) => {
        const books = new Books(withPolicy(order, { sellerFaultFreeShipping: true }));
        const answers = sequence.flatMap((request) => {
          const departure = books.stored.departureOf(request);
          const way = request.way === 'EXCHANGE' ? 'RETURN' : request.way;
          return departure ? [books.leave({ ...departure, way, blame: 'SELLER', deduct: 0 })] : [];
        });
        const { cash, points } = paidOf(order);
        expect(totalsOf([...answers, ...leaveWhole(books, 'RETURN', 'SELLER')])).toEqual({ cash, points });
      }),
      { numRuns },
    );
  });
});
