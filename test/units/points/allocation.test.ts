/** Which line and which fee points pay, and what a purchase earns. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { allocatePoints } from '../../../domain/points/allocation.ts';
import { earnRateBp, purchaseEarning, purchasePoint } from '../../../domain/points/purchase.ts';

describe('shares', () => {
  // Points, lines, fees; of the lines, of the bundles.
  const table: readonly (readonly [number, number[], number[], number[], number[]])[] = [
    [1000, [3000, 3000, 4000], [], [300, 300, 400], []],
    [100, [1000, 1000, 1000], [3000], [34, 33, 33], [0]],
    [101, [1000, 1000, 1000], [3000], [34, 34, 33], [0]],
    [10_000, [10_000], [3000], [10_000], [0]],
    [11_000, [4000, 6000], [3000, 500], [4000, 6000], [858, 142]],
    [13_500, [4000, 6000], [3000, 500], [4000, 6000], [3000, 500]],
    [2, [0, 1, 1, 1], [], [0, 1, 1, 0], []],
    [3001, [3000], [0, 2], [3000], [0, 1]],
    [0, [3000], [3000], [0], [0]],
    [0, [0], [], [0], []],
  ];
  test.each(table)('%i over %j and %j', (points, paid, fees, lines, bundles) => {
    expect(allocatePoints(points, paid, fees)).toStrictEqual({ lines, bundles, deliveryWon: bundles.reduce((a, b) => a + b, 0) });
  });
  test('more than all of it is no use of points', () => {
    expect(() => allocatePoints(101, [100], [])).toThrow();
  });
});

const won = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20_000_000 }));
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

test('of any order: sums are exact, no share is above its line, goods come first', () => {
  fc.assert(
    fc.property(
      fc.array(won, { minLength: 1, maxLength: 100 }),
      fc.array(won, { maxLength: 10 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (paid, fees, part) => {
        const points = Math.floor((sum(paid) + sum(fees)) * part);
        const { lines, bundles, deliveryWon } = allocatePoints(points, paid, fees);
        expect(sum(lines) + sum(bundles)).toBe(points);
        expect(sum(bundles)).toBe(deliveryWon);
        expect(lines.every((share, i) => share >= 0 && share <= paid[i]!)).toBe(true);
        expect(bundles.every((share, i) => share >= 0 && share <= fees[i]!)).toBe(true);
        if (deliveryWon > 0) expect(sum(lines)).toBe(sum(paid));
        const exact = lines.map((share, i) => share - Math.floor((Math.min(points, sum(paid)) * paid[i]!) / Math.max(1, sum(paid))));
        expect(exact.every((more) => more === 0 || more === 1)).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

describe('what a purchase earns', () => {
  const item = { totalPriceWon: 10_000, couponDiscountWon: 1000, pointAllocationWon: 3000, leftCashWon: 3000, earnRateBp: 100 };
  test('of what was paid in cash for what remains, fractions dropped', () => {
    expect(purchaseEarning(item)).toBe(30);
    expect(purchaseEarning({ ...item, leftCashWon: 0, earnRateBp: 33 })).toBe(19);
    expect(purchaseEarning({ ...item, leftCashWon: 6000 })).toBe(0);
    expect(purchaseEarning({ ...item, earnRateBp: 0 })).toBe(0);
    expect(purchaseEarning({ ...item, totalPriceWon: 2_000_000_000, earnRateBp: 3000 })).toBe(599_997_900);
  });
  test('the rate is the product’s, or else the store’s; none while earning is off', () => {
    expect(earnRateBp({ enabled: true, rateBp: 100 }, null)).toBe(100);
    expect(earnRateBp({ enabled: true, rateBp: 100 }, 0)).toBe(0);
    expect(earnRateBp({ enabled: true, rateBp: 100 }, 250)).toBe(250);
    expect(earnRateBp({ enabled: false, rateBp: 100 }, 250)).toBe(0);
  });
  test('shown for one unit', () => {
    expect(purchasePoint({ enabled: true, rateBp: 100 }, 9990, null)).toBe(99);
    expect(purchasePoint({ enabled: true, rateBp: 100 }, 9990, 0)).toBe(0);
    expect(purchasePoint({ enabled: false, rateBp: 100 }, 9990, 250)).toBeNull();
  });
});
