/** When a receiver is given up: the arithmetic of docs/contract.md#deliveries, as a table and as a property. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HOUR, MINUTE } from '../../../domain/kernel/time.ts';
import { afterAttempt, afterFailure, type FailureRecord } from '../../../domain/webhooks/rules.ts';

const NONE: FailureRecord = { firstFailureAt: null, lastFailureAt: null };
/** Failures at these hours, one after the other; the hour at which the receiver is suspended, or null. */
function suspendedAt(hours: readonly number[]): number | null {
  let record = NONE;
  for (const hour of hours) {
    const { isSuspended, ...after } = afterFailure(record, hour * HOUR);
    if (isSuspended) return hour;
    record = after;
  }
  return null;
}
const every = (gap: number, until: number) => Array.from({ length: Math.floor(until / gap) + 1 }, (_, i) => i * gap);

describe('suspension', () => {
  test.each<[string, readonly number[], number | null]>([
    ['unbroken failures, every hour', every(1, 30), 24],
    ['every three hours: exactly three is not over three', every(3, 30), 24],
    ['every 3 hours and a minute: each begins anew', every(3 + 1 / 60, 80), null],
    ['at 0 and at 24 alone', [0, 24], null],
    ['a quiet night in the middle', [...every(2, 12), 16, ...every(2, 22).map((h) => h + 16)], null],
    ['and the whole day after it', [...every(2, 12), 16, ...every(2, 24).map((h) => h + 16)], 40],
    ['one event and its retries: 1, 6, 36 and 156 minutes', [0, 1 / 60, 6 / 60, 36 / 60, 156 / 60], null],
    ['just before a day', [...every(1, 23), 23.99], null],
  ])('%s', (_, hours, expected) => expect(suspendedAt(hours)).toBe(expected));

  test('is never judged on less than a day without a gap of over three hours, and always on it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 * 60 }), { minLength: 1, maxLength: 60 }), (minutes) => {
        const times = minutes.toSorted((a, b) => a - b).map((m) => m * MINUTE);
        let record = NONE;
        let begin = times[0]!;
        times.forEach((at, i) => {
          if (i > 0 && at - times[i - 1]! > 3 * HOUR) begin = at;
          const { isSuspended, ...after } = afterFailure(record, at);
          expect(isSuspended).toBe(at - begin >= 24 * HOUR);
          record = after;
        });
      }),
    );
  });
  test('the longest gap between retries does not begin it anew', () => {
    const { nextAttemptAt } = afterAttempt(4, 'TIMEOUT', 0);
    expect(nextAttemptAt).toBeLessThanOrEqual(3 * HOUR);
  });
});
