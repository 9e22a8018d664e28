/** Parses the parameters of lists: an invalid value is INVALID_PARAMETER (D54, D70). */
import { Fault } from '../../domain/kernel/errors.ts';
import { MOMENT } from '../../domain/kernel/time.ts';
import { Type } from './schema.ts';

const bad = (parameter: string): Fault => new Fault('INVALID_PARAMETER', { details: { parameter } });
/** The pattern in the OpenAPI document. */
export const DIGITS = (least: number) => `^-*(?:[0-9]-*){${least},14}$`;
const A_MOMENT = new RegExp(MOMENT);

/** A parameter whose details are only documented; the handler refuses other values with INVALID_PARAMETER. */
export const named = (more: object, description: string) => Type.Optional(Type.String({ description, 'x-document': more }));

/** The parameters of a period, by the times that are shown. */
export const fromTime = (more = '') => named({ pattern: MOMENT }, `ISO 8601 with offset, inclusive${more}`);
export const toTime = () => named({ pattern: MOMENT }, 'ISO 8601 with offset, exclusive');

/** A parameter parsed by `as`; INVALID_PARAMETER when that returns undefined. */
export function read<T>(name: string, sent: string | undefined, as: (sent: string) => T | undefined): T | undefined {
  if (sent === undefined) return undefined;
  const value = as(sent);
  if (value === undefined) throw bad(name);
  return value;
}
export const among =
  <T extends string>(known: readonly T[]) =>
  (sent: string): T | undefined =>
    known.find((one) => one === sent);
/** Values separated by commas, each once and in the order of `known`. */
export const amongAll =
  <T extends string>(known: readonly T[]) =>
  (sent: string): readonly T[] | undefined => {
    const values = sent.split(',');
    return values.every((value) => known.some((one) => one === value)) ? known.filter((one) => values.includes(one)) : undefined;
  };
/** Such values in a parameter that the schema judges. */
export const severalOf = (known: readonly string[]) =>
  Type.String({ pattern: severalPattern(known), description: 'Any of these, separated by commas' });
export const severalPattern = (known: readonly string[]): string => `^(?:${known.join('|')})(?:,(?:${known.join('|')}))*$`;
export const moment = (sent: string): number | undefined =>
  A_MOMENT.test(sent) && !Number.isNaN(Date.parse(sent)) ? Date.parse(sent) : undefined;
export const FLAGS = ['true', 'false'] as const;
export const flag = (sent: string): boolean | undefined => (FLAGS.some((one) => one === sent) ? sent === 'true' : undefined);
export const digits = (least: number) => (sent: string) => {
  return new RegExp(DIGITS(least)).test(sent) ? sent.replaceAll('-', '') : undefined;
};

/** Without undefined properties. */
export const sent = <T extends object>(found: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
