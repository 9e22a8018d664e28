/** The rules of refunds, row by row: an order, what leaves it, what the last of it gives. */
import { describe, expect, test } from '@jest/globals';
import type { Answer, Departure, ModelBundle, ModelLine, ModelOrder, ModelPolicy } from './model.ts';
import { StoredOrder } from './orders.ts';

type Step = Partial<Departure>;
const POLICY: ModelPolicy = {
  preShipmentDeliveryFeeRefund: true,
  returnDeliveryFee: 2500,
  sellerFaultFreeShipping: true,
  conditionalFreeShortfallCharge: false,
  couponShortfallCharge: true,
};
const line = (changes: Partial<ModelLine> = {}, policy: Partial<ModelPolicy> = {}): ModelLine => ({
  bundle: 0,
  unitPrice: 10_000,
  quantity: 1,
  coupon: 0,
  points: 0,
  ...changes,
  policy: { ...POLICY, ...policy },
});
const bundle = (changes: Partial<ModelBundle> = {}): ModelBundle => ({
  baseFee: 3000,
  surcharge: 0,
  points: 0,
  freeFrom: null,
  feeBelow: 3000,
  ...changes,
});
const order = (lines: readonly ModelLine[], bundles: readonly ModelBundle[] = [bundle()], minOrder?: number): ModelOrder => ({
  lines,
  bundles,
  coupon: minOrder === undefined ? null : { minOrder },
});
const two = (policy: Partial<ModelPolicy> = {}) => order([line({}, policy), line({}, policy)]);
const free = bundle({ baseFee: 0, freeFrom: 20_000 });
const charging = { conditionalFreeShortfallCharge: true };

const cancel: Step = { way: 'CANCEL', blame: 'BUYER' };
const sellerCancel: Step = { way: 'CANCEL', blame: 'SELLER' };
/** For simple change of mind. */
const back: Step = { way: 'RETURN', blame: 'BUYER' };
const defective: Step = { way: 'RETURN', blame: 'SELLER' };
const exchange: Step = { way: 'EXCHANGE', blame: 'BUYER' };
const second = (step: Step): Step => ({ ...step, line: 1 });

/** Each step of one unit of the first line, unless it says otherwise; answers the last. */
function lastOf(paid: ModelOrder, steps: readonly Step[]): Answer {
  const stored = new StoredOrder(paid);
  const answers = steps.map((step) => stored.leave({ line: 0, quantity: 1, way: 'CANCEL', blame: 'BUYER', deduct: 0, ...step }));
  return answers.at(-1)!;
}
type Row = readonly [what: string, paid: ModelOrder, steps: readonly Step[], last: Partial<Answer>];
const rows = (title: string, table: readonly Row[]) =>
  describe(title, () => {
    test.each(table)('%s', (_, paid, steps, last) => {
      const nothing = { pointRefund: 0, deliveryFeeRefund: 0, deliveryFeeCharge: 0, deliveryFeeChargeRefund: 0 };
      const rest = { couponCharge: 0, couponChargeRefund: 0, deduct: 0 };
      expect(lastOf(paid, steps)).toEqual({ ...nothing, ...rest, ...last });
    });
  });

const unfair = { sellerFaultFreeShipping: false };
const noFeeRefund = { preShipmentDeliveryFeeRefund: false };
rows('the delivery fee', [
  ['a part of the bundle, canceled: stays', two(), [cancel], { refund: 10_000 }],
  ['the whole bundle, canceled: comes back', two(), [cancel, second(cancel)], { refund: 13_000, deliveryFeeRefund: 3000 }],
  ['… preShipmentDeliveryFeeRefund off: stays', two(noFeeRefund), [cancel, second(cancel)], { refund: 10_000 }],
  ['returned for change of mind: stays, and the return costs', order([line()]), [back], { refund: 7500, deliveryFeeCharge: 2500 }],
  ['defective or wrong, the whole bundle: comes back', order([line()]), [defective], { refund: 13_000, deliveryFeeRefund: 3000 }],
  ['defective, a part of the bundle: stays, no return fee', two(), [defective], { refund: 10_000 }],
  ['… sellerFaultFreeShipping off: as change of mind', order([line({}, unfair)]), [defective], { refund: 7500, deliveryFeeCharge: 2500 }],
  ['a seller cancel: comes back', order([line({}, noFeeRefund)]), [sellerCancel], { refund: 13_000, deliveryFeeRefund: 3000 }],
  [
    '… sellerFaultFreeShipping off: by preShipmentDeliveryFeeRefund',
    order([line({}, unfair)]),
    [sellerCancel],
    { refund: 13_000, deliveryFeeRefund: 3000 },
  ],
  ['… both off: stays', order([line({}, { ...unfair, ...noFeeRefund })]), [sellerCancel], { refund: 10_000 }],
  // DELIVERY_DELAY, a cancel at the seller's fault, is a seller's cancel.
  ['free at payment: nothing comes back', order([line()], [bundle({ baseFee: 0 })]), [cancel], { refund: 10_000 }],
  [
    'a surcharge comes back even so',
    order([line()], [bundle({ baseFee: 0, surcharge: 2000 })]),
    [cancel],
    { refund: 12_000, deliveryFeeRefund: 2000 },
  ],
  ['a surcharge stays with the fee', order([line()], [bundle({ surcharge: 2000 })]), [back], { refund: 7500, deliveryFeeCharge: 2500 }],
  ['what is not shipped has none, and no return fee', order([line({ bundle: null })], []), [back], { refund: 10_000 }],
  [
    'another bundle keeps its own',
    order([line(), line({ bundle: 1 })], [bundle(), bundle()]),
    [cancel],
    { refund: 13_000, deliveryFeeRefund: 3000 },
  ],
  [
    'paid in points comes back in points',
    order([line({ points: 10_000 })], [bundle({ points: 1000 })]),
    [cancel],
    { refund: 2000, pointRefund: 11_000, deliveryFeeRefund: 2000 },
  ],
  ['an exchanged unit remains: nothing comes back for its bundle', two(), [exchange, second(cancel)], { refund: 10_000 }],
  ['an exchange itself moves nothing', two(), [exchange], { refund: 0 }],
]);

const mixed = (last: Partial<ModelPolicy>) => order([line(), line({}, last)]);
rows('mixed policies: who leaves last decides', [
  ['a cancel, then a return: stays', two(), [cancel, second(back)], { refund: 7500, deliveryFeeCharge: 2500 }],
  ['a return, then a cancel: comes back', two(), [back, second(cancel)], { refund: 13_000, deliveryFeeRefund: 3000 }],
  ['the last keeps it', mixed(noFeeRefund), [cancel, second(cancel)], { refund: 10_000 }],
  ['the last gives it', mixed(noFeeRefund), [second(cancel), cancel], { refund: 13_000, deliveryFeeRefund: 3000 }],
  ['a change of mind, then a defect', two(), [back, second(defective)], { refund: 13_000, deliveryFeeRefund: 3000 }],
]);

rows('the return fee', [
  ['per claim: a second return pays again', two(), [back, second(back)], { refund: 7500, deliveryFeeCharge: 2500 }],
  [
    'once for a claim of several units',
    order([line({ quantity: 3 })]),
    [{ ...back, quantity: 3 }],
    { refund: 27_500, deliveryFeeCharge: 2500 },
  ],
  ['of the line that leaves', mixed({ returnDeliveryFee: 4000 }), [second(back)], { refund: 6000, deliveryFeeCharge: 4000 }],
  ['at most what goes back', order([line({ unitPrice: 1000 })]), [back], { refund: 0, deliveryFeeCharge: 1000 }],
  ['not of a cancel', two(), [cancel], { refund: 10_000 }],
]);

const freeTwo = (policy: Partial<ModelPolicy> = charging, paid = free) => order([line({}, policy), line({}, policy)], [paid]);
const freeThree = order([line({}, charging), line({}, charging), line({}, charging)], [bundle({ baseFee: 0, freeFrom: 30_000 })]);
rows('the shortfall of a conditional free delivery', [
  ['is charged', freeTwo(), [cancel], { refund: 7000, deliveryFeeCharge: 3000 }],
  ['… conditionalFreeShortfallCharge off: is not', freeTwo({}), [cancel], { refund: 10_000 }],
  ['is charged once', freeThree, [cancel, second(cancel)], { refund: 10_000 }],
  [
    'comes back with the rest',
    freeThree,
    [cancel, second(cancel), { ...cancel, line: 2 }],
    { refund: 13_000, deliveryFeeChargeRefund: 3000 },
  ],
  [
    'comes back with the rest, whyever that leaves',
    freeTwo(),
    [cancel, second(back)],
    { refund: 10_500, deliveryFeeChargeRefund: 3000, deliveryFeeCharge: 2500 },
  ],
  ['is not charged when the whole bundle leaves', order([line({ unitPrice: 20_000 }, charging)], [free]), [cancel], { refund: 20_000 }],
  [
    'is not charged while the rest reaches the amount',
    freeTwo(charging, bundle({ baseFee: 0, freeFrom: 10_000 })),
    [cancel],
    { refund: 10_000 },
  ],
  ['is not charged at the seller’s fault', freeTwo(), [sellerCancel], { refund: 10_000 }],
  ['… sellerFaultFreeShipping off: is', freeTwo({ ...charging, ...unfair }), [sellerCancel], { refund: 7000, deliveryFeeCharge: 3000 }],
  ['is not charged where the fee was paid', freeTwo(charging, bundle({ freeFrom: 30_000 })), [cancel], { refund: 10_000 }],
  [
    'is not charged where the store made it free',
    freeTwo(charging, bundle({ baseFee: 0, freeFrom: 30_000 })),
    [cancel],
    { refund: 10_000 },
  ],
  ['is not charged where there is no condition', freeTwo(charging, bundle({ baseFee: 0, freeFrom: null })), [cancel], { refund: 10_000 }],
  [
    'adds to the return fee, and is what that left',
    order([line({ unitPrice: 4000 }, charging), line({}, charging)], [bundle({ baseFee: 0, freeFrom: 14_000 })]),
    [back],
    { refund: 0, deliveryFeeCharge: 4000 },
  ],
  [
    '… and only that comes back',
    order([line({ unitPrice: 4000 }, charging), line({}, charging)], [bundle({ baseFee: 0, freeFrom: 14_000 })]),
    [back, second(cancel)],
    { refund: 11_500, deliveryFeeChargeRefund: 1500 },
  ],
  [
    'taken from points comes back in points',
    order([line({ points: 9000 }, charging), line({ points: 10_000 }, charging)], [free]),
    [cancel, second(cancel)],
    { refund: 1000, pointRefund: 12_000, deliveryFeeChargeRefund: 3000 },
  ],
  ['counts exchanged units as remaining', freeTwo(), [exchange, second(cancel)], { refund: 7000, deliveryFeeCharge: 3000 }],
]);

const couponed = (policy: Partial<ModelPolicy> = {}, minOrder = 30_000) =>
  order([line({ bundle: null, quantity: 3, coupon: 3000 }, policy)], [], minOrder);
rows('the coupon', [
  ['its discount is spread over the units', couponed({}, 1), [cancel], { refund: 9000 }],
  ['the rest costs less than it asks for: its discount on the rest is charged', couponed(), [cancel], { refund: 7000, couponCharge: 2000 }],
  ['… couponShortfallCharge off: is not', couponed({ couponShortfallCharge: false }), [cancel], { refund: 9000 }],
  ['the rest costs as much as it asks for', couponed({}, 20_000), [cancel], { refund: 9000 }],
  ['not at the seller’s fault', couponed(), [sellerCancel], { refund: 9000 }],
  ['not when nothing remains', couponed(), [{ ...cancel, quantity: 3 }], { refund: 27_000 }],
  ['once, and what leaves later brings its discount back', couponed(), [cancel, cancel], { refund: 10_000, couponChargeRefund: 1000 }],
  ['all of it with the last', couponed(), [cancel, cancel, cancel], { refund: 10_000, couponChargeRefund: 1000 }],
  [
    'an exchanged unit keeps its discount, and its charge',
    couponed(),
    [cancel, exchange, cancel],
    { refund: 10_000, couponChargeRefund: 1000 },
  ],
  [
    'taken from points comes back in points',
    order([line({ bundle: null, quantity: 2, coupon: 8000, points: 10_000 })], [], 20_000),
    [cancel, cancel],
    { refund: 2000, pointRefund: 8000, couponChargeRefund: 4000 },
  ],
]);

rows('what is deducted', [
  ['comes off the refund', order([line()]), [{ ...cancel, deduct: 1000 }], { refund: 12_000, deliveryFeeRefund: 3000, deduct: 1000 }],
  ['is at most the refund', two(), [{ ...cancel, deduct: 99_999 }], { refund: 0, deduct: 10_000 }],
  ['is at most what the other charges left', two(), [{ ...back, deduct: 9000 }], { refund: 0, deliveryFeeCharge: 2500, deduct: 7500 }],
  [
    'comes out of cash first',
    order([line({ bundle: null, points: 4000 })], []),
    [{ ...cancel, deduct: 5000 }],
    { refund: 1000, pointRefund: 4000, deduct: 5000 },
  ],
  [
    '… then out of points, stopping at 0',
    order([line({ bundle: null, points: 4000 })], []),
    [{ ...cancel, deduct: 8500 }],
    { refund: 0, pointRefund: 1500, deduct: 8500 },
  ],
]);

rows('split by quantity', [
  ['10,000 over 3: the first', order([line({ bundle: null, unitPrice: 3334, quantity: 3, coupon: 2 })], []), [cancel], { refund: 3333 }],
  [
    '10,000 over 3: the last',
    order([line({ bundle: null, unitPrice: 3334, quantity: 3, coupon: 2 })], []),
    [cancel, cancel, cancel],
    { refund: 3334 },
  ],
  [
    '10,001 in cash and 999 points over 7, as 2, 3, 2: the middle',
    order([line({ bundle: null, unitPrice: 1572, quantity: 7, coupon: 4, points: 999 })], []),
    [
      { ...cancel, quantity: 2 },
      { ...cancel, quantity: 3 },
    ],
    { refund: 4286, pointRefund: 428 },
  ],
  [
    'units after an exchanged one have their own share',
    order([line({ bundle: null, unitPrice: 3334, quantity: 3, coupon: 2 })], []),
    [exchange, cancel, cancel],
    { refund: 3334 },
  ],
]);
