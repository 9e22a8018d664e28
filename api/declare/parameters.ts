/**
 * Parameters of lists whose bad values are INVALID_PARAMETER (D54). They are declared with what reads them, so that all problems of a
 * query are told at once (readRequest.ts).
 */
import type { FieldError } from '../../domain/kernel/errors.ts';
import { MOMENT } from '../../domain/kernel/time.ts';
import { type Static, type TObject, type TSchema, Type } from './schema.ts';

/** Reads a parameter; undefined: a bad value. What the OpenAPI document says of good ones is its `document`. */
export type Reading<T> = ((sent: string) => T | undefined) & { readonly document: object };
const reading = <T>(document: object, read: (sent: string) => T | undefined): Reading<T> => Object.assign(read, { document });

const READING = 'x-reading';
interface Named<T> {
  readonly [READING]: Reading<T>;
}
const declared = <T>(reading: Reading<T>, description: string) =>
  Type.Optional(Type.String({ description, 'x-document': reading.document, [READING]: reading }));
/** A parameter that is read by `reading`. */
export const named = <T>(reading: Reading<T>, description: string): ReturnType<typeof declared> & Named<T> =>
  declared(reading, description) as ReturnType<typeof declared> & Named<T>;

type Query = Readonly<Record<string, unknown>>;
const readingOf = (schema: Partial<Named<unknown>>): Reading<unknown> | undefined => schema[READING];
const propertiesOf = (schema: TSchema): Readonly<Record<string, TSchema>> =>
  (schema as { readonly properties?: Readonly<Record<string, TSchema>> }).properties ?? {};

/** The named parameters that were sent with a bad value. */
export function parameterProblems(schema: TSchema, query: object): readonly FieldError[] {
  return Object.entries(propertiesOf(schema)).flatMap(([field, property]) => {
    const [read, value] = [readingOf(property), (query as Query)[field]];
    const isBad = read !== undefined && typeof value === 'string' && read(value) === undefined;
    return isBad ? [{ field, code: 'INVALID', message: 'is not as the documents describe it' }] : [];
  });
}

type Values<S extends TObject> = {
  readonly [K in keyof S['properties'] as S['properties'][K] extends Named<unknown> ? K : never]?: S['properties'][K] extends Named<infer T>
    ? T
    : never;
};
/** What the named parameters say; those that were not sent are left out. */
export function read<S extends TObject>(schema: S, query: Static<S>): Values<S> {
  const sent = query as Query;
  const values = Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const [readValue, value] = [readingOf(property), sent[name]];
    return readValue && typeof value === 'string' ? [[name, readValue(value)]] : [];
  });
  return Object.fromEntries(values) as Values<S>;
}

export const among = <T extends string>(known: readonly T[]): Reading<T> =>
  reading({ enum: known }, (sent) => known.find((one) => one === sent));
/** Values separated by commas, each once and in the order of `known`. */
export const amongAll = <T extends string>(known: readonly T[]): Reading<readonly T[]> =>
  reading({ pattern: severalPattern(known) }, (sent) => {
    const values = sent.split(',');
    return values.every((value) => known.some((one) => one === value)) ? known.filter((one) => values.includes(one)) : undefined;
  });
/** Such values in a parameter that the schema judges. */
export const severalOf = (known: readonly string[]) =>
  Type.String({ pattern: severalPattern(known), description: 'Any of these, separated by commas' });
const severalPattern = (known: readonly string[]): string => `^(?:${known.join('|')})(?:,(?:${known.join('|')}))*$`;

/** What a text that fits the pattern says. */
function matched<T>(pattern: string, valueOf: (sent: string) => T | undefined): Reading<T> {
  const expression = new RegExp(pattern);
  return reading({ pattern }, (sent) => (expression.test(sent) ? valueOf(sent) : undefined));
}
export const matching = (pattern: string): Reading<string> => matched(pattern, (sent) => sent);
/** So many digits at least and 14 at most; hyphens are dropped. */
export const digits = (min: number): Reading<string> => matched(`^-*(?:[0-9]-*){${min},14}$`, (sent) => sent.replaceAll('-', ''));
/** A whole number of so many digits at most. */
export const numeric = (max: number): Reading<number> => matched(`^[0-9]{1,${max}}$`, Number);
/** In milliseconds. */
const moment = matched(MOMENT, (sent) => {
  const at = Date.parse(sent);
  return Number.isNaN(at) ? undefined : at;
});
/** The parameters of a period, by the times that are shown. */
export const fromTime = (more = '') => named(moment, `ISO 8601 with offset, inclusive${more}`);
export const toTime = () => named(moment, 'ISO 8601 with offset, exclusive');

export const FLAGS = ['true', 'false'] as const;
export const flag = reading({ enum: FLAGS }, (sent) => (FLAGS.some((one) => one === sent) ? sent === 'true' : undefined));

/** Without undefined properties. */
export const sent = <T extends object>(found: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
