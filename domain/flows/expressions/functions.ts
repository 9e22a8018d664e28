/** What the functions of expressions compute. Integers are BigInt, as everywhere inside expressions. */
import { koreanDate, MINUTE } from '../../kernel/time.ts';
import { ExpressionError } from './errors.ts';
import { koreanDayNumber, midnight, readTime, Time } from './time.ts';

const refuse = (message: string): never => {
  throw new ExpressionError('EXPRESSION_VALUE', message);
};

/** Percent are exact to six decimals. */
const PARTS = 1_000_000;

/** `percent` (0..100, fractions allowed) of an amount, rounded down. */
export function pct(amount: bigint, percent: bigint | number): bigint {
  if (!(percent >= 0 && percent <= 100)) refuse('pct: percent are 0 to 100');
  const parts = typeof percent === 'bigint' ? percent * BigInt(PARTS) : BigInt(Math.round(percent * PARTS));
  return floorDivided(amount * parts, 100n * BigInt(PARTS));
}
function floorDivided(amount: bigint, by: bigint): bigint {
  const quotient = amount / by;
  return amount < 0n && quotient * by !== amount ? quotient - 1n : quotient;
}

/** Korean calendar days from `now` to `time`: 0 today, negative in the past. */
export const daysUntil = (time: Time, now: Time): bigint => BigInt(koreanDayNumber(time) - koreanDayNumber(now));

/** 0 Sunday … 6 Saturday. */
export const dayOfWeek = (time: Time): bigint => BigInt((((koreanDayNumber(time) + 4) % 7) + 7) % 7);

export const isTimeOfDay = (text: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);

/** That time of day, in Korea, on the Korean day of `date`. */
export function atTime(date: Time, text: string): Time {
  if (!isTimeOfDay(text)) refuse('atTime: a time of day is HH:mm');
  const [hours, minutes] = text.split(':').map(Number);
  return new Time(midnight(koreanDayNumber(date)) + (hours! * 60 + minutes!) * MINUTE);
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** A day of the year, MM-DD; 02-29 is one. */
export const isMonthDay = (text: string): boolean =>
  /^\d\d-\d\d$/.test(text) && Number(text.slice(3)) >= 1 && Number(text.slice(3)) <= (DAYS[Number(text.slice(0, 2)) - 1] ?? 0);

/** A row of a table is a Map, a row written in the expression an object. */
export type Row = ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>;
const cell = (row: Row, key: string): unknown => (row instanceof Map ? row.get(key) : Object.hasOwn(row, key) && Reflect.get(row, key));

/** Tables are checked when they are read (`soundTables`): only a row that is written in the expression may be wrong. */
function dayIn(row: Row, key: 'from' | 'to'): string {
  const text = cell(row, key);
  if (row instanceof Map) return text as string;
  return typeof text === 'string' && isMonthDay(text) ? text : refuse('inRanges: a range is { from, to } of MM-DD');
}

/** Called with the number of rows before they are looked at. */
type Spend = (rows: number) => void;

/** Whether the Korean day lies in one of the ranges, both ends included; a range whose end comes first passes the year. */
export function inRanges(time: Time, ranges: readonly Row[], spend: Spend): boolean {
  const day = koreanDate(time.ms).slice(5);
  return ranges.some((row) => {
    spend(1);
    const [from, to] = [dayIn(row, 'from'), dayIn(row, 'to')];
    return from <= to ? day >= from && day <= to : day >= from || day <= to;
  });
}

function numberIn(row: Row, key: 'days' | 'value'): bigint {
  const number = cell(row, key);
  return typeof number === 'bigint' ? number : refuse('lookupStep: a row is { days, value } of whole numbers');
}

/** The value of the row with the most days that are not more than `days`; before the first row, that of the one with the fewest. */
export function lookupStep(table: readonly Row[], days: bigint, spend: Spend): bigint {
  spend(table.length);
  const rows = table.map((row) => ({ from: numberIn(row, 'days'), value: numberIn(row, 'value') }));
  if (rows.length === 0) return refuse('lookupStep: the table is empty');
  const reached = rows.filter(({ from }) => from <= days);
  const best = reached.length > 0 ? reached.reduce((a, b) => (b.from > a.from ? b : a)) : rows.reduce((a, b) => (b.from < a.from ? b : a));
  return best.value;
}

/** A text as a time: ISO 8601 with an offset, or a date, which is its midnight in Korea. */
export const time = (text: string): Time => readTime(text) ?? refuse('time: ISO 8601 with an offset, or YYYY-MM-DD');
