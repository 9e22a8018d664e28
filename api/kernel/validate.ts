/** Whether a value fits its schema: sizes first (X6), then AJV on what is left, every problem at once up to a hundred (D7, X7). */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FieldError } from '../../domain/kernel/errors.ts';
import type { TSchema } from './schema.ts';
import { admit, type Finding, MAX_FINDINGS } from './sizes.ts';

const strict = { strict: true, strictTypes: false, allErrors: true, discriminator: true, keywords: ['x-document'] };
/** JSON is taken exactly as it is; what a query leaves out is filled in. */
const ajvs = { json: new Ajv2020(strict), text: new Ajv2020({ ...strict, useDefaults: true }) };
for (const one of Object.values(ajvs)) addFormats.default(one, ['date-time', 'date', 'email', 'uri']);

/**
 * A value of which only what fits is left: every list of items and every field may be undefined. What was sent and refused is there
 * (`'stock' in body`) and undefined, so a check of our own never meets what the schema refuses (X6).
 */
export type Fitting<T> = T extends readonly (infer Item)[]
  ? readonly (Fitting<Item> | undefined)[]
  : T extends object
    ? { readonly [K in keyof T]?: Fitting<T[K]> | undefined }
    : T;

export interface Judged {
  /** As it was sent; query text is read as what its schema says. */
  readonly value: unknown;
  readonly fieldErrors: readonly FieldError[];
  /** What checks of our own may look at; undefined where nothing is left to judge. */
  readonly fitting: unknown;
}
type Judge = (value: unknown) => Judged;

/** Compiles on first use, so that a process pays only for the operations it serves. JSON bodies are taken exactly as they are. */
export function judge(schema: TSchema, from: 'json' | 'text'): Judge {
  let validate: ValidateFunction | undefined;
  return (sent) => {
    validate ??= ajvs[from].compile(schema);
    const read = from === 'text' ? readQuery(schema, sent as Query) : sent;
    const { value, found } = admit(schema, read);
    if (found.length >= MAX_FINDINGS) return { value, fieldErrors: found.map(fieldError), fitting: undefined };
    const more = validate(value) ? [] : findings(validate.errors ?? [], found);
    return {
      value,
      fieldErrors: told(read, found, more),
      fitting: more.length >= MAX_FINDINGS ? undefined : without(value, more),
    };
  };
}

/** Every problem of a value. */
export function checker(schema: TSchema, from: 'json' | 'text'): (value: unknown) => readonly FieldError[] {
  const judged = judge(schema, from);
  return (value) => judged(value).fieldErrors;
}

type Query = Readonly<Record<string, string | string[] | undefined>>;
interface Text {
  readonly type?: string;
}
/** The parameters that are known (D8), numbers read: decimal whole ones only, so `1e2`, `0x10`, ` 5` and `1.0` stay texts (X22). */
function readQuery(schema: TSchema, query: Query): object {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, Text>> };
  const known = Object.entries(properties).filter(([name]) => Object.hasOwn(query, name));
  return Object.fromEntries(known.map(([name, { type }]) => [name, type === 'integer' ? whole(query[name]) : query[name]]));
}
const whole = (text: unknown): unknown => (typeof text === 'string' && /^-?[0-9]{1,15}$/.test(text) ? Number(text) : text);

const CODES: Readonly<Record<string, string>> = {
  required: 'REQUIRED',
  additionalProperties: 'UNKNOWN_FIELD',
  type: 'INVALID_TYPE',
  enum: 'INVALID_VALUE',
  minimum: 'OUT_OF_RANGE',
  maximum: 'OUT_OF_RANGE',
  minLength: 'TOO_SHORT',
  maxLength: 'TOO_LONG',
  minItems: 'TOO_FEW',
  maxItems: 'TOO_MANY',
};
/** A union fails once per branch and once as a whole; the branches say what is wrong. */
const isNoise = (e: ErrorObject) =>
  e.keyword === 'anyOf' || (e.keyword === 'type' && e.schemaPath.includes('/anyOf/') && e.params['type'] === 'null');

/** What AJV says, the first hundred: not again what the sizes said, and of a field no code twice. */
function findings(errors: readonly ErrorObject[], sizes: readonly Finding[]): Finding[] {
  const refused = new Set(sizes.map(({ path }) => JSON.stringify(path.map(String))));
  const known = new Set<string>();
  const found: Finding[] = [];
  for (const error of errors) {
    if (found.length >= MAX_FINDINGS) break;
    if (isNoise(error)) continue;
    const finding = findingOf(error);
    const at = JSON.stringify(finding.path);
    if (refused.has(at) || known.has(at + finding.code)) continue;
    known.add(at + finding.code);
    found.push(finding);
  }
  return found;
}

function findingOf(e: ErrorObject): Finding {
  const { missingProperty, additionalProperty } = e.params as { missingProperty?: string; additionalProperty?: string };
  const extra = missingProperty ?? additionalProperty;
  const path = e.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path: extra === undefined ? path : [...path, extra], code: CODES[e.keyword] ?? 'INVALID', message: e.message ?? 'is not valid' };
}

/** By the step that leads on from this depth; what stands here is under no step. */
const byStep = (found: readonly Finding[], depth: number) =>
  Map.groupBy(found, ({ path }) => (path.length > depth ? String(path[depth]) : null));

/** The findings as they are told: in the order of the value, missing fields before those that are there. Sizes are in that order. */
const told = (value: unknown, sizes: readonly Finding[], more: readonly Finding[]): FieldError[] =>
  inOrder(value, [...sizes, ...more], new Set(more))
    .slice(0, MAX_FINDINGS)
    .map(fieldError);
const fieldError = ({ path, code, message }: Finding): FieldError => ({ field: pathText(path), code, message });
/** `items[2].quantity` */
export const pathText = (path: Finding['path']): string => path.map(String).reduce(join, '');

function inOrder(value: unknown, found: readonly Finding[], more: ReadonlySet<Finding>, depth = 0): readonly Finding[] {
  if (found.length < 2 || !found.some((one) => more.has(one))) return found;
  const groups = byStep(found, depth);
  const steps = typeof value === 'object' && value !== null ? Object.keys(value).filter((step) => groups.has(step)) : [];
  const there = new Set<string | null>(steps);
  const missing = [...groups].flatMap(([step, group]) => (there.has(step) ? [] : group));
  const fields = value as Readonly<Record<string, unknown>>;
  return [...missing, ...steps.flatMap((step) => inOrder(fields[step], groups.get(step)!, more, depth + 1))];
}

/** A copy in which what has a finding is undefined. */
function without(value: unknown, found: readonly Finding[], depth = 0): unknown {
  if (found.length === 0) return value;
  const groups = byStep(found, depth);
  if (groups.has(null) || typeof value !== 'object' || value === null) return undefined;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  for (const [step, group] of groups) if (step !== null && Object.hasOwn(copy, step)) copy[step] = without(copy[step], group, depth + 1);
  return copy;
}

/** `items` and `2` → `items[2]`; `a` and `b` → `a.b`. */
const join = (path: string, part: string): string => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`);

/** Problems of one text that came from a path or header. */
export const textErrors = (value: string, field: string): readonly FieldError[] =>
  admit({}, value).found.map(({ code, message }) => ({ field, code, message }));
