/** The periods that partitions cover, numbered from 1970, in UTC. */
import { DAY } from '../../domain/kernel/time.ts';

export interface Periods {
  readonly indexOf: (at: number) => number;
  /** When a period begins; its end is the beginning of the next. */
  readonly start: (index: number) => number;
  /** `20260801`, `202608`: how the partition's name ends. */
  readonly name: (index: number) => string;
}
const digits = (at: number, length: number): string => new Date(at).toISOString().replaceAll('-', '').slice(0, length);

export const DAYS: Periods = {
  indexOf: (at) => Math.floor(at / DAY),
  start: (index) => index * DAY,
  name: (index) => digits(DAYS.start(index), 8),
};
export const MONTHS: Periods = {
  indexOf: (at) => (new Date(at).getUTCFullYear() - 1970) * 12 + new Date(at).getUTCMonth(),
  start: (index) => Date.UTC(1970, index),
  name: (index) => digits(MONTHS.start(index), 6),
};
