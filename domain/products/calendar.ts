/** Days and stays of products whose stock and price differ by date (docs/contract.md#nights, D58, D59). Days are Korean, `YYYY-MM-DD`. */
import { Fault, type FieldError } from '../kernel/errors.ts';
import { DAY } from '../kernel/time.ts';

export const INVENTORY_MODES = ['STANDARD', 'DATED'] as const;
export type InventoryMode = (typeof INVENTORY_MODES)[number];
/** A calendar is written for so many days at once, and shown to buyers for so many. */
export const MAX_DAYS_WRITTEN = 400;
export const MAX_DAYS_SHOWN = 120;
const MAX_NIGHTS = 30;

/** Nights run from check-in to the day before check-out. */
export interface Stay {
  readonly checkIn: string;
  readonly checkOut: string;
}
/** One night as it was priced, additional price included. Won. */
export interface NightPrice {
  readonly date: string;
  readonly price: number;
}
export interface PricedStay extends Stay {
  readonly nights: readonly NightPrice[];
}

const midnight = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** How many days `to` is after `from`. */
const daysApart = (from: string, to: string): number => (midnight(to) - midnight(from)) / DAY;

/** Every day from `from` to `to`, both inclusive; those of these weekdays only, 0 = Sunday. */
export function daysBetween(from: string, to: string, daysOfWeek: readonly number[] | null = null): string[] {
  const days = Array.from({ length: Math.max(0, daysApart(from, to) + 1) }, (_, i) => midnight(from) + i * DAY);
  return days.filter((at) => daysOfWeek === null || daysOfWeek.includes(new Date(at).getUTCDay())).map(dayOf);
}

/** 2026-12-24 to 2026-12-26 is two nights: the 24th and the 25th. */
export const nightsOf = ({ checkIn, checkOut }: Stay): string[] => daysBetween(checkIn, dayOf(midnight(checkOut) - DAY));

/** What is wrong with a span: reversed, or over so many days. */
export function spanProblems(from: string | undefined, to: string | undefined, most: number): FieldError[] {
  if (from === undefined || to === undefined) return [];
  const days = daysApart(from, to) + 1;
  if (days < 1) return [{ field: 'to', code: 'OUT_OF_RANGE', message: 'It lies before from.' }];
  return days > most ? [{ field: 'to', code: 'OUT_OF_RANGE', message: `At most ${most} days.` }] : [];
}

/** The same for a query: VALIDATION_FAILED. */
export function checkSpan(from: string, to: string, most: number): void {
  const fieldErrors = spanProblems(from, to, most);
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
}

/** What is wrong with a stay: reversed, no night, or over 30. `field` is where it stands in the request. */
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

/** A product with a calendar needs a stay, another takes none: STAY_REQUIRED, STAY_NOT_APPLICABLE. */
export function checkStay(mode: InventoryMode, stay: Stay | null): void {
  if (mode === 'DATED' && !stay) throw new Fault('STAY_REQUIRED');
  if (mode === 'STANDARD' && stay) throw new Fault('STAY_NOT_APPLICABLE');
}
