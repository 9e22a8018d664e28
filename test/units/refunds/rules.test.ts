import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Bundle, computeRefund, type RefundTerms, shareOf } from '../../../domain/refunds/rules.ts';
import { DEFAULT_REFUND_POLICY, type RefundPolicy } from '../../../domain/products/refundPolicy.ts';

const bundle = (changes: Partial<Bundle> = {}): Bundle => ({
  baseFeeWon: 3000,
  surchargeWon: 0,
  conditionalFreeWon: null,
  ruleFeeWon: 3000,
  feeRefundedWon: 0,
  pointAllocationWon: 0,
  shortfallChargedWon: 0,
  shortfallChargedPointWon: 0,
  ...changes,
});
const policy = (changes: Partial<RefundPolicy> = {}): RefundPolicy => ({ ...DEFAULT_REFUND_POLICY, ...changes });

/** Goods for `shareWon` in cash, before the dispatch, at the seller's fault. */
function sellerCancel({
  policy: rules,
  bundle: paid,
  shareWon,
  remainingWon,
}: {
  readonly policy: RefundPolicy;
  readonly bundle: Bundle;
  readonly shareWon: number;
  readonly remainingWon: number;
}) {
  const { bundle: after, ...amounts } = computeRefund({
    isReturn: false,
    isSellerFault: true,
    policy: rules,
    share: { cashWon: shareWon, pointWon: 0 },
    bundle: paid,
    bundleRestWon: remainingWon,
    coupon: null,
    orderRestWon: remainingWon,
    restDiscountWon: 0,
    deductWon: 0,
  });
  return { ...amounts, ...after };
}

describe('the share of the goods', () => {
  test('10,000 over 3 units: 3,333, 3,333, 3,334', () => {
    expect([0, 1, 2].map((canceled) => shareOf(10_000, 3, canceled, 1))).toEqual([3333, 3333, 3334]);
  });
  test('however a line is split, its parts sum to what was paid', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000_000_000 }),
        fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 10 }),
        (paid, parts) => {
          const ordered = parts.reduce((sum, part) => sum + part, 0);
          let canceled = 0;
          const shares = parts.map((part) => {
            const share = shareOf(paid, ordered, canceled, part);
            canceled += part;
            return share;
          });
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(paid);
          expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

describe('a seller cancel', () => {
  test.each<[string, Partial<RefundPolicy>, Partial<Bundle>, number, number, number]>([
    ['leaves the fee while something remains', {}, {}, 10_000, 10_000, 0],
    ['gives the fee back with the last of the bundle', {}, {}, 0, 13_000, 3000],
    ['gives the surcharge back too', {}, { surchargeWon: 2000 }, 0, 15_000, 5000],
    ['gives the surcharge back where the fee was free', {}, { baseFeeWon: 0, surchargeWon: 2000 }, 0, 12_000, 2000],
    ['never gives it back twice', {}, { feeRefundedWon: 3000 }, 0, 10_000, 0],
    ['is at our own fault: switched off, the pre-shipment rule decides', { sellerFaultFreeShipping: false }, {}, 0, 13_000, 3000],
    ['keeps the fee with both off', { sellerFaultFreeShipping: false, preShipmentDeliveryFeeRefund: false }, {}, 0, 10_000, 0],
  ])('%s', (_, rules, paid, remainingWon, refundWon, deliveryFeeRefundWon) => {
    const settled = sellerCancel({ policy: policy(rules), bundle: bundle(paid), shareWon: 10_000, remainingWon });
    expect(settled).toMatchObject({ refundWon, deliveryFeeRefundWon, deliveryFeeChargeWon: 0 });
  });
  const free = { baseFeeWon: 0, conditionalFreeWon: 50_000 };
  const charging = policy({ sellerFaultFreeShipping: false, conditionalFreeShortfallCharge: true });
  test('charges the fee of a bundle that is free no longer, once, and gives it back with the rest', () => {
    const first = sellerCancel({ policy: charging, bundle: bundle(free), shareWon: 30_000, remainingWon: 30_000 });
    expect(first).toMatchObject({ refundWon: 27_000, deliveryFeeChargeWon: 3000, shortfallChargedWon: 3000 });
    const second = sellerCancel({
      policy: charging,
      bundle: bundle({ ...free, shortfallChargedWon: 3000 }),
      shareWon: 15_000,
      remainingWon: 15_000,
    });
    expect(second).toMatchObject({ refundWon: 15_000, deliveryFeeChargeWon: 0 });
    const last = sellerCancel({
      policy: charging,
      bundle: bundle({ ...free, shortfallChargedWon: 3000 }),
      shareWon: 15_000,
      remainingWon: 0,
    });
    expect(last).toMatchObject({ refundWon: 18_000, deliveryFeeRefundWon: 0, shortfallChargedWon: 0 });
  });
  test('charges at most what is refundable, and nothing at the seller’s fault or above the amount', () => {
    expect(sellerCancel({ policy: charging, bundle: bundle(free), shareWon: 1000, remainingWon: 30_000 }).refundWon).toBe(0);
    expect(
      sellerCancel({
        policy: policy({ conditionalFreeShortfallCharge: true }),
        bundle: bundle(free),
        shareWon: 1000,
        remainingWon: 1,
      }).refundWon,
    ).toBe(1000);
    expect(sellerCancel({ policy: charging, bundle: bundle(free), shareWon: 1000, remainingWon: 50_000 }).refundWon).toBe(1000);
  });
});

describe('what bundle and coupon are afterwards', () => {
  /** One return for change of mind of 1,000 in cash and 9,000 in points. */
  const left = (changes: Partial<RefundTerms>) =>
    computeRefund({
      isReturn: true,
      isSellerFault: false,
      policy: policy({ conditionalFreeShortfallCharge: true }),
      share: { cashWon: 1000, pointWon: 9000 },
      bundle: null,
      bundleRestWon: 10_000,
      coupon: null,
      orderRestWon: 10_000,
      restDiscountWon: 4000,
      deductWon: 0,
      ...changes,
    });
  test('the fee as it was refunded, in both kinds of money', () => {
    const settled = left({ isSellerFault: true, bundle: bundle({ surchargeWon: 2000, pointAllocationWon: 1500 }), bundleRestWon: 0 });
    expect(settled).toMatchObject({ deliveryFeeRefundWon: 3500, bundle: { feeRefundedWon: 5000, shortfallChargedWon: 0 } });
  });
  test('the shortfall as it was charged, cash before points, and nothing of it once it came back', () => {
    const free = bundle({ baseFeeWon: 0, conditionalFreeWon: 20_000, ruleFeeWon: 2700 });
    const charged = left({ bundle: free }).bundle!;
    expect(charged).toEqual({ feeRefundedWon: 0, shortfallChargedWon: 2700, shortfallChargedPointWon: 1700 });
    const last = left({ bundle: { ...free, ...charged }, bundleRestWon: 0 });
    expect(last).toMatchObject({ refundWon: 2000, pointRefundWon: 10_700, deliveryFeeChargeRefundWon: 2700 });
    expect(last.bundle).toEqual({ feeRefundedWon: 0, shortfallChargedWon: 0, shortfallChargedPointWon: 0 });
  });
  test('no shortfall of a bundle whose fee was paid', () => {
    expect(left({ bundle: bundle({ conditionalFreeWon: 20_000 }) })).toMatchObject({ refundWon: 1000, deliveryFeeChargeWon: 0 });
  });
  test('the coupon as it was charged, before the deduction; its points come back before its cash', () => {
    const required = { minOrderWon: 20_000, chargedWon: 0, chargedPointWon: 0 };
    const first = left({ coupon: required, deductWon: 99_999 });
    expect(first).toMatchObject({ refundWon: 0, pointRefundWon: 0, couponChargeWon: 4000, deductWon: 6000 });
    expect(first.coupon).toEqual({ chargedWon: 4000, chargedPointWon: 3000 });
    const second = left({ coupon: { ...required, ...first.coupon! }, restDiscountWon: 500 });
    expect(second).toMatchObject({ refundWon: 1500, pointRefundWon: 12_000, couponChargeRefundWon: 3500 });
    expect(second.coupon).toEqual({ chargedWon: 500, chargedPointWon: 0 });
  });
});
