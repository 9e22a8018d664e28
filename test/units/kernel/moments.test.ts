/** Moments of rows: as milliseconds, as `Date`, in Korean time. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { dateOf, koreanOf, msOf } from '../../../domain/kernel/time.ts';

const AT = Date.UTC(2026, 10, 20, 0, 30, 0, 123);
const ISO = '2026-11-20T00:30:00.123Z';

test.each([new Date(AT), ISO, '2026-11-20 00:30:00.123+00'])('%p is the same moment in every form', (moment) => {
  expect(msOf(moment)).toBe(AT);
  expect(dateOf(moment).toISOString()).toBe(ISO);
  expect(koreanOf(moment)).toBe('2026-11-20T09:30:00+09:00');
  expect(koreanOf(moment, 'milliseconds')).toBe('2026-11-20T09:30:00.123+09:00');
});
test('milliseconds become a date, 1970 too', () => expect([AT, 0].map((at) => dateOf(at).getTime())).toEqual([AT, 0]));
test.each([null, undefined])('%p is no moment', (none) => expect([msOf(none), dateOf(none), koreanOf(none)]).toEqual([null, null, null]));

test('nobody converts a moment that may be missing by hand', () => {
  const byHand = /\?\.getTime\(\) \?\? null|([\w.]+) === (?:null|undefined) \? null : new Date\(\1\)|new Date\([\w.!]+\)\.getTime\(\)/;
  // Workflows take no values from the domain (docs/architecture.md#rings).
  const files = globSync('{domain,db,activities,api,worker,bin}/**/*.ts').filter((file) => file !== 'domain/kernel/time.ts');
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => byHand.test(readFileSync(file, 'utf8')))).toEqual([]);
});
