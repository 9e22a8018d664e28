/** Reviews without a system: periods to the millisecond, the order of refusals, rewards, averages, masked names. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PUBLIC_STATUSES } from '../../../domain/flows/graph/status.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { averageRating, isEditable, isWritable, maskedName, rewardOf, writingRefusal } from '../../../domain/reviews/rules.ts';

const AT = Date.parse('2026-11-20T09:30:00.123+09:00');

describe('periods', () => {
  test('a review is written until the last millisecond of 90 days after the decision', () => {
    expect([0, 90 * DAY - 1, 90 * DAY, 90 * DAY + 1].map((ms) => isWritable(AT, AT + ms))).toEqual([true, true, true, false]);
  });
  test('and changed until the last millisecond of 30 days after its writing', () => {
    expect([0, 30 * DAY - 1, 30 * DAY, 30 * DAY + 1].map((ms) => isEditable(AT, AT + ms))).toEqual([true, true, true, false]);
  });
});

describe('a refusal', () => {
  const item = { testPayment: false, status: 'PURCHASE_DECIDED', decidedAt: AT } as const;
  test('there is none for a decided item within its time', () => {
    expect(writingRefusal(item, AT + 90 * DAY)).toBe(null);
  });
  test('of a test order comes before its status, and that before the period', () => {
    const late = AT + 91 * DAY;
    for (const status of PUBLIC_STATUSES) {
      expect(writingRefusal({ ...item, testPayment: true, status }, late)).toBe('REVIEW_NOT_ALLOWED_FOR_TEST_ORDER');
      expect(writingRefusal({ ...item, status }, late)).toBe(status === 'PURCHASE_DECIDED' ? 'PERIOD_EXPIRED' : 'INVALID_STATUS');
    }
  });
});

test('a reward is that of a photo or that of a text, never both, and none while rewards or points are off', () => {
  const on = { available: true, reviewReward: { enabled: true, textPoint: 100, photoPoint: 300 } };
  expect([0, 1, 5].map((images) => rewardOf(on, images))).toEqual([100, 300, 300]);
  expect([0, 1].map((images) => rewardOf({ ...on, available: false }, images))).toEqual([0, 0]);
  expect([0, 1].map((images) => rewardOf({ ...on, reviewReward: { ...on.reviewReward, enabled: false } }, images))).toEqual([0, 0]);
});

describe('an average', () => {
  test.each([
    [1, 5, 5],
    [2, 9, 4.5],
    [3, 13, 4.3],
    [3, 14, 4.7],
    // 4.25, 4.35 and 4.45 go up, which floating point would not do by itself.
    [4, 17, 4.3],
    [20, 87, 4.4],
    [20, 89, 4.5],
    [20, 91, 4.6],
    [1_000_000, 4_249_999, 4.2],
    [1_000_000, 4_250_000, 4.3],
  ])('of %d reviews with %d in all is %d', (count, sum, average) => {
    expect(averageRating({ count, sum })).toBe(average);
  });
  test('of none is null', () => {
    expect(averageRating({ count: 0, sum: 0 })).toBe(null);
  });
  test('is the nearest tenth, and of two as near the upper one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 300 }), (ratings) => {
        const [count, sum] = [ratings.length, ratings.reduce((a, b) => a + b, 0)];
        const tenths = Math.round(averageRating({ count, sum })! * 10);
        // −½ < exact × 10 − tenths ≤ … in whole numbers: the exact value lies in [tenths − ½, tenths + ½).
        expect(20 * sum >= count * (2 * tenths - 1) && 20 * sum < count * (2 * tenths + 1)).toBe(true);
      }),
    );
  });
});

describe('a masked name', () => {
  test.each([
    ['홍길동', '홍**'],
    ['a', 'a**'],
    [' 홍 길동', '홍**'],
    ['👩‍👩‍👧 가족', '👩‍👩‍👧**'],
    ['🇰🇷 한국', '🇰🇷**'],
    ['e\u0301mile', 'e\u0301**'],
    ['\u1112\u1169\u11bc길동', '\u1112\u1169\u11bc**'],
    ['👍🏽', '👍🏽**'],
  ])('of %s is %s', (name, masked) => {
    expect(maskedName(name)).toBe(masked);
  });
  test.each([null, '', '  '])('of %j is null', (name) => {
    expect(maskedName(name)).toBe(null);
  });
  test('shows one character of the name and nothing else of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        const masked = maskedName(name);
        if (masked === null) return expect(name.trim()).toBe('');
        expect(masked.endsWith('**')).toBe(true);
        expect(name.trim().startsWith(masked.slice(0, -2))).toBe(true);
        expect([...new Intl.Segmenter('ko').segment(masked.slice(0, -2))]).toHaveLength(1);
      }),
    );
  });
});
