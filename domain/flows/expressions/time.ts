/** Times and durations inside expressions. Korean time is +09:00 all year. */
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { DAY, KOREA, MOMENT } from '../../kernel/time.ts';
import { ExpressionError } from './errors.ts';

/** The years that times may have: 1900 to 9998, in Korea. */
const EARLIEST = Date.UTC(1900, 0, 1) - KOREA;
const LATEST = Date.UTC(9999, 0, 1) - KOREA - 1;
const isWithin = (ms: number): boolean => ms >= EARLIEST && ms <= LATEST;

/** A moment. A class of our own: the library knows types by their constructor, and its own time type depends on locales. */
export class Time {
  readonly ms: number;
  /** @throws ExpressionError outside the years 1900 to 9998. */
  constructor(ms: number) {
    if (!isWithin(ms)) throw new ExpressionError('EXPRESSION_OVERFLOW', 'a time outside the years 1900 to 9998');
    this.ms = ms;
  }
}

const moment = new RegExp(MOMENT);
/** No date-time is longer. */
const MAX_TEXT = 40;

/** An ISO 8601 date-time with an offset, or a date, which is its midnight in Korea; null for every other text and year. */
export function readTime(text: string): Time | null {
  if (text.length > MAX_TEXT) return null;
  const whole = (text.length === 10 ? `${text}T00:00+09:00` : text).toUpperCase();
  const ms = moment.test(whole) ? Date.parse(whole) : Number.NaN;
  return isWithin(ms) ? new Time(ms) : null;
}

/** The Korean calendar day as a number: days since 1970-01-01. */
export const koreanDayNumber = ({ ms }: Time): number => Math.floor((ms + KOREA) / DAY);

/** Midnight in Korea of the day with this number. */
export const midnight = (day: number): number => day * DAY - KOREA;

/** Text that `duration` takes: hours, minutes and seconds in this order, `24h`, `1h30m`, `-90s`. */
export const isDuration = (text: string): boolean => /^-?(?=\d)(?:\d{1,5}h)?(?:\d{1,6}m)?(?:\d{1,8}s)?$/.test(text);

/** Nanoseconds stay positive: the library's sums of durations are wrong with negative ones. */
function durationOf(ms: number): Duration {
  const seconds = Math.floor(ms / 1000);
  return new Duration(BigInt(seconds), (ms - seconds * 1000) * 1_000_000);
}
const msOf = ({ seconds, nanos }: Duration): number => Number(seconds) * 1000 + nanos / 1_000_000;

export const later = (time: Time, by: Duration): Time => new Time(time.ms + msOf(by));
export const earlier = (time: Time, by: Duration): Time => new Time(time.ms - msOf(by));
export const between = (from: Time, to: Time): Duration => durationOf(to.ms - from.ms);
