/** Periods of reports and lists, in Korean days, both inclusive. */
import type { FieldError } from './errors.ts';
import { DAY, koreanDate } from './time.ts';

export interface Days {
  readonly from: string;
  readonly to: string;
}
/** The days of a period that nobody gave. */
const DEFAULT_DAYS = 30;
/** No period begins before the years of the contract. */
const FIRST_DAY = '1900-01-01';

/** The first moment of a Korean day. */
const beginning = (day: string): number => Date.parse(`${day}T00:00:00+09:00`);

/** The period of a request at the time `at`: by default the last 30 days, with today. */
export function periodOf({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }, at: number): Days {
  const last = to ?? koreanDate(at);
  const first = koreanDate(beginning(last) - (DEFAULT_DAYS - 1) * DAY);
  return { from: from ?? (first < FIRST_DAY ? FIRST_DAY : first), to: last };
}

/** Problems of a period: reversed, or longer than `max` days. */
export function periodProblems({ from, to }: Days, max: number): FieldError[] {
  const days = (beginning(to) - beginning(from)) / DAY + 1;
  if (days < 1) return [{ field: 'to', code: 'OUT_OF_RANGE', message: 'It lies before from.' }];
  return days > max ? [{ field: 'to', code: 'OUT_OF_RANGE', message: `At most ${max} days.` }] : [];
}

/** The moments of a period: `since` inclusive, `until` exclusive. */
export const momentsOf = ({ from, to }: Days): { readonly since: number; readonly until: number } => ({
  since: beginning(from),
  until: beginning(to) + DAY,
});
