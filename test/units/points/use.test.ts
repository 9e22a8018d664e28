/** How many points a checkout uses: golden numbers by hand, and what holds for any checkout. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideUse, maxUsable, type Payable, payableWon, type PointPreview, usePoints, type UseRules } from '../../../domain/points/use.ts';

const ANY: UseRules = { minBalance: 0, minAmount: 0, unit: 1, maxRatioBp: 10_000, includeDeliveryFee: true };
const payable = (productAmount: number, deliveryFee = 0, couponDiscountAmount = 0): Payable => ({
  productAmount,
  deliveryFee,
  couponDiscountAmount,
});
const used = (pointAmount: number) => ({ pointAmount, adjustReason: null, rejectReason: null });
const adjusted = (pointAmount: number) => ({ pointAmount, adjustReason: 'MIN_PAYMENT', rejectReason: null });
const rejected = (rejectReason: string) => ({ pointAmount: 0, adjustReason: null, rejectReason });

describe('step by step', () => {
  // What, rules, payable, balance, requested, result.
  const table: readonly (readonly [string, Partial<UseRules>, Payable, number, number, object])[] = [
    ['as requested', {}, payable(10_000), 5000, 3000, used(3000)],
    ['no more than the balance', {}, payable(10_000), 5000, 9000, used(5000)],
    ['no more than the total', {}, payable(10_000), 50_000, 40_000, used(10_000)],
    ['half of the goods', { maxRatioBp: 5000, includeDeliveryFee: false }, payable(10_000, 3000), 50_000, 50_000, used(5000)],
    ['half of everything', { maxRatioBp: 5000 }, payable(10_000, 3000), 50_000, 50_000, used(6500)],
    [
      'half of the goods less the coupon',
      { maxRatioBp: 5000, includeDeliveryFee: false },
      payable(10_000, 3000, 2000),
      9000,
      9000,
      used(4000),
    ],
    ['goods only, delivery in cash', { includeDeliveryFee: false }, payable(10_000, 3000), 50_000, 50_000, used(10_000)],
    ['units of 100', { unit: 100 }, payable(10_000), 8000, 5432, used(5400)],
    ['full coverage needs no unit', { unit: 100 }, payable(9950), 20_000, 20_000, used(9950)],
    ['full coverage by the balance, to the won', { unit: 100 }, payable(9950), 9950, 9950, used(9950)],
    ['one won less than everything', {}, payable(10_000), 9999, 9999, adjusted(9900)],
    ['99 would remain', {}, payable(10_000), 20_000, 9901, adjusted(9900)],
    ['100 remain', {}, payable(10_000), 20_000, 9900, used(9900)],
    ['the minimum goes before the unit', { unit: 100 }, payable(9950), 9949, 9949, adjusted(9850)],
    ['the ratio leaves 1 won', { includeDeliveryFee: false }, payable(10_000, 1), 20_000, 20_000, adjusted(9901)],
    ['nothing to use', {}, payable(10_000), 0, 1, rejected('MIN_BALANCE')],
    ['below the least balance', { minBalance: 1000 }, payable(10_000), 999, 500, rejected('MIN_BALANCE')],
    ['at the least balance', { minBalance: 1000 }, payable(10_000), 1000, 500, used(500)],
    ['less than a unit', { unit: 100 }, payable(10_000), 5000, 99, rejected('NOT_PAYABLE')],
    ['less than 100 to pay, not all of it', {}, payable(60), 5000, 10, rejected('NOT_PAYABLE')],
    ['less than 100 to pay, all of it', {}, payable(60), 5000, 60, used(60)],
    ['just 100 cannot be paid in part', {}, payable(100), 5000, 50, rejected('NOT_PAYABLE')],
    ['below the least use', { minAmount: 1000 }, payable(10_000), 5000, 999, rejected('MIN_AMOUNT')],
    ['adjusted below the least use', { minAmount: 150 }, payable(200), 5000, 150, rejected('MIN_AMOUNT')],
    ['at the least use', { minAmount: 1000 }, payable(10_000), 5000, 1000, used(1000)],
    ['nothing requested, nothing rejected', { minBalance: 1000, minAmount: 1000 }, payable(50), 0, 0, used(0)],
    ['nothing to pay', {}, payable(0), 5000, 10, rejected('NOT_PAYABLE')],
  ];
  test.each(table)('%s', (_, rules, amounts, balance, requested, result) => {
    expect(usePoints({ ...ANY, ...rules }, amounts, balance, requested)).toStrictEqual(result);
  });
});

const won = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 2_000_000_000 }));
const rules = fc.record({
  minBalance: won,
  minAmount: fc.oneof(fc.constant(0), won),
  unit: fc.constantFrom(1, 10, 100),
  maxRatioBp: fc.integer({ min: 1, max: 10_000 }),
  includeDeliveryFee: fc.boolean(),
});
const amounts = fc
  .record({ productAmount: won, deliveryFee: fc.integer({ min: 0, max: 10_000 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ productAmount, deliveryFee, share }) => payable(productAmount, deliveryFee, Math.floor(productAmount * share)));
const baseOf = (r: UseRules, a: Payable): number => (r.includeDeliveryFee ? payableWon(a) : a.productAmount - a.couponDiscountAmount);

test('of any checkout: within every limit, a payable rest, a reason for what is rejected', () => {
  fc.assert(
    fc.property(rules, amounts, won, won, (r, a, balance, requested) => {
      const { pointAmount, adjustReason, rejectReason } = usePoints(r, a, balance, requested);
      const rest = payableWon(a) - pointAmount;
      expect(pointAmount).toBeGreaterThanOrEqual(0);
      expect(pointAmount).toBeLessThanOrEqual(Math.min(requested, balance, (baseOf(r, a) * r.maxRatioBp) / 10_000, payableWon(a)));
      if (pointAmount > 0) expect(rest === 0 || rest >= 100).toBe(true);
      if (pointAmount > 0) expect(pointAmount).toBeGreaterThanOrEqual(r.minAmount);
      if (pointAmount > 0 && rest > 0 && adjustReason === null) expect(pointAmount % r.unit).toBe(0);
      if (adjustReason !== null) expect(rest).toBe(100);
      expect(rejectReason !== null).toBe(requested > 0 && pointAmount === 0);
    }),
    { numRuns: 3000 },
  );
});

test('more balance or a larger request: never less than before, but for what the payable minimum takes back', () => {
  fc.assert(
    fc.property(rules, amounts, won, won, won, (r, a, balance, requested, more) => {
      const { pointAmount } = usePoints(r, a, balance, requested);
      // What is left over by the unit may fill the whole amount; only the payable minimum takes back at most 99.
      expect(usePoints(r, a, balance + more, requested).pointAmount).toBeGreaterThanOrEqual(pointAmount - 99);
      expect(usePoints(r, a, balance, requested + more).pointAmount).toBeGreaterThanOrEqual(pointAmount - 99);
      expect(maxUsable(r, a, balance)).toBeGreaterThanOrEqual(pointAmount - 99);
    }),
    { numRuns: 3000 },
  );
});

describe('why a payment does not start', () => {
  const goods = payable(10_000);
  const preview = (requestedWon: number, balanceWon: number): PointPreview => ({
    requestedWon,
    balanceWon,
    answeredWon: usePoints(ANY, goods, balanceWon, requestedWon).pointAmount,
  });
  const decided = (requested: number, balance: number, seen: PointPreview | null, changes: Partial<UseRules> = {}) =>
    decideUse({ ...ANY, ...changes }, goods, { requested, balance, preview: seen });
  const refusal = (...input: Parameters<typeof decided>) => decided(...input).refusal;

  test('a preview that still holds', () => {
    expect(refusal(5000, 5000, preview(5000, 5000))).toBeNull();
    expect(refusal(3000, 3000, preview(5000, 3000))).toBeNull();
    expect(refusal(5000, 3000, preview(5000, 3000))).toBeNull();
    expect(refusal(3000, 4000, preview(3000, 3000))).toBeNull();
  });
  test('another balance that gives more or less', () => {
    expect(refusal(5000, 4000, preview(5000, 5000))).toBe('POINT_BALANCE_CHANGED');
    expect(refusal(3000, 2000, preview(5000, 3000))).toBe('POINT_BALANCE_CHANGED');
    expect(refusal(5000, 4000, preview(5000, 3000))).toBe('POINT_BALANCE_CHANGED');
    expect(refusal(3000, 4000, preview(5000, 3000))).toBe('POINT_BALANCE_CHANGED');
    expect(refusal(5000, 0, preview(5000, 5000))).toBe('POINT_BALANCE_CHANGED');
  });
  test('not previewed: covered by the balance, whatever the limits', () => {
    expect(refusal(5000, 4999, null)).toBe('POINT_BALANCE_INSUFFICIENT');
    expect(refusal(5000, 4999, preview(4000, 4999))).toBe('POINT_BALANCE_INSUFFICIENT');
    expect(refusal(20_000, 15_000, null)).toBe('POINT_BALANCE_INSUFFICIENT');
    expect(refusal(15_000, 15_000, null)).toBeNull();
    expect(refusal(0, 0, null)).toBeNull();
  });
  test('rejected: no more cash than the buyer saw', () => {
    expect(refusal(500, 900, null, { minBalance: 1000 })).toBe('POINTS_UNAVAILABLE');
    expect(refusal(500, 900, null, { minAmount: 1000 })).toBe('POINTS_UNAVAILABLE');
    expect(refusal(50, 900, null, { unit: 100 })).toBe('POINTS_UNAVAILABLE');
    expect(refusal(500, 900, { requestedWon: 500, answeredWon: 0, balanceWon: 900 }, { minBalance: 1000 })).toBe('POINTS_UNAVAILABLE');
  });

  test('of any preview whose balance is still the same, what it answered and what it was requested start with its answer', () => {
    fc.assert(
      fc.property(rules, amounts, won, won, (r, a, balance, requested) => {
        const { pointAmount } = usePoints(r, a, balance, requested);
        fc.pre(pointAmount > 0);
        const seen = { requestedWon: requested, answeredWon: pointAmount, balanceWon: balance };
        for (const sent of [requested, pointAmount])
          expect(decideUse(r, a, { balance, requested: sent, preview: seen })).toMatchObject({ pointAmount, refusal: null });
      }),
    );
  });
  test('a higher price than the preview knew takes no more points than the start requests', () => {
    const half = { ...ANY, maxRatioBp: 5000 };
    const seen = { requestedWon: 50_000, answeredWon: 6500, balanceWon: 20_000 };
    const started = (requested: number) => decideUse(half, payable(10_000, 6000), { balance: 20_000, requested, preview: seen });
    expect(started(6500)).toStrictEqual({ ...used(6500), refusal: null });
    expect(started(50_000)).toStrictEqual({ ...used(8000), refusal: null });
  });
  test('of any start: it is refused, or nobody pays more than they have, or more than they request', () => {
    // A preview of other prices, policy and balance; the start sends what it was requested, what it answered, or another number.
    const anyPreview = fc.option(fc.record({ seenRules: rules, seenAmounts: amounts, requestedWon: won, balanceWon: fc.option(won) }));
    const anySent = fc.oneof(fc.constantFrom('requestedWon' as const, 'answeredWon' as const), won);
    fc.assert(
      fc.property(rules, amounts, won, anyPreview, anySent, (r, a, balance, any, sent) => {
        const balanceWon = any?.balanceWon ?? balance;
        const preview = any && {
          requestedWon: any.requestedWon,
          answeredWon: usePoints(any.seenRules, any.seenAmounts, balanceWon, any.requestedWon).pointAmount,
          balanceWon,
        };
        const requested = typeof sent === 'number' ? sent : (preview?.[sent] ?? 0);
        const use = decideUse(r, a, { balance, requested, preview });
        expect(use.pointAmount).toBeLessThanOrEqual(Math.min(balance, requested));
        if (requested > 0 && use.refusal === null) expect(use.pointAmount).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
