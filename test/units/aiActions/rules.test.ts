/** The months in which AI actions are counted. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { monthEnd, monthOf, remainingActions } from '../../../domain/aiActions/rules.ts';
import { korean } from '../../../domain/kernel/time.ts';

describe('a month', () => {
  test.each([
    ['in its middle', '2026-11-20T09:30:00+09:00', '2026-11', '2026-12-01T00:00:00+09:00'],
    ['at its first moment', '2026-11-01T00:00:00+09:00', '2026-11', '2026-12-01T00:00:00+09:00'],
    ['at its last moment', '2026-11-30T23:59:59.999+09:00', '2026-11', '2026-12-01T00:00:00+09:00'],
    ['that begins in Korea while it is yesterday in UTC', '2026-10-31T15:00:00Z', '2026-11', '2026-12-01T00:00:00+09:00'],
    ['that has not ended in Korea while it has in the far east', '2026-12-01T00:30:00+14:00', '2026-11', '2026-12-01T00:00:00+09:00'],
    ['at the end of a year', '2026-12-31T14:59:59Z', '2026-12', '2027-01-01T00:00:00+09:00'],
    ['at the beginning of a year', '2026-12-31T15:00:00Z', '2027-01', '2027-02-01T00:00:00+09:00'],
    ['of 28 days', '2027-02-28T23:59:59+09:00', '2027-02', '2027-03-01T00:00:00+09:00'],
    ['of 29 days', '2028-02-29T12:00:00+09:00', '2028-02', '2028-03-01T00:00:00+09:00'],
  ])('%s', (_, time, month, end) => {
    const at = Date.parse(time);
    expect([monthOf(at), korean(monthEnd(at))]).toEqual([month, end]);
  });
  test('ends where the next one begins', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) }), (at) => {
        const end = monthEnd(at);
        expect([at < end, monthOf(end - 1), monthOf(end) > monthOf(at)]).toEqual([true, monthOf(at), true]);
      }),
    );
  });
});

test('what remains is never below 0', () => {
  const left = (limit: number, used: number) => remainingActions({ limit, used, resetsAt: 0 });
  expect([left(1000, 0), left(1000, 999), left(1000, 1000), left(1000, 1003), left(0, 0)]).toEqual([1000, 1, 0, 0, 0]);
});
