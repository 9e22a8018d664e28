/** Days of points, on both sides of the Korean midnight, and the marks of the job. */
import { expect, test } from '@jest/globals';
import { korean } from '../../../domain/kernel/time.ts';
import { endOfDayAfter, expiryOfRestored, markOf, soonUntil } from '../../../domain/points/expiry.ts';

const at = (text: string) => Date.parse(`${text}+09:00`);

test.each([
  ['2026-11-24T00:00:00', 0, '2026-11-24T23:59:59+09:00'],
  ['2026-11-24T23:59:59.999', 0, '2026-11-24T23:59:59+09:00'],
  ['2026-11-25T00:00:00', 0, '2026-11-25T23:59:59+09:00'],
  ['2026-11-24T23:59:59', 30, '2026-12-24T23:59:59+09:00'],
  ['2026-11-25T00:00:00', 30, '2026-12-25T23:59:59+09:00'],
  // UTC has another day than Korea until nine in the morning.
  ['2026-11-25T08:59:59', 365, '2027-11-25T23:59:59+09:00'],
  ['2028-02-28T12:00:00', 1, '2028-02-29T23:59:59+09:00'],
])('%s and %i days: %s', (from, days, until) => {
  expect(korean(endOfDayAfter(at(from), days))).toBe(until);
});

test('restored points live as long as the last lot that they came from, or 30 days where it is dead', () => {
  const now = at('2026-11-24T10:00:00');
  expect(expiryOfRestored(at('2026-11-24T10:00:01'), now)).toBe(at('2026-11-24T10:00:01'));
  for (const latest of [now, now - 1, null]) expect(korean(expiryOfRestored(latest, now))).toBe('2026-12-24T23:59:59+09:00');
});

test('soon is within 30 Korean days', () => {
  expect(korean(soonUntil(at('2026-11-24T23:59:59')))).toBe('2026-12-24T23:59:59+09:00');
  expect(korean(soonUntil(at('2026-11-25T00:00:00')))).toBe('2026-12-25T23:59:59+09:00');
});

test.each([
  ['2026-11-24T23:59:59', '2026-11-24T12:00:00', '2026-11-25T00:00:00'],
  ['2026-11-24T12:10:00', '2026-11-24T12:00:00', '2026-11-24T12:10:00'],
  ['2026-11-24T12:10:01', '2026-11-24T12:00:00', '2026-11-24T12:20:00'],
  // Dead already: at the next mark, not at one that has passed.
  ['2026-11-24T12:01:00', '2026-11-24T12:30:00', '2026-11-24T12:40:00'],
  ['2026-11-24T12:01:00', '2026-11-24T12:29:59', '2026-11-24T12:30:00'],
])('a lot until %s is found, at %s, by the run of %s', (expiresAt, now, mark) => {
  expect(markOf(at(expiresAt), at(now))).toBe(at(mark));
});
