import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { remoteArea } from '../../../domain/checkout/remoteAreas.ts';
import { bundleNumbers, type CheckoutLine, NO_POLICY, price } from '../../../domain/checkout/rules.ts';

const line = (changes: Partial<CheckoutLine>): CheckoutLine => ({
  productId: 'p',
  productName: 'n',
  variantId: 'v',
  optionLabel: null,
  quantity: 1,
  unitPriceWon: 10_000,
  fulfillmentMethod: 'CARRIER',
  deliveryType: 'PAID',
  deliveryFeeWon: 3000,
  conditionalFreeWon: null,
  ...changes,
});

describe('price', () => {
  test('lines with one policy travel together and pay once: 10,000 + 10,000 + 3,000', () => {
    expect(price([line({}), line({ variantId: 'w' })], null, NO_POLICY).amounts).toMatchObject({
      productAmount: 20_000,
      deliveryFee: 3000,
      totalAmount: 23_000,
    });
  });
  test('different policies are different bundles', () => {
    const lines = [line({}), line({ deliveryFeeWon: 2500 }), line({})];
    expect(bundleNumbers(lines)).toEqual([1, 2, 1]);
    expect(price(lines, null, NO_POLICY)).toMatchObject({ amounts: { deliveryFee: 5500 }, delivery: { bundleCount: 2, baseFee: 5500 } });
  });
  test.each([
    [49_990, 3000],
    [50_000, 0],
    [50_010, 0],
  ])('conditional free from 50,000: a bundle of %i pays %i', (unitPriceWon, fee) => {
    const conditional = line({ unitPriceWon, deliveryType: 'CONDITIONAL_FREE', conditionalFreeWon: 50_000 });
    expect(price([conditional], null, NO_POLICY).amounts.deliveryFee).toBe(fee);
  });
  test('the total is products and delivery, whatever the lines', () => {
    const lines = fc.array(
      fc.record({
        quantity: fc.integer({ min: 1, max: 999 }),
        unitPriceWon: fc.integer({ min: 10, max: 1_000_000 }),
        deliveryFeeWon: fc.constantFrom(0, 2500, 3000),
      }),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(lines, (made) => {
        const { amounts } = price(
          made.map((l) => line(l)),
          null,
          NO_POLICY,
        );
        expect(amounts.totalAmount).toBe(made.reduce((sum, l) => sum + l.quantity * l.unitPriceWon, 0) + amounts.deliveryFee);
        expect(amounts.deliveryFee).toBe([...new Set(made.map((l) => l.deliveryFeeWon))].reduce<number>((sum, fee) => sum + fee, 0));
      }),
    );
  });
});

test.each([
  ['62999', 'NONE'],
  ['63000', 'ISOLATED'],
  ['63001', 'ISOLATED'],
  ['63002', 'JEJU'],
  ['63365', 'ISOLATED'],
  ['63644', 'JEJU'],
  ['63645', 'NONE'],
  ['40200', 'ISOLATED'],
  ['06236', 'NONE'],
])('zip code %s is %s', (zipCode, area) => expect(remoteArea(zipCode)).toBe(area));
