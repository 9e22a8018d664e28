/** The days whose YYMMDD begins with some digits. */
import { expect, test } from '@jest/globals';
import { DAY, daysOf, korean, koreanDay } from '../../../domain/kernel/time.ts';

test.each([
  ['261126', '2026-11-26', '2026-11-27'],
  ['2611', '2026-11-01', '2026-12-01'],
  ['26', '2026-01-01', '2027-01-01'],
  ['2', '2020-01-01', '2030-01-01'],
  ['261', '2026-10-01', '2027-01-01'],
  ['26022', '2026-02-20', '2026-03-01'],
  ['280229', '2028-02-29', '2028-03-01'],
])('%s: from %s to %s', (digits, from, to) => {
  const found = daysOf(digits)!;
  expect([korean(found.from), korean(found.to)]).toEqual([`${from}T00:00:00+09:00`, `${to}T00:00:00+09:00`]);
  for (const at of [found.from, found.to - 1]) expect(koreanDay(at).startsWith(digits)).toBe(true);
  for (const at of [found.from - DAY, found.to]) expect(koreanDay(at).startsWith(digits)).toBe(false);
});
test.each(['2613', '261140', '260230', '2611260', 'x', ''])('%s: none', (digits) => expect(daysOf(digits)).toBeNull());
test('26103 is the end of October', () => expect(korean(daysOf('26103')!.to)).toBe('2026-11-01T00:00:00+09:00'));
