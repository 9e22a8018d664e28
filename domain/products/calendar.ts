/** Days and stays of products whose stock and price differ by date (docs/contract.md#nights). Days are Korean, `YYYY-MM-DD`. */
import { Fault, type FieldError } from '../kernel/errors.ts';
import { DAY } from '../kernel/time.ts';

export const INVENTORY_MODES = ['STANDARD', 'DATED'] as const;
export type InventoryMode = (typeof INVENTORY_MODES)[number];
/** Limits of one request: days written at once, days shown to buyers. */
export const MAX_DAYS_WRITTEN = 400;
export const MAX_DAYS_SHOWN = 120;
const MAX_NIGHTS = 30;
/** The most nights of all variants that one answer tells (D90): 20 days of 500 variants, 400 days of 25. */
export const MAX_CELLS_SHOWN = 10_000;

/** Nights run from check-in to the day before check-out. */
export interface Stay {
  readonly checkIn: string;
  readonly checkOut: string;
}
/** The price of one night, the variant's additional price included. Won. */
export interface NightPrice {
  readonly date: string;
  readonly price: number;
}
export interface PricedStay extends Stay {
  readonly nights: readonly NightPrice[];
}

const midnight = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** The number of days from `from` to `to`. */
const daysApart = (from: string, to: string): number => (midnight(to) - midnight(from)) / DAY;

/** Every day from `from` to `to`, both inclusive; with `daysOfWeek` only those weekdays, 0 = Sunday. */
export function daysBetween(from: string, to: string, daysOfWeek: readonly number[] | null = null): string[] {
  const days = Array.from({ length: Math.max(0, daysApart(from, to) + 1) }, (_, i) => midnight(from) + i * DAY);
  return days.filter((at) => daysOfWeek === null || daysOfWeek.includes(new Date(at).getUTCDay())).map(dayOf);
}

/** 2026-12-24 to 2026-12-26 is two nights: the 24th and the 25th. */
export const nightsOf = ({ checkIn, checkOut }: Stay): string[] => daysBetween(checkIn, dayOf(midnight(checkOut) - DAY));

/** Problems of a span of days: reversed, or longer than `max` days. */
export function spanProblems(from: string | undefined, to: string | undefined, max: number): FieldError[] {
  if (from === undefined || to === undefined) return [];
  const days = daysApart(from, to) + 1;
  if (days < 1) return [{ field: 'to', code: 'OUT_OF_RANGE', message: 'It lies before from.' }];
  return days > max ? [{ field: 'to', code: 'OUT_OF_RANGE', message: `At most ${max} days.` }] : [];
}

/** The same check for a query; throws VALIDATION_FAILED. */
export function checkSpan(from: string, to: string, max: number): void {
  const fieldErrors = spanProblems(from, to, max);
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
}

/** Problems of a stay: reversed, no night, or more than 30. `field`: its path in the request. */
export function stayProblems(
  { checkIn, checkOut }: { readonly [K in keyof Stay]?: string | undefined } = {},
  field = 'stay',
): FieldError[] {
  if (checkIn === undefined || checkOut === undefined) return [];
  const nights = daysApart(checkIn, checkOut);
  return nights < 1 || nights > MAX_NIGHTS
    ? [{ field: `${field}.checkOut`, code: 'OUT_OF_RANGE', message: `A stay is 1 to ${MAX_NIGHTS} nights.` }]
    : [];
}

/** A DATED product requires a stay, a STANDARD product refuses one: STAY_REQUIRED, STAY_NOT_APPLICABLE. */
export function checkStay(mode: InventoryMode, stay: Stay | null): void {
  if (mode === 'DATED' && !stay) throw new Fault('STAY_REQUIRED');
  if (mode === 'STANDARD' && stay) throw new Fault('STAY_NOT_APPLICABLE');
}
