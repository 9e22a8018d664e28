import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { momentsOf, periodOf, periodProblems } from '../../../domain/kernel/period.ts';
import { DAY, koreanDate } from '../../../domain/kernel/time.ts';

/** A second before Korean midnight. */
const EVE = Date.parse('2026-11-20T23:59:59+09:00');
const moments = fc.integer({ min: Date.parse('1990-01-01'), max: Date.parse('2090-01-01') });

describe('without a period', () => {
  test('it is the last 30 Korean days, with today, on both sides of midnight', () => {
    expect(periodOf({}, EVE)).toEqual({ from: '2026-10-22', to: '2026-11-20' });
    expect(periodOf({}, EVE + 1000)).toEqual({ from: '2026-10-23', to: '2026-11-21' });
  });
  test('each end that is sent counts, and no period begins before the years of the contract', () => {
    expect(periodOf({ from: '2026-11-01' }, EVE)).toEqual({ from: '2026-11-01', to: '2026-11-20' });
    expect(periodOf({ to: '2026-03-01' }, EVE)).toEqual({ from: '2026-01-31', to: '2026-03-01' });
    expect(periodOf({ to: '1900-01-05' }, EVE)).toEqual({ from: '1900-01-01', to: '1900-01-05' });
  });
});

test('a period ends before it begins, or is a day too long: both are problems of its end', () => {
  const code = 'OUT_OF_RANGE';
  expect(periodProblems({ from: '2026-11-20', to: '2026-11-20' }, 1)).toEqual([]);
  expect(periodProblems({ from: '2026-11-20', to: '2026-11-21' }, 1)).toMatchObject([{ field: 'to', code }]);
  expect(periodProblems({ from: '2026-11-20', to: '2026-11-19' }, 366)).toMatchObject([{ field: 'to', code }]);
  expect(periodProblems({ from: '2023-12-31', to: '2024-12-30' }, 366)).toEqual([]);
  expect(periodProblems({ from: '2023-12-31', to: '2024-12-31' }, 366)).toMatchObject([{ field: 'to', code }]);
});

test('a moment is in a period exactly when its Korean day is', () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: -2, max: 2 }), fc.integer({ min: 0, max: 3 }), (at, shift, length) => {
      const from = koreanDate(at + shift * DAY);
      const to = koreanDate(at + (shift + length) * DAY);
      const { since, until } = momentsOf({ from, to });
      const day = koreanDate(at);
      expect(at >= since && at < until).toBe(day >= from && day <= to);
    }),
  );
});
