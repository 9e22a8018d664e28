/** A flow's refund on the way: what it pays, and what leaves afterwards. */
import { describe, expect, test } from '@jest/globals';
import type { ModelLine, ModelOrder } from './model.ts';
import { StoredOrder } from './orders.ts';

const policy = {
  preShipmentDeliveryFeeRefund: true,
  returnDeliveryFee: 2500,
  sellerFaultFreeShipping: true,
  conditionalFreeShortfallCharge: false,
  couponShortfallCharge: true,
};
const line = (changes: Partial<ModelLine> = {}): ModelLine => ({
  bundle: 0,
  unitPrice: 10_000,
  quantity: 3,
  coupon: 0,
  points: 0,
  policy,
  ...changes,
});
const storedOf = (lines: readonly ModelLine[], coupon: ModelOrder['coupon'] = null) =>
  new StoredOrder({ lines, bundles: [{ baseFee: 3000, surcharge: 0, points: 0, freeFrom: null, feeBelow: 3000 }], coupon });
const all = { quantity: 3, way: 'CANCEL', blame: 'SELLER', deduct: 0 } as const;

describe('a refund on the way', () => {
  test('pays the share of what remains, less its fee, and no delivery', () => {
    const stored = storedOf([line()]);
    stored.leave({ ...all, line: 0, quantity: 1 });
    expect(stored.settle(0, 4000)).toMatchObject({ refund: 16_000, deduct: 4000, deliveryFeeRefund: 0 });
  });
  test('takes the fee out of cash before points, and stops at 0', () => {
    const paid = line({ points: 27_000 });
    expect(storedOf([paid]).settle(0, 5000)).toMatchObject({ refund: 0, pointRefund: 25_000, deduct: 5000 });
    expect(storedOf([paid]).settle(0, 99_000)).toMatchObject({ refund: 0, pointRefund: 0, deduct: 30_000 });
  });
  test('settles: neither another one nor an end, a cancel or a return pays again, and no return fee is charged', () => {
    const stored = storedOf([line()]);
    stored.settle(0, 0);
    const answers = [
      stored.settle(0, 0),
      stored.leave({ ...all, line: 0, quantity: 1, way: 'RETURN', blame: 'BUYER' }),
      stored.leave({ ...all, line: 0, quantity: 2 }),
    ];
    expect(answers.flatMap((answer) => Object.values(answer)).filter((won) => won !== 0)).toEqual([]);
  });
  test('leaves the units in their bundle: its fee comes back with what leaves last and is not settled', () => {
    const [first, last] = [storedOf([line(), line()]), storedOf([line(), line()])];
    first.settle(0, 0);
    first.leave({ ...all, line: 0 });
    expect(first.leave({ ...all, line: 1 })).toMatchObject({ refund: 33_000, deliveryFeeRefund: 3000 });
    last.settle(0, 0);
    expect(last.leave({ ...all, line: 1 })).toMatchObject({ refund: 30_000, deliveryFeeRefund: 0 });
    expect(last.leave({ ...all, line: 0 })).toMatchObject({ refund: 0, deliveryFeeRefund: 0 });
  });
  test('pays after the coupon, is never charged for one, and gives back what was', () => {
    const lines = [line({ coupon: 3000 }), line({ coupon: 3000 })];
    const stored = storedOf(lines, { minOrder: 60_000 });
    expect(stored.leave({ ...all, line: 1, blame: 'BUYER' })).toMatchObject({ refund: 24_000, couponCharge: 3000 });
    expect(stored.settle(0, 0)).toMatchObject({ refund: 30_000, couponChargeRefund: 3000 });
    const other = storedOf(lines, { minOrder: 60_000 });
    expect(other.settle(0, 0)).toMatchObject({ refund: 27_000, couponCharge: 0 });
    // What is paid back is no longer part of what the coupon asks for.
    expect(other.leave({ ...all, line: 1, blame: 'BUYER', quantity: 1 })).toMatchObject({ couponCharge: 2000 });
  });
});
