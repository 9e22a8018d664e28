/**
 * Business times are milliseconds since 1970. What a row holds is converted by `msOf` and `dateOf`, what an answer says by `korean` and
 * `koreanOf`. Korean time is a fixed +09:00; there is no daylight saving.
 */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const KOREA = 9 * HOUR;

type Precision = 'seconds' | 'milliseconds';

/** `2026-11-20T09:30:00+09:00`; with milliseconds where a feed compares times. */
export function korean(at: number, precision: Precision = 'seconds'): string {
  const text = new Date(at + KOREA).toISOString();
  return `${precision === 'seconds' ? text.slice(0, 19) : text.slice(0, 23)}+09:00`;
}

/** ISO 8601 in UTC, as event bodies carry it: `2026-11-20T00:30:00.000Z`. */
export const universal = (at: number): string => new Date(at).toISOString();

/** A moment as rows hold it: a `Date` of an entity, or the text of a column. */
type Moment = Date | string;

/** The business milliseconds of a moment; null where there is none. */
export function msOf(moment: Moment): number;
export function msOf(moment: Moment | null | undefined): number | null;
export function msOf(moment: Moment | null | undefined): number | null {
  return moment === null || moment === undefined ? null : new Date(moment).getTime();
}

/** A moment, or business milliseconds, as the `Date` that entities and statements take; null where there is none. */
export function dateOf(moment: Moment | number): Date;
export function dateOf(moment: Moment | number | null | undefined): Date | null;
export function dateOf(moment: Moment | number | null | undefined): Date | null {
  return moment === null || moment === undefined ? null : new Date(moment);
}

/** A moment in Korean time, as `korean` writes it; null where there is none. */
export function koreanOf(moment: Moment, precision?: Precision): string;
export function koreanOf(moment: Moment | null | undefined, precision?: Precision): string | null;
export function koreanOf(moment: Moment | null | undefined, precision?: Precision): string | null {
  return moment === null || moment === undefined ? null : korean(msOf(moment), precision);
}

/** The years 1900 to 9998 (X22) as a pattern; with an offset, others could leave the range of Postgres and `Date`. */
export const YEAR = '(?:19[0-9]{2}|[2-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])';
const LEAP_YEAR = '(?:(?:19|[2-9][0-9])(?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[3579][26])00)';
const DAY_OF_YEAR = '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const TIME_OF_DAY = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const SECONDS = '(?::[0-5][0-9](?:[.][0-9]{1,9})?)?';
const OFFSET = `(?:[Zz]|[+-]${TIME_OF_DAY})`;
/** An RFC 3339 date-time with an offset; seconds are optional. It matches existing dates only: no 30th of February. */
export const MOMENT = `^(?:${YEAR}-${DAY_OF_YEAR}|${LEAP_YEAR}-02-29)[Tt]${TIME_OF_DAY}${SECONDS}${OFFSET}$`;

/** The Korean calendar day as `YYMMDD`, the prefix of order and claim numbers. */
export const koreanDay = (at: number): string => new Date(at + KOREA).toISOString().slice(2, 10).replaceAll('-', '');

/**
 * The moments of the Korean days whose `YYMMDD` begins with these digits, from inclusive, to exclusive: `2611` is November 2026; null where
 * no day does. Of the years 2000 to 2099.
 */
export function daysOf(digits: string): { readonly from: number; readonly to: number } | null {
  if (!/^\d{1,6}$/.test(digits)) return null;
  const [from, to] = [earliest(digits), latest(digits)];
  return from < to ? { from, to } : null;
}
const partsOf = (digits: string): number[] => [0, 2, 4].map((i) => Number(digits.slice(i, i + 2)));
function earliest(digits: string): number {
  const [year, month, day] = partsOf(digits.padEnd(6, '0')) as [number, number, number];
  return month > 12 ? Infinity : Date.UTC(2000 + year, Math.max(month, 1) - 1, Math.max(day, 1)) - KOREA;
}
function latest(digits: string): number {
  const [year, month, day] = partsOf(digits.padEnd(6, '9')) as [number, number, number];
  const last = Math.min(month, 12);
  const lastDay = new Date(Date.UTC(2000 + year, last, 0)).getUTCDate();
  return Date.UTC(2000 + year, last - 1, Math.min(day, lastDay) + 1) - KOREA;
}

/** The Korean calendar day of a moment: `2026-11-20`. */
export const koreanDate = (at: number): string => korean(at).slice(0, 10);

const DURATION = /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;

/** An ISO 8601 duration without months and years, in milliseconds; null when the text is none. `P3DT1H` → 262,800,000. */
export function duration(text: string): number | null {
  const match = DURATION.exec(text);
  if (!match || text === 'P' || text.endsWith('T')) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return (weeks * 7 + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND;
}
