/**
 * The holidays that the database starts with, computed anew: fixed days, days of the Korean lunar calendar, and substitutes by their rules.
 */
import { expect, test } from '@jest/globals';
import { HOLIDAYS } from '../../../db/migrations/0035_holidays.ts';
import { DAY } from '../../../domain/kernel/time.ts';

const lunar = new Intl.DateTimeFormat('en-u-ca-dangi', { timeZone: 'UTC', month: 'numeric', day: 'numeric' });
const text = (at: number) => new Date(at).toISOString().slice(0, 10);
const weekday = (at: number) => new Date(at).getUTCDay();
/** The day of a year that has this date in the lunar calendar, `1/1`. */
function lunarDay(year: number, date: string): number {
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += DAY) if (lunar.format(at) === date) return at;
  throw new Error(`${year} has no ${date}`);
}

/** Substitutes: WEEKEND for a Saturday or a Sunday, SUNDAY for a Sunday alone; that two holidays meet is asserted not to happen. */
type Rule = 'WEEKEND' | 'SUNDAY' | null;
const fixed = (year: number): readonly (readonly [at: number, name: string, rule: Rule])[] => [
  [Date.UTC(year, 0, 1), '1월 1일', null],
  [Date.UTC(year, 2, 1), '3·1절', 'WEEKEND'],
  [Date.UTC(year, 4, 1), '노동절', 'WEEKEND'],
  [Date.UTC(year, 4, 5), '어린이날', 'WEEKEND'],
  [Date.UTC(year, 5, 6), '현충일', null],
  [Date.UTC(year, 6, 17), '제헌절', 'WEEKEND'],
  [Date.UTC(year, 7, 15), '광복절', 'WEEKEND'],
  [Date.UTC(year, 9, 3), '개천절', 'WEEKEND'],
  [Date.UTC(year, 9, 9), '한글날', 'WEEKEND'],
  [Date.UTC(year, 11, 25), '기독탄신일', 'WEEKEND'],
  [lunarDay(year, '4/8'), '부처님 오신 날', 'WEEKEND'],
];
const feast = (at: number, name: string) =>
  [
    [at - DAY, `${name} 전날`, 'SUNDAY'],
    [at, name, 'SUNDAY'],
    [at + DAY, `${name} 다음 날`, 'SUNDAY'],
  ] as const;
/** Elections at the end of a term: local ones on the third of June 2026. */
const ELECTIONS: Readonly<Record<number, readonly (readonly [at: number, name: string, rule: Rule])[]>> = {
  2026: [[Date.UTC(2026, 5, 3), '전국동시지방선거', null]],
};

function computed(year: number): Record<string, string> {
  const days = [
    ...fixed(year),
    ...feast(lunarDay(year, '1/1'), '설날'),
    ...feast(lunarDay(year, '8/15'), '추석'),
    ...(ELECTIONS[year] ?? []),
  ].toSorted(([a], [b]) => a - b);
  const holidays = new Map(days.map(([at, name]) => [at, name]));
  expect(holidays.size).toBe(days.length);
  for (const [at, name, rule] of days) {
    if (rule === null || (weekday(at) !== 0 && (weekday(at) !== 6 || rule === 'SUNDAY'))) continue;
    let substitute = at + DAY;
    while (holidays.has(substitute) || weekday(substitute) % 6 === 0) substitute += DAY;
    holidays.set(substitute, `대체공휴일(${name.split(' 전날')[0]!.split(' 다음')[0]})`);
  }
  return Object.fromEntries([...holidays].toSorted(([a], [b]) => a - b).map(([at, name]) => [text(at), name]));
}

test.each([2026, 2027])('%i', (year) => {
  expect(HOLIDAYS[year]).toEqual(computed(year));
  expect(Object.keys(HOLIDAYS[year]!)).toEqual(Object.keys(HOLIDAYS[year]!).toSorted());
});
