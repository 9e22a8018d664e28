import { describe, expect, test } from '@jest/globals';
import { compileExpressions } from '../../../../domain/flows/expressions/compile.ts';
import type { Scope } from '../../../../domain/flows/expressions/types.ts';
import { inputs, kst, SHOW, STAY, tables, withOption, withStay } from './fixtures.ts';

const expressions = compileExpressions(tables, inputs);
/** Fees of 100,000 won, so that 1,000 won are one percent. */
const percent = (source: string, given: Scope) => Number(expressions.evaluate(source, given)) / 1000;

test('the expressions of the presets pass the check', () => {
  expect([expressions.check(SHOW, 'int'), expressions.check(STAY, 'int')]).toEqual([null, null]);
});

describe('STAY, by the table of the consumer dispute standards', () => {
  test.each([
    // A Wednesday of the summer peak.
    ['2026-07-29', '2026-07-19T23:59', 0, '10 days before'],
    ['2026-07-29', '2026-07-20T00:00', 10, '9 days'],
    ['2026-07-29', '2026-07-22T12:00', 10, '7 days'],
    ['2026-07-29', '2026-07-23T12:00', 30, '6 days'],
    ['2026-07-29', '2026-07-24T12:00', 30, '5 days'],
    ['2026-07-29', '2026-07-25T12:00', 50, '4 days'],
    ['2026-07-29', '2026-07-26T12:00', 50, '3 days'],
    ['2026-07-29', '2026-07-27T12:00', 80, '2 days'],
    ['2026-07-29', '2026-07-29T12:00', 80, 'the day itself'],
    ['2026-07-29', '2026-08-02T12:00', 80, 'afterwards: the smallest row'],
    // A Friday and a Saturday of the peak.
    ['2026-07-31', '2026-07-25T10:00', 40, 'a Friday, 6 days'],
    ['2026-08-01', '2026-07-22T10:00', 0, 'a Saturday, 10 days'],
    ['2026-08-01', '2026-07-25T10:00', 20, 'a Saturday, 7 days'],
    ['2026-08-01', '2026-07-29T10:00', 60, 'a Saturday, 3 days'],
    ['2026-08-01', '2026-08-01T10:00', 90, 'a Saturday, the day itself'],
    // Off season.
    ['2026-09-08', '2026-09-06T10:00', 0, 'a Tuesday, 2 days'],
    ['2026-09-08', '2026-09-07T23:59', 10, 'a Tuesday, 1 day'],
    ['2026-09-08', '2026-09-08T00:00', 20, 'a Tuesday, the day itself'],
    ['2026-09-12', '2026-09-10T10:00', 0, 'a Saturday, 2 days'],
    ['2026-09-12', '2026-09-11T10:00', 20, 'a Saturday, 1 day'],
    ['2026-09-12', '2026-09-12T10:00', 30, 'a Saturday, the day itself'],
    // Sundays and holidays: the night before a day off counts as weekend.
    ['2026-10-04', '2026-10-03T10:00', 20, 'a Sunday before a substitute holiday'],
    ['2026-10-11', '2026-10-10T10:00', 10, 'a Sunday before a working day'],
    ['2026-12-24', '2026-12-20T10:00', 60, 'Christmas Eve, a Thursday of the winter peak'],
    // The borders of the peaks, both days included, over the end of the year.
    ['2026-07-14', '2026-07-13T10:00', 10, 'the day before the summer peak'],
    ['2026-07-15', '2026-07-14T10:00', 80, 'its first day'],
    ['2026-08-24', '2026-08-23T10:00', 80, 'its last day'],
    ['2026-08-25', '2026-08-24T10:00', 10, 'the day after it'],
    ['2027-01-12', '2027-01-08T10:00', 50, 'January is winter peak'],
    ['2027-02-20', '2027-02-17T10:00', 60, 'the last day of the winter peak, a Saturday'],
    ['2027-02-21', '2027-02-20T10:00', 10, 'the day after it'],
  ])('check-in %s, canceled at %s: %i %% (%s)', (checkIn, now, fee) => {
    expect(percent(STAY, withStay(checkIn, now))).toBe(fee);
  });

  test.each([
    ['2026-07-28T11:59', 0, 'a minute before 24 hours have passed, a day before'],
    ['2026-07-28T12:00', 80, 'after exactly 24 hours'],
  ])('paid at noon two days before, canceled at %s: %i %% (%s)', (now, fee) => {
    expect(percent(STAY, withStay('2026-07-29', now, '2026-07-27T12:00'))).toBe(fee);
  });
  test('within 24 hours, but on the day of arrival: the grace does not count', () => {
    expect(percent(STAY, withStay('2026-07-29', '2026-07-29T00:00', '2026-07-28T23:00'))).toBe(80);
  });
  test('a fee is rounded down', () => {
    expect(expressions.evaluate(STAY, { ...withStay('2026-07-29', '2026-07-22T12:00'), refundable: 33_339 })).toBe(3333);
  });
  test('the limit of a claim, the check-in at 15:00', () => {
    const given = withStay('2026-07-29', '2026-07-22T12:00');
    expect(expressions.check('atTime(item.stay.checkIn, "15:00")', 'time')).toBeNull();
    expect(expressions.evaluate('atTime(item.stay.checkIn, "15:00")', given)).toBe(kst('2026-07-29T15:00'));
  });
});

describe('SHOW', () => {
  const show = (now: string, paidAt = '2026-01-01T10:00') => {
    const given = withOption({ showAt: '2026-08-01T19:00:00+09:00' });
    return percent(SHOW, { ...given, now: kst(now), order: { ...given.order, paidAt: kst(paidAt) } });
  };
  test.each([
    ['2026-07-01T10:00', 0],
    ['2026-07-22T23:59', 0],
    ['2026-07-23T00:00', 10],
    ['2026-07-25T10:00', 10],
    ['2026-07-26T10:00', 20],
    ['2026-07-29T10:00', 20],
    ['2026-07-30T10:00', 30],
    ['2026-07-31T23:59', 30],
    ['2026-08-01T00:00', 90],
    ['2026-08-01T18:00', 90],
  ])('canceled at %s: %i %%', (now, fee) => {
    expect(show(now)).toBe(fee);
  });
  test('within 24 hours: free with three days left, not with two', () => {
    expect(show('2026-07-29T10:00', '2026-07-29T09:00')).toBe(0);
    expect(show('2026-07-30T08:00', '2026-07-29T09:00')).toBe(30);
  });
});
