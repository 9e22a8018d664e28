import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Sales, salesOf, totalsOf } from '../../../domain/salesReport/rules.ts';

const amounts = fc.nat(2_000_000_000);
const rows = fc.array(
  fc.record({ paymentCount: fc.nat(), paymentAmount: amounts, pointAmount: amounts, refundCount: fc.nat(), refundAmount: amounts }),
);

test('nothing adds up to nothing, and more may go back than was paid', () => {
  const nothing = { paymentCount: 0, paymentAmount: 0, pointAmount: 0, refundCount: 0, refundAmount: 0, netAmount: 0 };
  expect(totalsOf([])).toEqual(nothing);
  const back = salesOf({ paymentCount: 0, paymentAmount: 0, pointAmount: 0, refundCount: 1, refundAmount: 13_000 });
  expect(totalsOf([back, salesOf({ ...back, paymentAmount: 10_000, refundAmount: 0 })])).toMatchObject({
    refundCount: 2,
    netAmount: -3000,
  });
});

test('totals are the sums of every column, however the rows are cut', () => {
  fc.assert(
    fc.property(rows, fc.nat(), (counted, at) => {
      const sales = counted.map(salesOf);
      const cut = at % (sales.length + 1);
      const whole = totalsOf(sales);
      expect(totalsOf([totalsOf(sales.slice(0, cut)), totalsOf(sales.slice(cut))])).toEqual(whole);
      for (const column of Object.keys(whole) as (keyof Sales)[])
        expect(whole[column]).toBe(sales.reduce((sum, row) => sum + row[column], 0));
      expect(whole.netAmount).toBe(whole.paymentAmount - whole.refundAmount);
    }),
  );
});
