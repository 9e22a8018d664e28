/** Prices and delivery fees against tables worked out by hand (docs/contract.md#prices, docs/contract.md#delivery). */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { daysBetween, nightsOf } from '../../../domain/products/calendar.ts';
import { mergedFulfillment, type FulfillmentRequest, wholeFulfillment } from '../../../domain/products/fulfillment.ts';
import { buyerPriceWon, checkPrices, type Discount, discountedWon } from '../../../domain/products/prices.ts';
import { variantNo } from '../../../domain/products/rules.ts';
import { remoteArea } from '../../../domain/checkout/remoteAreas.ts';

const off = (method: Discount['method'], value: number): Discount => ({ method, value, startDate: '2026-11-10', endDate: '2026-11-20' });

describe('discounts', () => {
  test.each([
    [10_000, off('RATE', 15), 8500],
    [9990, off('RATE', 33), 6694],
    [10, off('RATE', 1), 10],
    [10, off('RATE', 99), 1],
    [12_340, off('RATE', 7), 11_477],
    [10_000, off('AMOUNT', 1), 9999],
    [10_000, off('AMOUNT', 9999), 1],
  ])('%i with %j is %i', (sale, discount, paid) => expect(discountedWon(sale, discount, '2026-11-15')).toBe(paid));
  test.each([
    ['2026-11-09', null],
    ['2026-11-10', 8500],
    ['2026-11-20', 8500],
    ['2026-11-21', null],
  ])('on %s: %p, both ends belong to it', (day, price) => expect(discountedWon(10_000, off('RATE', 15), day)).toBe(price));
  test('a buyer pays at least one won and never more than the sale price', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000_000 }), fc.integer({ min: 1, max: 99 }), (tens, rate) => {
        const price = buyerPriceWon(tens * 10, off('RATE', rate), '2026-11-15');
        expect(price).toBeGreaterThanOrEqual(1);
        expect(price).toBeLessThanOrEqual(tens * 10);
      }),
    );
  });
  test.each([
    [1000, null, -990, true],
    [1000, null, -991, false],
    [1000, off('AMOUNT', 999), 0, true],
    [1000, off('AMOUNT', 999), 500, true],
    [1000, off('AMOUNT', 999), -1, false],
    [1000, off('RATE', 99), -9, true],
    [1000, off('RATE', 99), -10, false],
  ])('%i with %j and %i more is allowed: %p', (sale, discount, more, allowed) => {
    const check = () => checkPrices({ salePriceWon: sale, discount, lowestAdditionalWon: more }, '2026-11-20');
    if (allowed) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'PRICE_CONFLICT' }));
  });
  test('a discount bounds the price until its last day has passed', () => {
    const prices = { salePriceWon: 500, discount: off('AMOUNT', 600), lowestAdditionalWon: 0 };
    expect(() => checkPrices(prices, '2026-11-20')).toThrow(expect.objectContaining({ code: 'PRICE_CONFLICT' }));
    expect(() => checkPrices(prices, '2026-11-21')).not.toThrow();
  });
});

describe('days', () => {
  test.each([
    ['2026-12-24', '2026-12-26', ['2026-12-24', '2026-12-25']],
    ['2027-02-28', '2027-03-01', ['2027-02-28']],
    ['2028-02-28', '2028-03-01', ['2028-02-28', '2028-02-29']],
    ['2026-12-31', '2027-01-02', ['2026-12-31', '2027-01-01']],
  ])('a stay from %s to %s', (checkIn, checkOut, nights) => expect(nightsOf({ checkIn, checkOut })).toEqual(nights));
  test('of the week: 0 is Sunday', () =>
    expect(daysBetween('2026-11-16', '2026-11-29', [0, 6])).toEqual(['2026-11-21', '2026-11-22', '2026-11-28', '2026-11-29']));
});

describe('fulfillment', () => {
  const defaults = { deliveryFeeWon: 3000, addressIds: { SHIPPING: 's', RETURN: 'r' } };
  const paid = wholeFulfillment({ shipping: { deliveryFee: 2500 } }, defaults);
  const after = (request: FulfillmentRequest, current = paid) => mergedFulfillment(current, request, defaults);
  test.each<[FulfillmentRequest, object]>([
    [{ shipping: { deliveryType: 'FREE' } }, { deliveryType: 'FREE', deliveryFeeWon: 0 }],
    [{ shipping: { deliveryFee: 4000 } }, { deliveryType: 'PAID', deliveryFeeWon: 4000 }],
    [{ shipping: { deliveryType: 'CONDITIONAL_FREE', conditionalFreeAmount: 1 } }, { deliveryFeeWon: 2500, conditionalFreeWon: 1 }],
    [{ methods: ['PICKUP', 'CARRIER', 'PICKUP'] }, { methods: ['PICKUP', 'CARRIER'], deliveryFeeWon: 2500 }],
    [{ shipping: { returnAddressId: null } }, { shippingAddressId: 's', returnAddressId: null }],
    [{ shipping: null }, { deliveryFeeWon: 3000, shippingAddressId: 's' }],
    [{ type: 'MANUAL' }, { methods: ['PROVIDED'], deliveryFeeWon: 0, shippingAddressId: null }],
  ])('%j', (request, expected) => expect(after(request)).toMatchObject(expected));
  test('a change of the type alone lets go of what only the old one had, and takes the store’s fee where there was none', () => {
    const conditional = after({ shipping: { deliveryType: 'CONDITIONAL_FREE', conditionalFreeAmount: 50_000 } });
    expect(after({ shipping: { deliveryType: 'PAID' } }, conditional)).toMatchObject({ deliveryFeeWon: 2500, conditionalFreeWon: null });
    const free = after({ shipping: { deliveryType: 'FREE' } });
    expect(after({ shipping: { deliveryType: 'PAID' } }, free)).toMatchObject({ deliveryFeeWon: 3000 });
  });
  test.each<[FulfillmentRequest]>([
    [{ shipping: { deliveryType: 'FREE', deliveryFee: 1 } }],
    [{ shipping: { conditionalFreeAmount: 1 } }],
    [{ shipping: { deliveryType: 'CONDITIONAL_FREE' } }],
    [{ type: 'MANUAL', shipping: {} }],
    [{ methods: ['PROVIDED'] }],
    [{ type: 'MANUAL', methods: ['CARRIER'] }],
  ])('%j is refused', (request) => expect(() => after(request)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' })));
});

test.each([
  ['62999', 'NONE'],
  ['63000', 'ISOLATED'],
  ['63001', 'ISOLATED'],
  ['63002', 'JEJU'],
  ['63364', 'JEJU'],
  ['63365', 'ISOLATED'],
  ['63366', 'JEJU'],
  ['63644', 'JEJU'],
  ['63645', 'NONE'],
  ['40199', 'NONE'],
  ['40200', 'ISOLATED'],
  ['40240', 'ISOLATED'],
  ['40241', 'NONE'],
  ['28826', 'NONE'],
  ['58826', 'ISOLATED'],
  ['00000', 'NONE'],
  ['99999', 'NONE'],
])('%s is %s', (zipCode, area) => expect(remoteArea(zipCode)).toBe(area));

test.each([
  [1, 1, '1-01'],
  [7, 99, '7-99'],
  [7, 100, '7-100'],
  [1234, 500, '1234-500'],
])('variant %i of %i: %s', (productNo, seq, number) => expect(variantNo(productNo, seq)).toBe(number));
