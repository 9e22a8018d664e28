/** The days of an overview, and all of them (docs/contract.md#analytics). */
import { expect, test } from '@jest/globals';
import { overviewOf } from '../../../domain/visits/overview.ts';

const NOTHING = { sessions: 0, productViews: 0, cartAdds: 0, paymentStarts: 0, purchases: 0, purchaseAmount: 0 };

test('every day is there, over the end of a year and the day of a leap year; visitors count once in all', () => {
  const day = (date: string, visitors: number, newVisitors: number) => ({
    ...NOTHING,
    date,
    visitors,
    pageViews: 2 * visitors,
    newVisitors,
    newSessions: 0,
  });
  const { totals, days } = overviewOf({ from: '2027-12-30', to: '2028-01-02' }, [day('2027-12-31', 3, 3), day('2028-01-01', 2, 1)]);
  expect(days.map(({ date, visitors, pageViews }) => [date, visitors, pageViews])).toEqual([
    ['2027-12-30', 0, 0],
    ['2027-12-31', 3, 6],
    ['2028-01-01', 2, 4],
    ['2028-01-02', 0, 0],
  ]);
  expect(totals).toEqual({ ...NOTHING, visitors: 4, pageViews: 10 });
  expect(overviewOf({ from: '2028-02-28', to: '2028-03-01' }, []).days.map(({ date }) => date)).toEqual([
    '2028-02-28',
    '2028-02-29',
    '2028-03-01',
  ]);
});
